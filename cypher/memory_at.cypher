// What stands at these (scope, path) places now, whoever owns it.
// parameters: places
UNWIND $places AS place
MATCH (m:Memory {scope: place.scope, path: place.path})
RETURN m {.scope, .path, .version, .status, .pinned, .owner, .content,
          by_hand: coalesce(m.edited_by_hand, false)} AS memory
