"""The durable queue between the hooks and the store: both of its ends.

quota: keeps the spool within bounds: its quota, what dead writers left, what could not be
    uploaded for too long.
reader: the durable queue's reading end: list, parse, delete, set aside.
reduce: makes a payload smaller so that what is kept still parses.
writer: the durable queue's writing end: one file per event, in the manner of a maildir.
"""
