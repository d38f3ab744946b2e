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
class DreamConfig:
    """How a dream asks and how much it may spend. Each field is the key of the same name in `[dream]`."""

    backend: str = "auto"
    """`auto` (the API when there is a key, else `claude` when `claude_cli` allows it), `api`, `batch` or `claude`."""
    claude_cli: bool = False
    """Whether `auto` may ask through the `claude` on PATH, at the price of its subscription."""
    idle_minutes: float = 20
    """A session that has not ended is left until it was silent this long."""
    calls_per_run: int = 20
    tokens_per_run: int = 1_000_000
    tokens_per_day: int = 3_000_000
    """Input and output, per UTC day; kept in the store, so that a restart does not reset it."""
    minutes_per_run: float = 30
    """No further request is begun after this long."""


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
    dream: "DreamConfig"
    """The rest of `[dream]`."""
    idle_minutes: float
    """The worker leaves after this long without a hook. `[worker] idle_minutes`."""
    repositories: str = "auto"
    """Whether a checkout never seen before may count as the repository it names: `auto`, or `strict`: not before
    `dreamhook repo approve`. `[repositories] policy`."""
    exclude: tuple[str, ...] = ()
    """Folders and files that nothing is recorded of, e.g. `~/private/**`. `[capture] exclude`."""
    output_characters: int = 20_000
    """Of a longer tool input or output, head and tail are kept. `[capture] output_characters`."""
    subagents: bool = False
    """Whether a subagent is told the start block, as a session is. `[recall] subagents`."""
    semantic: bool = False
    """Whether notes are also compared by meaning, with the embedding model of the extra `semantic`.
    `[recall] semantic`."""
    spool_mb: int = 512
    spool_files: int = 100_000
    """What may wait for a store that is away; beyond it, events are kept without their bodies. `[spool] max_mb`,
    `max_files`."""
    spool_days: float = 30
    """An event that could not be uploaded for so long is set aside, compressed. `[spool] keep_days`."""


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

    policy = get("repositories", "policy", str, "auto")
    if policy not in ("auto", "strict"):
        raise ConfigError(f'{file}: [repositories] policy is "auto" or "strict"')
    exclude = get("capture", "exclude", list, [])
    if not all(isinstance(pattern, str) and pattern.strip() for pattern in exclude):
        raise ConfigError(f"{file}: [capture] exclude is a list of paths")
    characters = get("capture", "output_characters", int, 20_000)
    if characters < 200:
        raise ConfigError(f"{file}: [capture] output_characters is at least 200")
    return Config(
        person=get("identity", "person", str, None) or pwd.getpwuid(os.getuid()).pw_name,
        workspace=get("identity", "workspace", str, None),
        neo4j_uri=get("neo4j", "uri", str, None),
        neo4j_user=get("neo4j", "user", str, "neo4j"),
        neo4j_password_file=get("neo4j", "password_file", str, None),
        model=get("dream", "model", str, "claude-sonnet-5"),
        dream_hours=get("dream", "every_hours", (int, float), 4),
        api_key_file=get("dream", "api_key_file", str, paths.config_dir() + "/anthropic_api_key"),
        dream=DreamConfig(
            backend=_one_of(
                file, get("dream", "backend", str, "auto"), ("auto", "api", "batch", "claude")
            ),
            claude_cli=_yes(file, raw, "dream", "claude_cli"),
            idle_minutes=get("dream", "idle_minutes", (int, float), 20),
            calls_per_run=get("dream", "calls_per_run", int, 20),
            tokens_per_run=get("dream", "tokens_per_run", int, 1_000_000),
            tokens_per_day=get("dream", "tokens_per_day", int, 3_000_000),
            minutes_per_run=get("dream", "minutes_per_run", (int, float), 30),
        ),
        idle_minutes=get("worker", "idle_minutes", (int, float), 30),
        repositories=policy,
        exclude=tuple(exclude),
        output_characters=characters,
        subagents=_yes(file, raw, "recall", "subagents"),
        semantic=_yes(file, raw, "recall", "semantic"),
        spool_mb=get("spool", "max_mb", int, 512),
        spool_files=get("spool", "max_files", int, 100_000),
        spool_days=get("spool", "keep_days", (int, float), 30),
    )


def _one_of(file: Path, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ConfigError(f"{file}: [dream] backend is one of {', '.join(allowed)}")
    return value


def _yes(file: Path, raw: dict[str, Any], table: str, key: str) -> bool:
    section = raw.get(table, {})
    value = section.get(key, False) if isinstance(section, dict) else None
    if not isinstance(value, bool):
        raise ConfigError(f"{file}: [{table}] {key} is true or false")
    return value
