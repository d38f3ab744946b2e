"""From the store back into a session: blocks of memory, or nothing."""
