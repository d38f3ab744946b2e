"""Writes the first config.toml, with every key explained; never one that is there."""

import json
import os
import pwd
from pathlib import Path

from dreamhook import paths
from dreamhook.install import backups
from dreamhook.install.backups import Change

TEXT = """\
# dreamhook's settings. Every key is optional; a line that is commented out shows the default.

[identity]
# Whose memory this is.
person = {person}
# A scope that a team shares.
# workspace = "team"

[neo4j]
# A Neo4j that is already running, such as "neo4j+s://….databases.neo4j.io".
# Without a uri dreamhook runs one of its own on this machine.
{store}

[dream]
# A dream is due this many hours after the last.
# every_hours = 4
# model = "claude-sonnet-5"
# Read when ANTHROPIC_API_KEY is not set: a timer does not have your shell's variables.
# api_key_file = {key_file}

[recall]
# Whether a subagent is told what a session is told at its start.
# subagents = false
# Whether notes are also compared by meaning; ./install.sh --semantic installs what that needs (about 210 MB).
{semantic}

[worker]
# The resident process leaves after this long without a hook.
# idle_minutes = 30
"""
NO_STORE = """\
# uri = "neo4j://localhost:7687"
# user = "neo4j"
# password_file = {file}"""
GIVEN_STORE = """\
uri = {uri}
user = {user}
password_file = {file}"""


def plan(semantic: bool = False) -> list[Change]:
    """config.toml, and the password's file when a store was named in NEO4J_URI; nothing when there is a config.toml."""
    file = Path(paths.config_file())
    if backups.read(file) is not None:
        return []
    uri, password_file = os.environ.get("NEO4J_URI"), _password_file()
    user = os.environ.get("NEO4J_USER") or os.environ.get("NEO4J_USERNAME") or "neo4j"
    store = GIVEN_STORE if uri else NO_STORE
    text = TEXT.format(
        person=_quoted(pwd.getpwuid(os.getuid()).pw_name),
        store=store.format(
            uri=_quoted(uri or ""), user=_quoted(user), file=_quoted(str(password_file))
        ),
        semantic="semantic = true" if semantic else "# semantic = false",
        key_file=_quoted(paths.config_dir() + "/anthropic_api_key"),
    )
    return [Change(file, None, text.encode("utf-8"))]


def carry_out(changes: list[Change]) -> None:
    """Write them, and with a given store its password into a file of mode 0600. Raises Refused."""
    password = os.environ.get("NEO4J_PASSWORD")
    if changes and os.environ.get("NEO4J_URI") and password:
        secret = _password_file()
        backups.apply(Change(secret, backups.read(secret), password.encode("utf-8") + b"\n"))
    for change in changes:
        backups.apply(change)


def unwritten_store() -> str | None:
    """A NEO4J_URI of this shell that an existing config.toml does not name: the worker would not find it later."""
    from dreamhook import config

    uri = os.environ.get("NEO4J_URI")
    return uri if uri and config.load().neo4j_uri != uri else None


def _password_file() -> Path:
    return Path(paths.config_dir(), "neo4j_password")


def _quoted(text: str) -> str:
    """A TOML string: JSON's escapes are TOML's."""
    return json.dumps(text, ensure_ascii=False)
