"""Whose memories may be seen: a person's own, their workspace's, and this repository's. All others are excluded."""

from dataclasses import dataclass

from dreamhook.config import Config
from dreamhook.memory.note_file import scope_key
from dreamhook.repository import exclusion
from dreamhook.repository.checkouts import standing

NOWHERE = "nowhere:"
"""A scope that no memory has."""


@dataclass(frozen=True)
class Scopes:
    """`names` as in Memory.scope; `owner` is the person whose notes these must be (workspace notes are everybody's)."""

    names: tuple[str, ...]
    owner: str

    @property
    def keys(self) -> list[str]:
        return [scope_key(name) for name in self.names]


def permitted(settings: Config, folder: str | None) -> Scopes:
    """The scopes of a session in this folder; without a folder only those that hold everywhere.

    None at all where nothing is recorded. A checkout that must be approved first gets no repository's memories.
    """
    here = standing(folder, settings.repositories) if folder else None
    if folder and here and (not here.captured or exclusion.is_excluded(folder, exclusion.rules())):
        return Scopes((NOWHERE,), settings.person)
    names = [f"person:{settings.person}"]
    if settings.workspace:
        names.append(f"workspace:{settings.workspace}")
    if here and here.recalled:
        names.append(f"repo:{here.repository.id}")
    return Scopes(tuple(names), settings.person)
