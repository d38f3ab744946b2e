"""From the spool into each session's linked list."""
