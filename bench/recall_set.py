"""The labelled set of tests/recall_set, written into a store as the dream writes, and judged as the hook answers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import product
from pathlib import Path

from neo4j import ManagedTransaction

from dreamhook.memory import note_file, note_versions
from dreamhook.recall import blocks, search
from dreamhook.recall.idf import UNKNOWN, Rarity
from dreamhook.recall.question import said
from dreamhook.recall.render import Wording
from dreamhook.recall.scopes import Scopes
from dreamhook.store.query import Store

FOLDER = Path(__file__).resolve().parent.parent / "tests/recall_set"
SETS = ("mixed", "chat", "warehouse", "payments", "clinic", "meters")
PERSON = "dana"
PHRASES = 6
TODAY = date(2026, 11, 29)
AT = "2026-11-29T00:00:00+00:00"


@dataclass(frozen=True)
class Prompt:
    """One labelled prompt of one set; `right` is empty where nothing should come."""

    of: str
    split: str
    where: str
    kind: str
    prompt: str
    right: list[str]


@dataclass(frozen=True)
class Judged:
    """What the hook would have put into the block, and what of it was seen that may not be."""

    prompt: Prompt
    given: list[str]
    wrong_scope: list[str]
    best: float
    """Score of the best candidate, given or not."""

    @property
    def hit(self) -> bool:
        return any(path in self.prompt.right for path in self.given)


def person(of: str) -> str:
    """Each set is all that one person has: in one store they are different persons."""
    return PERSON if of == SETS[0] else f"{PERSON}-{of}"


def prompts(*sets: str) -> list[Prompt]:
    """Of these sets, of all without any."""
    return [
        Prompt(of=of, **json.loads(line))
        for of in sets or SETS
        for line in (FOLDER / of / "prompts.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def versions(*sets: str, typed: bool = True) -> Iterator[note_versions.Version]:
    """Every note of these sets, of all without any, to be written.

    `typed`: cues are six of a note's own and four whole prompts, as the dream is asked for; else its own, all phrases.
    """
    for of, (status, folder) in product(
        sets or SETS, (("current", "notes"), ("superseded", "superseded"))
    ):
        root, prompts_typed = FOLDER / of / folder, typed_cues(of) if typed else {}
        for file in sorted(root.rglob("*.md")):
            place, *path = file.relative_to(root).parts
            owner = place.removeprefix("person-") if place.startswith("person-") else person(of)
            scope = f"person:{owner}" if place.startswith("person") else f"repo:{place}"
            note = note_file.parse(file.read_text(encoding="utf-8"))
            if note.cues and (more := prompts_typed.get(file.relative_to(root).as_posix())):
                note = replace(note, cues=[*note.cues[:PHRASES], *more])
            yield note_versions.Version(
                scope=scope,
                path="/".join(path),
                note=note,
                owner=owner,
                repository=place if scope.startswith("repo:") else None,
                read_version=0,
                status=status,
            )


def typed_cues(of: str) -> dict[str, list[str]]:
    """Place and path of a note → four prompts."""
    found: dict[str, list[str]] = json.loads(
        (FOLDER / of / "typed.json").read_text(encoding="utf-8")
    )
    return found


def write(graph: Store, some: Sequence[note_versions.Version]) -> None:
    with graph.session() as session:
        for start in range(0, len(some), 200):
            batch = some[start : start + 200]
            session.execute_write(_write, batch)
    graph.driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


def _write(tx: ManagedTransaction, batch: Sequence[note_versions.Version]) -> None:
    for one in batch:
        note_versions.write(tx, one, AT)


def fill(graph: Store, some: Sequence[note_versions.Version]) -> None:
    """Many notes at once, with the properties that writing gives them and without their edges."""
    with graph.session() as session:
        for start in range(0, len(some), 2_000):
            rows = [
                note_versions._properties(one)
                | {
                    "scope": one.scope,
                    "path": one.path,
                    "owner": one.owner,
                    "version": 1,
                    "updated_at": AT,
                }
                for one in some[start : start + 2_000]
            ]
            session.run("UNWIND $rows AS row CREATE (m:Memory) SET m = row", rows=rows).consume()
    graph.driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


def scopes_in(where: str, of: str = SETS[0]) -> Scopes:
    """What a session in this repository may see."""
    return Scopes((f"person:{person(of)}", f"repo:{where}"), person(of))


def judge(
    graph: Store,
    some: Sequence[Prompt],
    counted: bool = True,
    closeness: search.Closest | None = None,
) -> list[Judged]:
    """Each prompt through the hook's own search and choice; `counted`: with the store's term counts."""
    rarities: dict[Scopes, Rarity] = {}
    judged = []
    for one in some:
        scopes = scopes_in(one.where, one.of)
        if scopes not in rarities:
            rarities[scopes] = search.count_terms(graph, scopes) if counted else UNKNOWN
        found = search.search(
            graph,
            one.prompt,
            scopes,
            rarity=rarities[scopes],
            closeness=closeness,
            parts=said(one.prompt),
        )
        _, given = blocks.prompt_block(blocks.chosen(found), Wording(TODAY))
        outside = [
            memory.path
            for memory in (each.memory for each in found)
            if memory.scope not in scopes.names
        ]
        best = found[0].judgement.score if found else 0.0
        judged.append(Judged(one, [memory.path for memory in given], outside, best))
    return judged


def rates(judged: Sequence[Judged]) -> tuple[float, float, int]:
    """(right memory in the block, false injection, prompts that saw another scope); shares from 0 to 1."""
    deserving = [one for one in judged if one.prompt.right]
    nothing = [one for one in judged if not one.prompt.right]
    return (
        sum(one.hit for one in deserving) / max(1, len(deserving)),
        sum(bool(one.given) for one in nothing) / max(1, len(nothing)),
        sum(bool(one.wrong_scope) for one in judged),
    )
