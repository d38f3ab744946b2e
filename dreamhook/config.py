"""Every setting of config.toml in one table: `load()`, the installer's file and README's list are made from it.

Only the user writes config.toml; a project cannot. Every key is optional. A key that is not in the table, or a value
that is not allowed, is refused with one line: a mistyped `exclude` must not record what somebody meant to keep out.
"""

import os
import pwd
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from dreamhook import paths

SECTIONS = ("identity", "neo4j", "dream", "recall", "capture", "repositories", "spool", "worker")


class ConfigError(Exception):
    """config.toml cannot be used; the message says which file, which key and what is allowed."""


@dataclass(frozen=True)
class Setting:
    """One key of config.toml. `example` stands in the installer's file where the default is to have none, and
    `default_in_words` in README where the default differs from person to person."""

    section: str
    key: str
    default: Any
    sentence: str
    choices: tuple[str, ...] = ()
    least: float = 0
    example: str = ""
    default_in_words: str = ""
    kind: Any = None
    name: str = ""
    """The field of Config or DreamConfig that holds it."""

    def allowed(self) -> str:
        """What its value may be, in words."""
        if self.choices:
            return "one of " + ", ".join(f'"{choice}"' for choice in self.choices)
        words = {
            bool: "true or false",
            int: f"a whole number of at least {self.least:g}",
            float: f"a number of at least {self.least:g}",
            tuple[str, ...]: "a list of paths in quotes",
        }
        return words.get(self.kind, "a text in quotes")

    def shown(self) -> Any:
        """The value that the installer's file shows: the default, or an example where there is none."""
        default = self.default() if callable(self.default) else self.default
        return self.example if default is None else default

    def permits(self, value: Any) -> bool:
        if self.kind is bool:
            return isinstance(value, bool)
        if self.kind in (int, float):
            number = (int, float) if self.kind is float else int
            return not isinstance(value, bool) and isinstance(value, number) and value >= self.least
        if self.kind == tuple[str, ...]:
            return isinstance(value, list) and all(isinstance(v, str) and v.strip() for v in value)
        return isinstance(value, str) and (not self.choices or value in self.choices)


