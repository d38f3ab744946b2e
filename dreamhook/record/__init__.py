"""From the spool into each session's linked list.

append: writes a batch of events to the end of one session's list, in one transaction.
batch: events of one session on their way into the store, with the files that may go when they are
    there.
counts: how many passed and failed, by the summaries of well-known test runners, compilers and
    linters.
drain: moves what is spooled into the store: parse → scrub → normalise → append → only then
    delete.
identify: gives an event its id, from what happened and not from when somebody wrote it down.
outcome: what a test, build or check really gave: read from a tool's recorded result, never from
    what an agent said of it.
own: knows the dream's own sessions, so that memory is never made of the making of memory.
repair: finds sessions whose list is broken, and links their events again in the order of their
    seq.
runners: which shell commands test, build or check something.
trim: keeps an event's texts to a size that a reader can use: no copies, head and tail, and the
    whole length noted.
"""
