"""Notes: their file format, their versions in the store, and how a person changes them."""
