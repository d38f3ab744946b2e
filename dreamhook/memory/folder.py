"""All notes of a person as a folder of markdown files, and such a folder as notes: byte for byte both ways.

profile/…  tools/…                        what holds everywhere
repositories/<repository id>/project/…    what holds in one repository
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamhook.memory import edit, note_file
from dreamhook.memory.edit import Refused
from dreamhook.memory.note_file import InvalidMemory
from dreamhook.store.query import Store

REPOSITORIES = "repositories"


@dataclass(frozen=True)
class Read:
    """What became of one file: `written`, or `made`, `changed`, `same`; or `refused`, with the reason."""

    file: Path
    outcome: str
    why: str = ""


def write(store: Store, person: str, folder: Path) -> list[Read]:
    """Write every current note; one that is damaged in the store is left out alone, its place told as it is there.

    Raises FileExistsError, with nothing written, when the folder has anything in it.
    """
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty")
    done = []
    for row in _notes(store, person):
        try:
            file, content = folder / _file(row), _content(row)
        except (Refused, InvalidMemory) as error:
            done.append(Read(Path(str(row["path"])), "refused", str(error)))
            continue
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        file.write_bytes(content)
        done.append(Read(file, "written"))
    return done


def read(store: Store, person: str, folder: Path) -> Iterator[Read]:
    """Take over every .md file; one that cannot be is refused alone. A note that has no file stays as it is."""
    kept = _notes(store, person, gone=True)
    standing = {(str(row["scope"]), str(row["path"])): row for row in kept}
    for file in sorted(one for one in folder.rglob("*") if one.suffix.lower() == ".md"):
        try:
            yield Read(file, _take(store, person, folder, file, standing))
        except (Refused, InvalidMemory) as error:
            yield Read(file, "refused", str(error))
        except UnicodeDecodeError:
            yield Read(file, "refused", "it is not UTF-8")
        except OSError as error:
            yield Read(file, "refused", str(error.strerror))


def _take(
    store: Store,
    person: str,
    folder: Path,
    file: Path,
    standing: dict[tuple[str, str], dict[str, Any]],
) -> str:
    scope, path = _place(person, file.relative_to(folder))
    if file.is_symlink():
        raise Refused("it is a link")
    content = file.read_bytes().decode("utf-8")
    old = standing.get((scope, path))
    if old and old["status"] == "current" and old["content"] == content:
        return "same"
    edit.put(store, person, scope, path, content, old)
    return "changed" if old else "made"


def _file(row: dict[str, Any]) -> Path:
    """Where in the folder a stored note goes. Raises Refused and InvalidMemory: its place may be anything."""
    scope, path = row["scope"], row["path"]
    if not isinstance(scope, str) or not isinstance(path, str):
        raise Refused("its scope or path is damaged in the store")
    note_file.check_path(path)
    if not scope.startswith("repo:"):
        return Path(path)
    repository = scope.removeprefix("repo:")
    if repository in ("", ".", "..") or "/" in repository or "\0" in repository:
        raise Refused("its scope is damaged in the store")
    return Path(REPOSITORIES, repository, path)


def _content(row: dict[str, Any]) -> bytes:
    if not isinstance(row["content"], str):
        raise Refused("its text is damaged in the store")
    return row["content"].encode("utf-8")


def _place(person: str, file: Path) -> tuple[str, str]:
    """(scope, path) of a file in the folder. Raises Refused and InvalidMemory."""
    parts = list(file.parts)
    repository = ""
    if parts[0] == REPOSITORIES and len(parts) > 3:
        repository, parts = parts[1], parts[2:]
    path = note_file.check_path("/".join(parts))
    if path.startswith("project/") != bool(repository):
        raise Refused(f"project/ notes lie under {REPOSITORIES}/<repository id>/, and no others do")
    return note_file.scope_of(path, person, repository), path


def _notes(store: Store, person: str, gone: bool = False) -> list[dict[str, Any]]:
    return [row["memory"] for row in store.read("memory_all", person=person, gone=gone)]