def login_name() -> str:
    """In a container a user may have no entry in the list of users."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return os.environ.get("USER") or str(os.getuid())


def default_key_file() -> str:
    return paths.config_file(paths.ANTHROPIC_KEY)


def _setting(section: str, key: str, default: Any, sentence: str, **more: Any) -> Any:
    """A field of Config or DreamConfig; a default that is a function is called at each load."""
    kept = {"setting": Setting(section, key, default, sentence, **more)}
    if callable(default):
        return field(default_factory=default, metadata=kept)
    return field(default=default, metadata=kept)


# fmt: off
@dataclass(frozen=True)
class DreamConfig:
    """How a dream asks and how much it may spend."""

    backend: str = _setting(
        "dream", "backend", "auto",
        "How Claude is asked: through the API (`api`), its batches at half the price (`batch`), the `claude` on PATH "
        "(`claude`), or `auto`: the API when there is a key, else `claude` where claude_cli allows it.",
        choices=("auto", "api", "batch", "claude"),
    )
    claude_cli: bool = _setting(
        "dream", "claude_cli", False,
        "Whether `auto` may ask through the `claude` on PATH, at the price of its subscription.",
    )
    idle_minutes: float = _setting(
        "dream", "idle_minutes", 20,
        "A session that has not ended is left alone until it was silent this long.",
    )
    calls_per_run: int = _setting(
        "dream", "calls_per_run", 20, "Requests that one dream may send.",
    )
    tokens_per_run: int = _setting(
        "dream", "tokens_per_run", 1_000_000, "Tokens, input and output, that one dream may use."
    )
    tokens_per_day: int = _setting(
        "dream", "tokens_per_day", 3_000_000,
        "The same per UTC day; counted in the store, so that a restart does not reset it.",
    )
    minutes_per_run: float = _setting(
        "dream", "minutes_per_run", 30, "A dream begins no further request after this long."
    )


@dataclass(frozen=True)
class Config:
    """What config.toml says, with the defaults filled in."""

    person: str = _setting(
        "identity", "person", login_name, "Whose memory this is.",
        default_in_words="your login name",
    )
    workspace: str | None = _setting(
        "identity", "workspace", None, "The name of a scope that a team shares.", example="team"
    )
    neo4j_uri: str | None = _setting(
        "neo4j", "uri", None,
        "A Neo4j that is already running, such as `neo4j+s://….databases.neo4j.io`; without it dreamhook runs one of "
        "its own on this machine.",
        example="neo4j://localhost:7687",
    )
    neo4j_user: str = _setting("neo4j", "user", "neo4j", "The user to log in with at that Neo4j.")
    neo4j_password_file: str | None = _setting(
        "neo4j", "password_file", None, "A file that holds that user's password and nothing else.",
        example="~/.config/dreamhook/neo4j_password",
    )
    dream_hours: float = _setting(
        "dream", "every_hours", 4, "A dream is due this many hours after the last."
    )
    model: str = _setting("dream", "model", "claude-sonnet-5", "The model that dreams.")
    api_key_file: str = _setting(
        "dream", "api_key_file", default_key_file,
        "Read when ANTHROPIC_API_KEY is not set: a timer does not have your shell's variables.",
        default_in_words="`~/.config/dreamhook/anthropic_api_key`",
    )
    dream: DreamConfig = field(default_factory=DreamConfig)
    """The rest of `[dream]`."""
    subagents: bool = _setting(
        "recall", "subagents", False,
        "Whether a subagent is told what a session is told at its start.",
    )
    semantic: bool = _setting(
        "recall", "semantic", False,
        "Whether notes are also compared by meaning; `./install.sh --semantic` installs what that needs "
        "(about 210 MB).",
    )
    exclude: tuple[str, ...] = _setting(
        "capture", "exclude", (),
        "Folders and files that nothing is recorded of, such as `~/private/**`.",
    )
    output_characters: int = _setting(
        "capture", "output_characters", 20_000,
        "Of a tool's input or output that is longer, head and tail are kept.", least=200,
    )
    repositories: str = _setting(
        "repositories", "policy", "auto",
        "Whether a checkout never seen before counts as the repository that it names: `auto` is yes, `strict` not "
        "before `dreamhook repo approve`.",
        choices=("auto", "strict"),
    )
    spool_mb: int = _setting(
        "spool", "max_mb", 512,
        "Megabytes that may wait for a store that is away; beyond it, events are kept without their bodies.",
    )
    spool_files: int = _setting(
        "spool", "max_files", 100_000, "The same in events, each of them a file."
    )
    spool_days: float = _setting(
        "spool", "keep_days", 30,
        "An event that could not be uploaded for this many days is set aside, compressed.",
    )
    idle_minutes: float = _setting(
        "worker", "idle_minutes", 30, "The resident process leaves after this long without a hook."
    )


# fmt: on
def table(of: type[Any]) -> list[Setting]:
    """The settings that are fields of one record."""
    return [
        replace(each.metadata["setting"], kind=each.type, name=each.name)
        for each in fields(of)
        if "setting" in each.metadata
    ]


SETTINGS = sorted(
    table(Config) + table(DreamConfig), key=lambda setting: SECTIONS.index(setting.section)
)
"""The whole table, in the order in which the file and README show it."""


def load() -> Config:
    """Read config.toml. Raises ConfigError with one clear line when it is not usable."""
    file = Path(paths.config_file())
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from error
    try:
        _refuse_unknown(raw)
        return Config(**_values(Config, raw), dream=DreamConfig(**_values(DreamConfig, raw)))
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None


def _refuse_unknown(raw: dict[str, Any]) -> None:
    known: dict[str, list[str]] = {}
    for setting in SETTINGS:
        known.setdefault(setting.section, []).append(setting.key)
    for section, content in raw.items():
        if section not in known:
            raise ConfigError(f"there is no [{section}]; the sections are {', '.join(known)}")
        if not isinstance(content, dict):
            raise ConfigError(f"{section} is a section; write [{section}] and its settings below")
        for key in content:
            if key not in known[section]:
                raise ConfigError(
                    f"[{section}] has no {key}; its settings are {', '.join(known[section])}"
                )


def _values(of: type[Any], raw: dict[str, Any]) -> dict[str, Any]:
    """What the file says of one record's fields. An empty text counts as not written."""
    values: dict[str, Any] = {}
    for setting in table(of):
        if setting.key not in (section := raw.get(setting.section, {})):
            continue
        value = section[setting.key]
        if not setting.permits(value):
            raise ConfigError(f"[{setting.section}] {setting.key} is {setting.allowed()}")
        if value != "":
            values[setting.name] = tuple(value) if isinstance(value, list) else value
    return values
