"""The store's random password, known to the server before it first listens: there is no moment with neo4j/neo4j."""

import hashlib
import secrets
from pathlib import Path

from dreamhook import paths
from dreamhook.store import state

ROUNDS = 1024


def prepare(home: Path) -> None:
    """Make password (0600) and data/dbms/auth.ini, unless the store has been used before."""
    password = home / "password"
    initial = Path(paths.make_private(str(home / "data" / "dbms"))) / "auth.ini"
    if (home / "data" / "databases" / "system").exists():
        return
    if not password.exists():
        state.write_private(password, secrets.token_urlsafe(24) + "\n")
    state.write_private(initial, initial_login(password.read_text(encoding="ascii").strip()))


def initial_login(password: str, salt: bytes | None = None) -> str:
    """What `neo4j-admin dbms set-initial-password` writes; that program takes the password on its command line.

    SHA-256 over salt and password, then over its own result, 1024 rounds in all (5.26: SystemGraphCredential).
    """
    salt = secrets.token_bytes(32) if salt is None else salt
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{state.USER}:SHA-256,{digest.hex()},{salt.hex()},{ROUNDS}:\n"
