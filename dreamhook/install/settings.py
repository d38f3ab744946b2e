"""Registers the hooks in a harness's settings file and takes them out: what changes, and making it so."""

import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamhook import harness
from dreamhook.install import backups, entries, json_hooks, manifest, toml_hooks
from dreamhook.install.backups import Change
from dreamhook.install.entries import Refused
from dreamhook.install.manifest import Record

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Plan:
    """One settings file and what is to become of it."""

    client: str
    change: Change
    said: str
    """For people: what is done to the file."""


def folder(client: str) -> Path:
    """Where a harness keeps its settings."""
    place = harness.get(client).SETTINGS
    return Path(os.environ.get(place["variable"]) or os.path.expanduser(place["folder"]))


def detected(client: str) -> bool:
    """Whether the harness seems to be here: its settings folder exists, or a program named like it is on PATH."""
    name = Path(harness.get(client).SETTINGS["folder"]).name.lstrip(".")
    return folder(client).is_dir() or shutil.which(name) is not None


def located(client: str) -> Path:
    """The file to register in: the one that has our entries; else the one the user's own hooks are in."""
    file, *tables = _candidates(client)
    for candidate in (file, *tables):
        if _holds_own(client, candidate, all_events=False):
            return candidate
    return next((table for table in tables if not file.exists() and _has_hook_tables(table)), file)


def installed(client: str) -> bool:
    """Whether every event we want from a harness is registered. False for settings that cannot be read."""
    return _holds_own(client, located(client), all_events=True)


def registered(client: str) -> dict[str, list[Any]] | None:
    """event → entries, everybody's, of the file our entries are in; None when they are in none."""
    return _data(client, located(client)).get("hooks") if installed(client) else None


def obstacles(client: str) -> list[str]:
    """Settings of the user's that keep hooks from running; we say so and leave them."""
    found = []
    for name, (path, off) in harness.get(client).SETTINGS.get("switches", {}).items():
        file = folder(client) / name
        value: Any = _data(client, file)
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is off:
            found.append(f"{file}: {path} = {str(value).lower()} keeps all hooks from running")
    return found


def plan_install(client: str) -> Plan:
    """What registering would do to the settings file. Refused, with the file's name, when it cannot be done."""
    file = located(client)
    with _named(file):
        before = backups.read(file)
        text, mark = _decode(client, before)
        editor = toml_hooks if file.suffix == ".toml" else json_hooks
        merged = editor.merge(text, entries.fragment(client), _wrappers(client, file))
        after = before if merged == text and before is not None else mark + merged.encode("utf-8")
    change = Change(file, before, after)
    return Plan(
        client,
        change,
        "unchanged" if not change.needed else "added to" if before is not None else "created",
    )


def plan_removal(client: str) -> list[Plan]:
    """What taking our entries out would do, for each file that has or had some."""
    records = manifest.read()
    candidates = [file for file, record in records.items() if record["client"] == client]
    candidates += map(str, _candidates(client))
    plans = []
    for file in map(Path, dict.fromkeys(candidates)):
        record = records.get(str(file))
        if record or _holds_own(client, file, all_events=False):
            plans.append(_removal(client, file, record))
    return plans


def to_be_trusted_again(plan: Plan) -> int:
    """How many hooks of others stand behind ours, where a harness trusts a hook by its position."""
    if not harness.get(plan.client).SETTINGS.get("trusts_by_position") or not plan.change.needed:
        return 0
    hooks = _parse(plan.client, plan.change.file, plan.change.before or b"").get("hooks", {})
    return entries.shifts_others(hooks, _wrappers(plan.client, plan.change.file))


def carry_out_install(plan: Plan) -> None:
    """Make the planned change, with a backup and a record. Refused when the file cannot be changed."""
    records = manifest.read()
    file, before, after = plan.change.file, plan.change.before, plan.change.after
    record = records.get(str(file))
    if not plan.change.needed and record:
        return
    with _named(file):
        original = record["original"] if record else None
        if not record or backups.digest(before) != record["sha256_after"]:
            original = (
                None
                if before is None
                else backups.back_up(_label(plan), _without_own(plan.client, file, before))
            )
        if (
            before is not None
            and plan.change.needed
            and (not original or Path(original).read_bytes() != before)
        ):
            backups.back_up(_label(plan), before)
        made = backups.apply(plan.change)
        records[str(file)] = Record(
            client=plan.client,
            wrapper=entries.wrapper(plan.client),
            original=original,
            sha256_before=backups.digest(before),
            sha256_after=backups.digest(after) or "",
            folders=made or (record["folders"] if record else []),
        )
        manifest.write(records)


