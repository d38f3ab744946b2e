"""`dreamhook memory search`: what a prompt would bring, by the same code as the hook, and why."""

import json
import os

import click


@click.command("search")
@click.argument("query", nargs=-1, required=True)
@click.option("--folder", default=".", show_default=True, help="Search as a session in this folder would.")
@click.option("--explain", is_flag=True, help="Also show what was found and did not fit, with the reasons.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def search(query: tuple[str, ...], folder: str, explain: bool, as_json: bool) -> None:
    """Show the memories that a prompt QUERY would be given."""
    from dreamhook import config
    from dreamhook.recall import relevance
    from dreamhook.recall.scopes import permitted
    from dreamhook.recall.search import search as find
    from dreamhook.store.connect import open_driver
    from dreamhook.store.endpoint import endpoint

    place = endpoint()
    with open_driver(place) as driver:
        found = find(driver, " ".join(query), permitted(config.load(), os.path.abspath(folder)), place.database)
    shown = [one for one in found if one.fits or explain]
    if as_json:
        rows = [
            {
                "path": one.memory.path,
                "scope": one.memory.scope,
                "title": one.memory.title,
                "fits": one.fits,
                "score": round(one.judgement.score, 3),
                "prompt_covered": round(one.judgement.covered, 3),
                "best_cue": round(one.judgement.best_cue, 3),
                "matched": list(one.judgement.matched),
                "lucene": round(one.lucene, 3),
            }
            for one in shown
        ]
        click.echo(json.dumps(rows, ensure_ascii=False))
        return
    for one in shown:
        click.echo(f"{'' if one.fits else '(not given) '}{one.memory.path} — {one.memory.title}")
        if explain:
            why = ", ".join(one.judgement.matched) or "no telling word"
            click.echo(f"    score {one.judgement.score:.2f} (needs {relevance.THRESHOLD}); matched: {why}")
    if not shown:
        click.echo("nothing fits" + ("" if explain else "; --explain shows what came near"))
