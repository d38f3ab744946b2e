// every index of the store: what it is for, whether it can be used, and whether a constraint (of its own name) owns it
// parameters: none
SHOW INDEXES YIELD name, state, type, labelsOrTypes, properties, options, owningConstraint
RETURN name, state, type, labelsOrTypes AS labels, properties, owningConstraint AS constraint,
  options.indexConfig['fulltext.analyzer'] AS analyzer
