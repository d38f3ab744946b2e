"""Taking something out of the record for good: in the store, in local files, and for what comes later.

local_files: what lies on this machine's disk of what a person wants forgotten: queue, answers
    kept for later, log.
plan: forgetting: what a person names is gone from events, memories, their versions and the queue,
    and stays gone.
tombstones: remembers that a text was forgotten, without remembering the text.
"""
