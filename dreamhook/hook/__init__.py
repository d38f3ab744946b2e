"""What runs inside a harness: only light imports, only the local disk and one local socket.

cached_start: the last session-start answer per harness and folder, kept on disk for when the
    worker is away.
consent: what a hook was told: its command line, read by hand, and the person's switches, each no
    more than a `stat`.
inject: the recalling hook: stdin → the worker's socket → stdout.
log: one line in the log when a hook could not do its work: what and where, never a prompt's text.
log_event: the recording hook: stdin → scrub on suspicion → spool → ring the worker.
notify: rings the worker's bell, and starts a worker when nobody listens.
payload: what a hook knows of a payload without parsing it, by the names that its harness's
    wrapper gave (consent.py).
settled: which conversations need no question after a tool: they were told, or there is nothing to
    tell them.
stdin: reads the payload, even from a harness that never closes its end.
"""
