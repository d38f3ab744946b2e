"""Notes: their file format, their versions in the store, and how a person changes them.

edit: a person's own changes of their notes: written, removed, taken back; always a new version,
    the old one kept.
folder: all notes of a person as a folder of markdown files, and such a folder as notes: byte for
    byte both ways.
index_words: the words inside a note's identifiers, which the index knows as one word each:
    `flush_ledger_queue`, `app.py`.
note_file: what a memory is: a markdown file with YAML front matter, at a path that decides its
    scope.
note_versions: memories in Neo4j: written as versions, read for people.
"""
