// This person's current notes in these scopes: pinned first, then the ones changed last.
// parameters: scope_keys, person, limit
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.status = 'current' AND m.owner = $person
RETURN m {.scope, .path, .version, .title, .description, .content, .cues, .pinned,
          by_hand: coalesce(m.edited_by_hand, false)} AS memory
ORDER BY m.pinned DESC, m.updated_at DESC, m.path
LIMIT $limit
