"""Secrets are replaced before anything is written down.

judge: is what stands next to a secret's name a secret? Told apart from code, prose, placeholders
    and settings about secrets.
key: the installation's own key: with it, equal secrets leave equal marks, and no mark can be
    guessed back.
literals: could these bytes hold a secret? Asked by every hook, so builtins only: no `re`, no
    `json`.
rules: the table of secrets: kind, literals, pattern, sample.
scrub: replaces secrets: in a text, in a parsed value, in a raw payload.
secret_files: whole-body rule: what a tool reads from, or writes to, a file that exists to hold
    secrets is never kept.
"""
