"""What one request offers, as records: the unit, its sessions, and the events that a change may cite."""

from dataclasses import dataclass, field

Key = tuple[str, str]
"""(client, session id)"""


@dataclass(frozen=True)
class Unit:
    """One person's work in one repository."""

    person: str
    repository: str
    name: str
    remote: str | None


@dataclass
class Session:
    """One session of a chunk, with the lines the model reads."""

    ref: str
    client: str
    session_id: str
    cwd: str
    branch: str
    subagent: bool
    date: str
    """YYYY-MM-DD of its first event here."""
    from_seq: int
    to_seq: int
    lines: list[str] = field(default_factory=list)
    rest_from: int = 0
    """The first event of what did not fit; 0: all of it is here."""
    earlier: str = ""
    """What the user last asked for before this part."""

    def key(self) -> Key:
        return self.client, self.session_id


@dataclass(frozen=True)
class Source:
    """An event that a change may cite."""

    event_id: str
    session: str
    """The ref of its session."""
    date: str
    own_words: bool
    who: str = "user"
    """`user`, `agent`, `result` (a recorded test, build or check), `tool`, or `prompt` (a program's)."""
    text: str = ""
    """What the model was shown of it."""


@dataclass(frozen=True)
class Held:
    """A session that is left for a later dream, and which of its events the watermark passes meanwhile."""

    key: Key
    from_seq: int
    to_seq: int
    why: str


@dataclass
class Chunk:
    """What one request offers. `to_seq`: every event of the unit up to here was offered, is held, or says nothing."""

    unit: Unit
    from_seq: int = 0
    to_seq: int = 0
    """0: only sessions that were put off are in it, so the watermark stays."""
    more: bool = False
    sessions: dict[str, Session] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    held: dict[Key, Held] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    """Texts that tell which notes are likely to matter."""
    size: int = 0

    def empty(self) -> bool:
        return not (self.to_seq or self.sessions)

    def refs(self) -> str:
        """The session refs for the model: "S1, S2"."""
        return ", ".join(self.sessions)
