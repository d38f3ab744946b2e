"""Runs the self-test for each harness and shows what came back."""

from dreamhook import config, harness
from dreamhook.install import selftest
from dreamhook.install.messages import say
from dreamhook.install.selftest import Seen, SelfTestFailed
from dreamhook.store.connect import open_store
from dreamhook.store.endpoint import Endpoint


def show(clients: list[str], endpoint: Endpoint) -> bool:
    """Whether every harness's made-up session came back whole; says in one line what did not."""
    say(
        "self-test: a made-up session goes through each registered hook and is read back from Neo4j"
    )
    seen: dict[str, list[Seen]] = {}
    with open_store(endpoint, timeout=30) as store:
        try:
            selftest.clear(store, config.load().person)
            sent = {client: selftest.send(client) for client in clients}
            selftest.upload()
            for client, (session, names) in sent.items():
                if names:
                    seen[client] = selftest.read_back(store, client, session, names)
                else:
                    say(f"{harness.get(client).LABEL}: no sample session for it, not tested")
        except SelfTestFailed as failure:
            say(f"self-test failed: {failure}")
            return False
    if seen:
        _print(seen)
    return True


def _print(seen: dict[str, list[Seen]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Read back from Neo4j, along NEXT", title_justify="left")
    for heading in ("harness", "seq", "event", "text"):
        table.add_column(heading, justify="right" if heading == "seq" else "left", overflow="fold")
    for client, events in seen.items():
        for number, event in enumerate(events):
            table.add_row(
                "" if number else harness.get(client).LABEL,
                str(event.seq),
                event.name,
                " ".join(event.text.split())[:60],
            )
    Console().print(table)