def carry_out_removal(plan: Plan) -> None:
    """Make the planned change, with a backup; remove folders we made when they are empty; forget the record."""
    records = manifest.read()
    file = plan.change.file
    with _named(file):
        if plan.change.needed and plan.change.before is not None:
            backups.back_up(_label(plan), plan.change.before)
            backups.apply(plan.change)
    record = records.pop(str(file), None)
    for made in record["folders"] if record else []:
        try:
            os.rmdir(made)
        except OSError:
            break  # somebody keeps something there by now
    manifest.write(records)


def _candidates(client: str) -> list[Path]:
    """The file that a harness reads its hooks from, and the one that may hold them instead."""
    settings = harness.get(client).SETTINGS
    names = [settings["file"]] + ([settings["table"]] if "table" in settings else [])
    return [folder(client) / name for name in names]


def _removal(client: str, file: Path, record: Record | None) -> Plan:
    with _named(file):
        before = backups.read(file)
        if before is None:
            return Plan(client, Change(file, None, None), "is gone already")
        if record and backups.digest(before) == record["sha256_after"]:
            original = Path(record["original"]) if record["original"] else None
            if original is None or original.exists():
                after = original.read_bytes() if original else None
                return Plan(
                    client,
                    Change(file, before, after),
                    "put back as it was" if original else "removed",
                )
        after = _without_own(client, file, before)
        if record and record["original"] is None and not _parse(client, file, after):
            return Plan(client, Change(file, before, None), "removed")
        return Plan(client, Change(file, before, after), "rid of our entries, later changes kept")


def _without_own(client: str, file: Path, content: bytes) -> bytes:
    record = manifest.read().get(str(file))
    text, mark = _decode(client, content)
    if file.suffix == ".toml":
        return toml_hooks.strip(text, _wrappers(client, file)).encode("utf-8")
    original: dict[str, Any] = {}
    if record and record["original"] and Path(record["original"]).exists():
        original = _parse(client, file, Path(record["original"]).read_bytes())
    return mark + json_hooks.strip(text, _wrappers(client, file), original).encode("utf-8")


def _wrappers(client: str, file: Path) -> set[str]:
    """Ours, and those of an earlier checkout that this configuration folder was installed from."""
    record = manifest.read().get(str(file))
    return {entries.wrapper(client)} | ({record["wrapper"]} if record else set())


def _decode(client: str, content: bytes | None) -> tuple[str, bytes]:
    """(text, byte order mark)."""
    mark = BOM if content and content.startswith(BOM) else b""
    if mark and harness.get(client).SETTINGS.get("refuses_byte_order_mark"):
        raise Refused(
            "begins with a byte order mark, which this harness rejects: save it as UTF-8 without one",
            1,
        )
    body = (content or b"")[len(mark) :]
    try:
        return body.decode("utf-8"), mark
    except UnicodeDecodeError as error:
        raise Refused("is not UTF-8", body.count(b"\n", 0, error.start) + 1) from None


def _parse(client: str, file: Path, content: bytes) -> dict[str, Any]:
    text, _ = _decode(client, content)
    return toml_hooks.parse(text) if file.suffix == ".toml" else json_hooks.parse(text)


def _data(client: str, file: Path) -> dict[str, Any]:
    """What is in a file; nothing when it cannot be used."""
    try:
        return _parse(client, file, backups.read(file) or b"")
    except Refused:
        return {}


def _holds_own(client: str, file: Path, all_events: bool) -> bool:
    hooks = _data(client, file).get("hooks", {})
    wrappers = _wrappers(client, file)
    if all_events:
        return all(
            entries.holds_own(hooks.get(event), wrappers)
            for event in entries.fragment(client)["hooks"]
        )
    return any(entries.holds_own(listed, wrappers) for listed in hooks.values())


def _has_hook_tables(file: Path) -> bool:
    try:
        return bool(toml_hooks.events(tomllib.loads(file.read_text(encoding="utf-8"))))
    except (OSError, ValueError):
        return False


def _label(plan: Plan) -> str:
    return f"{plan.client}-{plan.change.file.name}"


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Puts the file's name and line in front of a refusal."""
    try:
        yield
    except Refused as error:
        raise Refused(f"{file}{f':{error.line}' if error.line else ''}: {error}") from None
