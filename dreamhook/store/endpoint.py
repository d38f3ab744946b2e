"""Where the store is, and the one error that says it cannot be used."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from dreamhook import config

Kind = Literal["given", "embedded"]


class StoreUnavailable(Exception):
    """The store cannot be used now. The message is one line: what happened, what was kept, what to do."""


@dataclass(frozen=True)
class Endpoint:
    """All that is needed to open a connection."""

    kind: Kind
    uri: str
    user: str
    password: str = field(repr=False)
    password_file: str | None = None
    http_url: str | None = None
    """Neo4j Browser, for the store we start."""
    database: str | None = None
    """None: the user's home database, which is right everywhere but where a team gave another."""


def given() -> Endpoint | None:
    """The store the user named: NEO4J_* in the environment, else `[neo4j]` of config.toml. Raises StoreUnavailable."""
    settings = config.load()
    uri = os.environ.get("NEO4J_URI") or settings.neo4j_uri
    if not uri:
        return None
    password, file = os.environ.get("NEO4J_PASSWORD"), settings.neo4j_password_file
    if password is None and file is None:
        raise StoreUnavailable(
            f"no password for {uri}; set NEO4J_PASSWORD or [neo4j] password_file in config.toml"
        )
    user = os.environ.get("NEO4J_USER") or os.environ.get("NEO4J_USERNAME") or settings.neo4j_user
    return Endpoint(
        kind="given",
        uri=uri,
        user=user,
        password=password if password is not None else read_password(str(file)),
        password_file=file if password is None else None,
        database=os.environ.get("NEO4J_DATABASE") or None,
    )


def read_password(file: str) -> str:
    """The first line of a password file. Raises StoreUnavailable when there is none to read."""
    try:
        password = Path(file).expanduser().read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StoreUnavailable(
            f"the store's password file {file} cannot be read ({error}); restore it"
        ) from error
    if not password:
        raise StoreUnavailable(f"the store's password file {file} is empty; restore it")
    return password
