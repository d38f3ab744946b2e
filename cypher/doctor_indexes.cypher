// every index of the store (a constraint has one of its own name) and whether it can be used
// parameters: none
SHOW INDEXES YIELD name, state RETURN name, state
