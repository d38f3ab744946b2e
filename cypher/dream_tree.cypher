// How many current notes a person has in these scopes, and how long they are together.
// parameters: scope_keys, person
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.status = 'current' AND m.owner = $person
RETURN count(m) AS notes, coalesce(sum(size(m.content)), 0) AS size
