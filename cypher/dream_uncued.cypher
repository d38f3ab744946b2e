// This person's short notes in these scopes that nobody has given cues yet, oldest first.
// parameters: scope_keys, person, limit, size
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.status = 'current' AND m.owner = $person
  AND size(coalesce(m.cues, [])) = 0 AND size(m.content) <= $size
RETURN m {.scope, .path, .version, .title, .description, .content, .cues, .pinned,
          by_hand: coalesce(m.edited_by_hand, false)} AS memory
ORDER BY m.updated_at, m.path
LIMIT $limit
