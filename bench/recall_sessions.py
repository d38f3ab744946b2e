"""Real coding sessions: are earlier ones on the same files among the first five for a session's first prompt?

The record is the public history of entireio/cli: a git directory that holds the branch entire/checkpoints/v1
(`git clone --bare --single-branch --branch entire/checkpoints/v1 <its address>`). Prompts and names of touched files
are read, never the transcripts. The sessions are replayed in time: each asks when it first appears, so that nothing
that came later can answer.
"""

import json
import math
import re
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from rich.progress import track
from rich.table import Table

from bench.recall_events import PERSON, PROGRESS, repository_of, settled
from dreamhook.recall.sessions import search_sessions
from dreamhook.record.append import Row, Session, append
from dreamhook.store.query import Store

BRANCH = "refs/heads/entire/checkpoints/v1"
CHECKPOINT = re.compile(r"../[0-9a-f]+/\d+/metadata\.json")
MACHINE = (
    "<",
    "[Request interrupted",
    "Base directory for this skill",
    "Caveat:",
    "This session is being continued",
)
"""How texts begin that stand among the prompts and that nobody typed."""
PLAN = "Implement the following plan"
"""Claude Code types it when a plan is accepted; it is recorded, but not asked with."""
SHORTEST = 20
"""Characters of a prompt that asks something."""
OVERLAP = 0.35
"""Of a session's files, weighted by their rarity, what an earlier session must have touched to be right."""
REPOSITORY = repository_of("cli")


@dataclass(frozen=True)
class Checkpoint:
    """What a session had been asked, and touched, when a commit was made."""

    at: datetime
    session_id: str
    prompts: list[str]
    files: list[str]


def measure(graph: Store, git: Path) -> Table:
    """Replays the checkpoints into the store, asking at each session's first."""
    every = checkpoints(git)
    asked, right = first_prompts(every), gold(every)
    places: list[int | None] = []
    taken_ms: list[float] = []
    seen: set[str] = set()
    told: dict[str, set[str]] = {}
    for one in track(every, "replaying", console=PROGRESS):
        fresh = one.session_id not in seen
        if fresh and right[one.session_id] and asked[one.session_id]:
            settled(graph)
            began = time.perf_counter()
            found = search_sessions(graph, asked[one.session_id], PERSON, [REPOSITORY], limit=10)
            taken_ms.append((time.perf_counter() - began) * 1000)
            hits = [
                place
                for place, hit in enumerate(found, 1)
                if hit.session_id in right[one.session_id]
            ]
            places.append(min(hits, default=None))
        seen.add(one.session_id)
        _record(graph, one, told.setdefault(one.session_id, set()))
    cut = statistics.quantiles(taken_ms, n=100, method="inclusive")
    shares = (
        sum(place is not None and place <= at for place in places) / len(places)
        for at in (1, 5, 10)
    )
    table = Table(
        "sessions", "queries", "hit@1", "hit@5", "hit@10", "p50 ms", "p95 ms",
        title="Real sessions, earlier ones on the same files (to beat: hit@5 .635)",
    )  # fmt: skip
    table.add_row(
        str(len(seen)),
        str(len(places)),
        *(f"{share:.3f}" for share in shares),
        f"{cut[49]:.1f}",
        f"{cut[94]:.1f}",
    )
    return table


def checkpoints(git: Path) -> list[Checkpoint]:
    """In time, of the sessions that have prompts and files."""
    listed = _git(git, "ls-tree", "-r", BRANCH).decode().splitlines()
    ids = {path: entry.split()[2] for entry, path in (line.split("\t", 1) for line in listed)}
    paths = [path for path in ids if CHECKPOINT.fullmatch(path)]
    prompts = [path.replace("metadata.json", "prompt.txt") for path in paths]
    texts = dict(_blobs(git, {path: ids[path] for path in (*paths, *prompts) if path in ids}))
    found = []
    for path, prompt in zip(paths, prompts, strict=True):
        said = json.loads(texts[path])
        typed = [one.strip() for one in texts.get(prompt, "").split("\n\n---\n\n")]
        found.append(
            Checkpoint(
                datetime.fromisoformat(said["created_at"]).astimezone(UTC),
                said["session_id"],
                [one for one in dict.fromkeys(typed) if one and not one.startswith(MACHINE)],
                said.get("files_touched") or [],
            )
        )
    whole = {one.session_id for one in found if one.prompts} & {
        one.session_id for one in found if one.files
    }
    return sorted(
        (one for one in found if one.session_id in whole), key=lambda one: (one.at, one.session_id)
    )


def first_prompts(every: list[Checkpoint]) -> dict[str, str]:
    """Session → the first prompt that a person typed and that asks something, or ""."""
    found: dict[str, str] = {}
    for one in every:
        some = (text for text in one.prompts if len(text) >= SHORTEST and not text.startswith(PLAN))
        found[one.session_id] = found.get(one.session_id) or next(some, "")
    return found


def gold(every: list[Checkpoint]) -> dict[str, set[str]]:
    """Session → the earlier sessions that touched enough of its files."""
    files: dict[str, set[str]] = {}
    for one in every:
        files.setdefault(one.session_id, set()).update(one.files)
    holders = Counter(name for names in files.values() for name in names)
    rarity = {name: math.log(len(files) / count) for name, count in holders.items()}
    found: dict[str, set[str]] = {}
    for session_id, names in files.items():  # in the order of their first checkpoints
        whole = sum(rarity[name] for name in names)
        found[session_id] = {
            other
            for other in found
            if whole and sum(rarity[one] for one in names & files[other]) >= OVERLAP * whole
        }
    return found


def _record(graph: Store, checkpoint: Checkpoint, told: set[str]) -> None:
    """What is new since the session's last checkpoint: prompts, then an edit of each file."""
    session = Session(
        client="claude_code", session_id=checkpoint.session_id, parent=None, cwd=None, branch=None,
        repository=REPOSITORY, repository_name="cli", remote=None, person=PERSON, synthetic=None,
    )  # fmt: skip
    edits = [json.dumps({"file_path": name}) for name in checkpoint.files]
    new = [(text, "UserPromptSubmit", {"prompt": text}) for text in checkpoint.prompts]
    new += [(text, "PostToolUse", {"tool_name": "Edit", "tool_input": text}) for text in edits]
    rows = []
    for text, event_name, properties in new:
        if text not in told:
            event_id = f"{checkpoint.session_id}:{len(told)}"
            told.add(text)
            shared = {
                "event_id": event_id, "event_name": event_name, "client": "claude_code", "person": PERSON,
                "timestamp": checkpoint.at.isoformat(), "session_id": checkpoint.session_id, "repository": REPOSITORY,
            }  # fmt: skip
            rows.append(
                Row(
                    event_name=event_name,
                    timestamp=shared["timestamp"],
                    same=[event_id],
                    properties=shared | properties,
                )
            )
    if rows:
        append(graph, session, rows)


def _git(git: Path, *arguments: str, given: bytes = b"") -> bytes:
    return subprocess.run(
        ["git", "--git-dir", str(git), *arguments], input=given, capture_output=True, check=True
    ).stdout


def _blobs(git: Path, ids: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Path and text of each."""
    told = _git(git, "cat-file", "--batch", given="\n".join(ids.values()).encode())
    start = 0
    for path in ids:
        head = told.index(b"\n", start)
        end = head + 1 + int(told[start:head].split()[2])
        yield path, told[head + 1 : end].decode("utf-8", "replace")
        start = end + 1
