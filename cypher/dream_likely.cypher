// This person's current notes that match the words, best first.
// parameters: query, person, limit
CALL db.index.fulltext.queryNodes('memory_text', $query) YIELD node AS m, score
WHERE m.owner = $person AND m.status = 'current'
RETURN m {.scope, .path, .version, .title, .description, .content, .cues, .pinned,
          by_hand: coalesce(m.edited_by_hand, false)} AS memory
ORDER BY score DESC
LIMIT $limit
