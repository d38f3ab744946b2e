// a person's events that meet every condition given; null means any
// parameters: person, session, repository, path, before, after, since, match
MATCH (e:Event)
WHERE e.person = $person
  AND ($session IS NULL OR e.session_id = $session OR e.session_id STARTS WITH $session + '/')
  AND ($repository IS NULL OR e.repository = $repository)
  AND ($since IS NULL OR e.timestamp >= $since)
  AND ($path IS NULL
    OR e.cwd = $path OR e.cwd STARTS WITH $path + '/'
    OR any(end IN $after WHERE e.tool_input CONTAINS $path + end OR e.details CONTAINS $path + end
      OR ($path STARTS WITH e.cwd + '/' AND any(start IN $before WHERE
        e.tool_input CONTAINS start + substring($path, size(e.cwd) + 1) + end))))
  AND ($match IS NULL OR any(key IN keys(e) WHERE any(text IN $match WHERE toLower(toStringOrNull(e[key])) CONTAINS text)))
RETURN e.event_id AS event_id, e.client AS client, e.session_id AS session_id, e.repository AS repository,
       e.timestamp AS timestamp
ORDER BY e.seq
