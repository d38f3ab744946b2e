"""`dreamhook memory edit|rm|undo|history|pin|unpin`: what a person changes about what is remembered."""

import difflib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from dreamhook.cli.store import opened
from dreamhook.memory.note_file import InvalidMemory, check_path

if TYPE_CHECKING:
    from dreamhook.config import Config
    from dreamhook.store.query import Store

_repo = click.option(
    "--repo", help="Which repository's, when more than one has this path: its name or id."
)
_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


class Place(NamedTuple):
    """A note as it is stored, and the store it is in."""

    store: "Store"
    note: dict[str, Any]
    settings: "Config"

    @property
    def person(self) -> str:
        return self.settings.person


@click.command("edit")
@click.argument("path")
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False),
    help="Take this file, open no editor.",
)
@_repo
def edit(path: str, file: str | None, repo: str | None) -> None:
    """Rewrite a note, in $EDITOR or from a file. No dream rewrites it afterwards, unless it is allowed to."""
    from dreamhook.memory import edit

    with _changing(path, repo) as place:
        note, before = place.note, as_text(place.note.get("content"))
        given = (
            Path(file).read_bytes().decode("utf-8") if file else click.edit(before, extension=".md")
        )
        if given is None or given == note.get("content"):
            click.echo("nothing was changed")
            return
        where = (place.store, place.person, note["scope"], note["path"], given, note)
        number = _or_say(note["path"], edit.put, *where, keep=given)
        click.echo(f"{note['path']}: version {number}")


@click.command("rm")
@click.argument("path")
@_repo
def rm(path: str, repo: str | None) -> None:
    """Take a note out of memory; `memory undo` brings it back, `dreamhook forget` removes it for good."""
    from dreamhook.memory import edit

    with _changing(path, repo) as place:
        _or_say(path, edit.remove, place.store, place.person, place.note)
        click.echo(
            f"{place.note['path']}: removed; `dreamhook memory undo {place.note['path']}` brings it back"
        )


@click.command("undo")
@click.argument("path")
@click.option("--to", type=int, help="The version to have again; without it, the one before.")
@_repo
def undo(path: str, to: int | None, repo: str | None) -> None:
    """Give a note the text of an earlier version, byte for byte."""
    from dreamhook.memory import edit

    with _changing(path, repo) as place:
        number = _or_say(path, edit.undo, place.store, place.person, place.note, to)
        click.echo(
            f"{place.note['path']}: version {number} is as version {to or place.note['version'] - 1} was"
        )


@click.command("history")
@click.argument("path")
@click.option("--diff", "with_diff", is_flag=True, help="With what each version changed.")
@_repo
@_json
def history(path: str, with_diff: bool, repo: str | None, as_json: bool) -> None:
    """Every version of a note, the latest first."""
    from dreamhook.memory import note_versions

    with found(path, repo) as place:
        rows = note_versions.versions(place.store, place.note["scope"], place.note["path"])
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2, default=str))
        return
    for row, older in zip(rows, [*rows[1:], None], strict=True):
        by = "by hand" if row.get("edited_by_hand") else row.get("author") or "?"
        of = {
            name: as_text(row.get(name)) for name in ("version", "updated_at", "status", "content")
        }
        click.echo(f"version {of['version']}  {of['updated_at']}  {of['status']}  {as_text(by)}")
        if with_diff:
            before = as_text(older.get("content")).splitlines() if older else []
            click.echo(
                "\n".join(
                    difflib.unified_diff(before, of["content"].splitlines(), lineterm="", n=1)
                )
            )


@click.command("pin")
@click.argument("path")
@_repo
def pin(path: str, repo: str | None) -> None:
    """Show a note in full at every session's start, and let no dream rewrite it."""
    _pin(path, repo, pinned=True)


@click.command("unpin")
@click.argument("path")
@_repo
def unpin(path: str, repo: str | None) -> None:
    """Take back `pin`."""
    _pin(path, repo, pinned=False)


COMMANDS = (edit, rm, undo, history, pin, unpin)


def _pin(path: str, repo: str | None, *, pinned: bool) -> None:
    from dreamhook.memory import note_versions

    with _changing(path, repo) as place:
        note_versions.pin(
            place.store,
            place.note["scope"],
            place.note["path"],
            place.person,
            pinned,
        )
        click.echo(f"{place.note['path']}: {'pinned' if pinned else 'no longer pinned'}")


@contextmanager
def found(path: str, repo: str | None) -> Iterator[Place]:
    """The one note at a path; a clear line when there is none, or more than one."""
    from dreamhook.memory import note_versions

    try:
        path = check_path(path)
    except InvalidMemory as error:
        raise click.ClickException(str(error)) from error
    with opened() as (store, settings):
        rows = note_versions.find(store, settings.person, path)
        yield Place(store, _one_of(rows, path, repo), settings)


@contextmanager
def _changing(path: str, repo: str | None) -> Iterator[Place]:
    """The same, to change it: what waits on disk for a session's start is made anew afterwards."""
    from dreamhook.memory import edit
    from dreamhook.recall import start_cache

    with found(path, repo) as place:
        yield place._replace(
            note=_or_say(path, edit.numbered, place.store, place.person, place.note)
        )
        start_cache.refresh(place.store, place.settings)


def _one_of(rows: list[dict[str, Any]], path: str, repo: str | None) -> dict[str, Any]:
    """The row meant by `path` and `--repo`."""
    if repo:
        rows = [row for row in rows if repo in (row["repository"], _owner_of(row))]
    if not rows:
        raise click.ClickException(f"no memory at {path}; `dreamhook memory list` names them all")
    if len(rows) > 1:
        names = ", ".join(map(_owner_of, rows))
        raise click.ClickException(f"{path} exists in {names}; choose one with --repo")
    return rows[0]


def _owner_of(row: dict[str, Any]) -> str:
    """The repository's id or the person, as the note's scope names it."""
    return as_text(row.get("scope")).removeprefix("repo:")


def as_text(value: Any) -> str:
    """A property of a note for people: whatever type somebody's query left in the store."""
    return "" if value is None else str(value)


def _or_say(path: str, work: Any, *arguments: Any, keep: str = "", **more: Any) -> Any:
    """A refusal as one line; what was typed is kept in a file, not lost."""
    from dreamhook.memory.edit import Refused

    try:
        return work(*arguments, **more)
    except Refused as error:
        kept = ""
        if keep and sys.stdin.isatty():
            copy = Path(path.replace("/", "-") + ".rejected")
            copy.write_text(keep, encoding="utf-8")
            kept = f"; your text is in {copy}"
        raise click.ClickException(f"{path}: {error}{kept}") from error
