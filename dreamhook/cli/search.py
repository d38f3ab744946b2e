"""`dreamhook memory search`: what a prompt would bring, by the same code as the hook, and why."""

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dreamhook.cli.store import opened

if TYPE_CHECKING:
    from dreamhook.config import Config
    from dreamhook.recall.events import Hit
    from dreamhook.recall.search import Closest, Found
    from dreamhook.recall.sessions import Earlier

MOST_SCOPES = 500


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option(
    "--folder", default=".", show_default=True, help="Search as a session in this folder would."
)
@click.option("--repo", is_flag=True, help="This repository's notes only, not those about you.")
@click.option(
    "--all",
    "everywhere",
    is_flag=True,
    help="Your notes in every repository; the hook never does this.",
)
@click.option("--events", is_flag=True, help="Search the raw record too.")
@click.option(
    "--sessions",
    "earlier",
    is_flag=True,
    help="Also the earlier sessions on this, the later the better.",
)
@click.option(
    "--explain", is_flag=True, help="Also show what was found and did not fit, with the reasons."
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def search(
    query: tuple[str, ...],
    folder: str,
    repo: bool,
    everywhere: bool,
    events: bool,
    earlier: bool,
    explain: bool,
    as_json: bool,
) -> None:
    """Show the memories that a prompt QUERY would be given."""
    from dreamhook import paths
    from dreamhook.recall import search as recall
    from dreamhook.recall.blocks import chosen, prompt_block
    from dreamhook.recall.events import search_events
    from dreamhook.recall.question import said
    from dreamhook.recall.render import worded
    from dreamhook.recall.scopes import Scopes, permitted
    from dreamhook.recall.sessions import search_sessions
    from dreamhook.scrub.key import load_key
    from dreamhook.store.schema import migrate

    if repo and everywhere:
        raise click.UsageError("--repo and --all exclude each other")
    text = " ".join(query)
    record: dict[str, list[Any]] = {}
    with opened() as (store, settings):
        migrate(store)
        where = permitted(settings, os.path.abspath(folder))
        if repo:
            here = tuple(name for name in where.names if name.startswith("repo:"))
            where = Scopes(here or ("nowhere:",), where.owner)
        if everywhere:
            rows = store.ask("recall_scopes", {"person": where.owner, "limit": MOST_SCOPES})
            where = Scopes(
                tuple(dict.fromkeys([*where.names, *(row["scope"] for row in rows)])), where.owner
            )
        rarity = recall.count_terms(store, where)
        found = recall.search(
            store,
            text,
            where,
            rarity=rarity,
            closeness=_closest(settings),
            parts=said(text),
        )
        ids = None if everywhere else [name[5:] for name in where.names if name.startswith("repo:")]
        if events:
            record["events"] = search_events(store, text, where.owner, ids)
        if earlier:
            record["sessions"] = search_sessions(store, text, where.owner, ids)
    _, told = prompt_block(chosen(found), worded(load_key(paths.make_private(paths.config_dir()))))
    given = {memory.key for memory in told}
    shown = [(one, one.memory.key in given) for one in found if explain or one.memory.key in given]
    if as_json:
        rows = [_row(one, is_given) for one, is_given in shown]
        found_in_record = {name: [asdict(one) for one in some] for name, some in record.items()}
        click.echo(
            json.dumps({"memories": rows} | found_in_record if record else rows, ensure_ascii=False)
        )
        return
    for one, is_given in shown:
        click.echo(f"{'' if is_given else '(not given) '}{one.memory.path} — {one.memory.title}")
        if explain:
            click.echo(f"    {why(one, is_given)}")
    if not shown:
        click.echo("nothing fits" + ("" if explain else "; --explain shows what came near"))
    for hit in record.get("events", []):
        click.echo(
            f"[{hit.timestamp[:16]} {hit.client} {hit.session_id[:8]} {hit.event_name}] {_line(hit)}"
        )
    for session in record.get("sessions", []):
        branch = f", branch {session.branch}" if session.branch else ""
        click.echo(
            f"[{session.until[:16]} {session.client} session {session.session_id[:8]}{branch}] {_line(session)}"
        )


def _line(found: "Hit | Earlier") -> str:
    return " ".join(found.text.split())[:160]


def _closest(settings: "Config") -> "Closest | None":
    """As in the worker, but with every candidate's vectors, however long that takes."""
    if not settings.semantic:
        return None
    from functools import partial

    from dreamhook.recall.closeness import Closeness

    return partial(Closeness().of, wait=True)


def why(one: "Found", is_given: bool) -> str:
    """One line: the score, what made it, and why a note that fits is not among those given."""
    judged = one.judgement
    matched = ", ".join(judged.matched) or "no telling word"
    line = f"{one.memory.scope}: score {judged.score:.2f}, 1 is enough; {judged.covered:.0%} of the prompt's weight"
    line += f", best cue {judged.cue:.0%}; matched: {matched}"
    line += f"; meaning {judged.closeness:.2f}" if judged.closeness is not None else ""
    return line + ("; fits, but others fit better" if one.judgement.fits and not is_given else "")


def _row(one: "Found", is_given: bool) -> dict[str, Any]:
    return {
        "path": one.memory.path,
        "scope": one.memory.scope,
        "title": one.memory.title,
        "fits": is_given,
        "score": round(one.judgement.score, 3),
        "prompt_covered": round(one.judgement.covered, 3),
        "best_cue": round(one.judgement.cue, 3),
        "closeness": None if one.judgement.closeness is None else round(one.judgement.closeness, 3),
        "matched": list(one.judgement.matched),
        "lucene": round(one.lucene, 3),
        "why": why(one, is_given),
    }
