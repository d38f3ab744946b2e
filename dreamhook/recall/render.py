"""How one memory reads in a block: what it says, where it comes from and how long it holds, cleaned of all else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from dreamhook.memory.note_file import body
from dreamhook.recall.excerpt import section
from dreamhook.recall.notes import Memory
from dreamhook.recall.sanitise import neutralise
from dreamhook.scrub.scrub import scrub_text

LINE = 300
"""Characters of a title, description or path."""


@dataclass(frozen=True)
class Wording:
    """`clean` is given each text of a note whole, before anything is cut from it: what ends in one place may begin in
    another."""

    today: date
    clean: Callable[[str], str] = neutralise

    def note(self, memory: Memory, matched: Sequence[str] = (), room: int | None = None) -> str:
        """The note whole; where that takes more than `room` characters, the section of it that says these terms."""
        text = self.clean(body(memory.content or "")).strip()
        head = f"\n## {self.head(memory)}\n({self._origin(memory)})\n"
        if room is not None and len(head) + len(text) + 1 > room:
            text = section(text, matched, room - len(head) - 1)
        return f"{head}{text}\n"

    def head(self, memory: Memory) -> str:
        return f"{self._line(memory.path)} — {self._line(memory.title)}"

    def entry(self, memory: Memory) -> str:
        """Of the catalogue."""
        return f"- {self._line(memory.path)} — {self._line(memory.description or memory.title)}\n"

    def change(self, memory: Memory) -> str:
        """What a dream did last."""
        return f"- {memory.dreamed} {self._line(memory.path)} (version {memory.version})\n"

    def _origin(self, memory: Memory) -> str:
        due = f"review by {memory.review_by}" if memory.review_by else "no review date"
        if memory.review_by and memory.review_by < self.today.isoformat():
            due = f"DUE FOR REVIEW since {memory.review_by}: check before use"
        return (
            f"evidence: {self._line('; '.join(memory.evidence_notes[-2:]) or 'none noted')}; {due}"
        )

    def _line(self, text: str) -> str:
        return " ".join(self.clean(text).split())[:LINE]


def worded(key: bytes) -> Wording:
    """Today, each text scrubbed after it was neutralised: a control character may have hidden a secret."""
    return Wording(datetime.now(UTC).date(), lambda text: scrub_text(neutralise(text), key))
