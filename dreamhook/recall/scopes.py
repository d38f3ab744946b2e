"""Whose memories may be seen: a person's own, their workspace's, and this repository's. All others are excluded."""

from dataclasses import dataclass

from dreamhook import repository
from dreamhook.config import Config
from dreamhook.memory import scope_key


@dataclass(frozen=True)
class Scopes:
    """`names` as in Memory.scope; `owner` is the person whose notes these must be (workspace notes are everybody's)."""

    names: tuple[str, ...]
    owner: str

    @property
    def keys(self) -> list[str]:
        return [scope_key(name) for name in self.names]


def permitted(settings: Config, folder: str | None) -> Scopes:
    """The scopes of a session in this folder; without a folder only those that hold everywhere."""
    names = [f"person:{settings.person}"]
    if settings.workspace:
        names.append(f"workspace:{settings.workspace}")
    if folder:
        names.append(f"repo:{repository.find(folder).id}")
    return Scopes(tuple(names), settings.person)
