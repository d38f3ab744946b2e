"""A memory as recall shows it, read from a store that anybody may have edited."""

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Memory:
    """`content` is None when only its catalogue line is needed."""

    scope: str
    path: str
    title: str
    description: str
    version: int
    review_by: str | None
    """YYYY-MM-DD, as all dates here."""
    evidence_notes: list[str]
    cues: list[str]
    content: str | None
    pinned: bool = False
    dreamed: str | None = None
    """When a dream last wrote it."""
    expires: str | None = None
    given: bool = False
    """This version stands in the conversation already."""
    own: bool = False
    """It stems from the conversation."""

    @property
    def key(self) -> tuple[str, str]:
        """Which note it is; there are versions of it, and rows with more or less of it."""
        return self.scope, self.path


def from_record(record: dict[str, Any]) -> Memory:
    """A row of recall_*.cypher; a note that lacks a property, or has one of another type, is still a note."""
    content = record.get("content")
    return Memory(
        scope=_text(record.get("scope")),
        path=_text(record.get("path")),
        title=_text(record.get("title")) or _text(record.get("path")),
        description=_text(record.get("description")),
        version=version if isinstance(version := record.get("version"), int) else 0,
        review_by=_date(record.get("review_by")),
        evidence_notes=_texts(record.get("evidence_notes")),
        cues=_texts(record.get("cues")),
        content=None if content is None else _text(content),
        pinned=record.get("pinned") is True,
        dreamed=_date(record.get("dreamed")),
        expires=_date(record.get("expires")),
        given=record.get("given") is True,
        own=record.get("own") is True,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _date(value: Any) -> str | None:
    """Of a date or a time; None for what is neither."""
    found = re.match(r"\d{4}-\d{2}-\d{2}", _text(value), re.ASCII)
    return found[0] if found else None


def _texts(value: Any) -> list[str]:
    return (
        [_text(item) for item in value]
        if isinstance(value, list)
        else [_text(value)]
        if value
        else []
    )
