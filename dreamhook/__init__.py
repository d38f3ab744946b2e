"""One memory under every coding agent, that its user owns.

config: every setting of config.toml in one table: `load()`, the installer's file and README's
    list are made from it.
dreamed: how the dream stands, for `status`: the last one and its cost, what a day has cost, what
    waits, what is parked.
event: the normalised event: what happened, the same for every harness.
files: puts a file in place as a whole: a reader sees the old one or the new one, never a part,
    and writers never mix.
paths: where everything lies: each folder and each file of an installation has its name here and
    nowhere else.
since: what a person may say for a time: a date, a moment, or how long ago.
times: the one form of a moment in the store: ISO 8601 in UTC with microseconds, so that order as
    text is order in time.
"""

__version__ = "0.1.0"
