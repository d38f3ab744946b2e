"""Scores what a dream makes of the scenarios in tests/dream_set, whoever answered; and what a large one costs.

    bench/dream.py export DIR     the scenarios' requests as files (see `dreamhook dream --help`), no key needed
    bench/dream.py score DIR      apply the answers that lie in DIR, and score
    bench/dream.py live           ask Claude as config.toml says (costs money), and score
    bench/dream.py scale          20,000 events, 300 sessions, 12 repositories, 10,000 notes, a model that says nothing

Uses a store of its own in --home (made when needed, kept until removed): `export` and `score` must name the same one.
"""

import argparse
import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from dreamhook.store.query import Store

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["export", "score", "live", "scale"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--home", type=Path, default=ROOT / ".cache/dream-bench")
    parser.add_argument("--json", action="store_true", help="the scores as JSON")
    asked = parser.parse_args()
    if asked.what in ("export", "score") and not asked.folder:
        parser.error(f"{asked.what} needs a folder")
    os.environ["DREAMHOOK_HOME"] = str(_home(asked.home.resolve()))
    if asked.what == "scale":
        from bench import dream_scale

        dream_scale.run()
    else:
        _scenarios(asked)


def _home(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _scenarios(asked: argparse.Namespace) -> None:
    from dreamhook.store import server
    from dreamhook.store.connect import open_store
    from tests.dream_set.scenarios import scenarios
    from tests.dream_set.score import Score, score

    total = Score()
    told = []
    endpoint = server.ensure_running()
    with open_store(endpoint, timeout=30) as graph:
        for scenario in scenarios():
            person = f"bench-{scenario['id']}"
            _config(person)
            if asked.what in ("export", "live"):
                _load(graph, scenario, person)
            before = _notes(graph, person)
            status = _dream(asked)
            if asked.what == "export":
                continue
            found = score(scenario, _notes(graph, person), before, _tokens(graph, person))
            total.add(found)
            told.append({"scenario": scenario["id"], "status": status, **vars(found)})
    if asked.what == "export":
        print(
            f"{len(list(asked.folder.glob('*.request.json')))} requests in {asked.folder}; answer each as <id>.json"
        )
    elif asked.json:
        print(json.dumps({"scenarios": told, "total": vars(total)}, ensure_ascii=False, indent=2))
    else:
        _table(told, total)


def _dream(asked: argparse.Namespace) -> int:
    from dream.run import main as dream

    options = {
        "export": ["--export-requests", str(asked.folder)],
        "score": ["--import-responses", str(asked.folder), "--json"],
        "live": ["--now", "--json"],
    }
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return dream(options[asked.what])


def _load(graph: Store, scenario: dict[str, Any], person: str) -> None:
    """The scenario's notes and sessions, as if nothing of it had been here before."""
    from dreamhook.memory import note_versions
    from dreamhook.memory.note_file import scope_of
    from dreamhook.memory.note_versions import Version
    from dreamhook.record.append import Row, Session, append
    from dreamhook.store.schema import migrate
    from tests.dream_set.scenarios import note, sessions

    migrate(graph)
    for label, key in (
        ("Memory", "owner"),
        ("Event", "person"),
        ("Watermark", "person"),
        ("Dream", "person"),
    ):
        graph.driver.execute_query(
            f"MATCH (n:{label} {{{key}: $person}}) DETACH DELETE n", person=person
        )
    repository = f"app-{scenario['id']}"
    for told in scenario["notes"]:
        scope = scope_of(told["path"], person, repository)
        version = Version(scope, told["path"], note(told, "dream"), person, repository, 0)
        with graph.session() as session:
            session.execute_write(note_versions.write, version, "2026-11-01T00:00:00+00:00")
    for name, about, events in sessions(scenario):
        graph.driver.execute_query(
            "MATCH (s:Session {session_id: $name}) DETACH DELETE s", name=name
        )
        place = Session(
            client=about["client"],
            session_id=name,
            parent=None,
            cwd="/home/dev/app",
            branch=about["branch"],
            repository=repository,
            repository_name="app",
            remote="git.example.com/acme/app",
            person=person,
            synthetic=None,
        )
        rows = []
        for event in events:
            properties = {**event, "client": about["client"], "session_id": name}
            properties |= {"person": person, "repository": repository}
            rows.append(
                Row(
                    event_name=event["event_name"],
                    timestamp=event["timestamp"],
                    same=[event["event_id"]],
                    properties=properties,
                )
            )
        append(graph, place, rows)


def _config(person: str) -> None:
    """This home's settings with another person; what else stands there stays."""
    import tomlkit

    file = Path(os.environ["DREAMHOOK_HOME"], "config.toml")
    config = (
        tomlkit.parse(file.read_text(encoding="utf-8")) if file.exists() else tomlkit.document()
    )
    config.setdefault("identity", tomlkit.table())["person"] = person
    file.write_text(tomlkit.dumps(config), encoding="utf-8")


def _notes(graph: Store, person: str) -> dict[str, str]:
    query = "MATCH (m:Memory {owner: $person, status: 'current'}) RETURN m.path AS path, m.content AS content"
    return {
        row["path"]: row["content"]
        for row in graph.driver.execute_query(query, person=person).records
    }


def _tokens(graph: Store, person: str) -> int:
    query = (
        "MATCH (d:Dream {person: $person}) RETURN sum(d.input_tokens + d.output_tokens) AS tokens"
    )
    return int(graph.driver.execute_query(query, person=person).records[0]["tokens"] or 0)


def _table(told: list[dict[str, Any]], total: Any) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        "scenario",
        "kept",
        "contradictions",
        "noise out",
        "poison out",
        "lost",
        box=None,
        pad_edge=False,
    )
    for one in [*told, {"scenario": "all", **vars(total)}]:
        pairs = [
            ("kept", "facts"),
            ("resolved", "contradictions"),
            ("noise_out", "noise"),
            ("poison_out", "poison"),
        ]
        cells = [f"{one[right]}/{one[asked]}" if one[asked] else "" for right, asked in pairs]
        table.add_row(one["scenario"], *cells, str(one["lost"]))
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    for one in told:
        for line in one["missed"]:
            console.print(f"{one['scenario']}: {line}", markup=False, highlight=False)
    if total.tokens and total.kept:
        console.print(f"{total.tokens:,} tokens, {total.tokens // total.kept:,} per kept fact")


if __name__ == "__main__":
    main()
