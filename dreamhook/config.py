"""The user's settings: config.toml, every key optional. Only the user writes it; a project cannot."""

import os
import pwd
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamhook import paths


class ConfigError(Exception):
    """config.toml cannot be used; the message says which key and why."""


@dataclass(frozen=True)
class Config:
    """What config.toml says, with the defaults filled in."""

    person: str
    """Whose memory this is. Default: the login name. `[identity] person`."""
    workspace: str | None
    """A team's shared scope, if any. `[identity] workspace`."""
    neo4j_uri: str | None
    """A store that is already running. `[neo4j] uri`; None: Docker or the embedded server."""
    neo4j_user: str
    neo4j_password_file: str | None
    model: str
    """`[dream] model`."""
    dream_hours: float
    """A dream is due this many hours after the last. `[dream] every_hours`."""
    api_key_file: str
    """`[dream] api_key_file`, read when ANTHROPIC_API_KEY is not set."""
    idle_minutes: float
    """The worker leaves after this long without a hook. `[worker] idle_minutes`."""


def load() -> Config:
    """Read config.toml. Raises ConfigError with one clear line when it is not usable."""
    file = Path(paths.config_file())
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error

    def get(table: str, key: str, kind: type | tuple[type, ...], default: Any) -> Any:
        section = raw.get(table, {})
        value = section.get(key, default) if isinstance(section, dict) else None
        if value is not default and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ConfigError(f"{file}: [{table}] {key} has the wrong type")
        return value

    return Config(
        person=get("identity", "person", str, None) or pwd.getpwuid(os.getuid()).pw_name,
        workspace=get("identity", "workspace", str, None),
        neo4j_uri=get("neo4j", "uri", str, None),
        neo4j_user=get("neo4j", "user", str, "neo4j"),
        neo4j_password_file=get("neo4j", "password_file", str, None),
        model=get("dream", "model", str, "claude-sonnet-5"),
        dream_hours=get("dream", "every_hours", (int, float), 4),
        api_key_file=get("dream", "api_key_file", str, paths.config_dir() + "/anthropic_api_key"),
        idle_minutes=get("worker", "idle_minutes", (int, float), 30),
    )
