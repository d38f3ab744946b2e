"""`dreamhook neo4j start|stop|status|browse`."""

import json
import os
import sys

import click


@click.group("neo4j")
def neo4j_group() -> None:
    """The store: a Neo4j of your own on this machine, or the one that config.toml names."""


@neo4j_group.command()
def start() -> None:
    """Start it unless it runs; the first time downloads it."""
    from dreamhook.store import server

    endpoint = server.start()
    click.echo(
        f"Neo4j answers at {endpoint.uri}"
        + (f", Browser {endpoint.http_url}" if endpoint.http_url else "")
    )


@neo4j_group.command()
def stop() -> None:
    """Stop it until `dreamhook neo4j start`. What is recorded meanwhile waits in the spool."""
    from dreamhook.store import server
    from dreamhook.store.endpoint import given

    named = given()
    stopped = server.stop()
    if named:
        click.echo(f"dreamhook: {named.uri} is not ours to stop; it stays as it is", err=True)
        sys.exit(1)
    click.echo("Neo4j stopped" if stopped else "Neo4j was not running")


@neo4j_group.command("status")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, stable keys.")
def status(as_json: bool) -> None:
    """Where it is and whether it answers."""
    from dreamhook.store import server

    found = server.status()
    if as_json:
        click.echo(json.dumps(found))
        return
    state = (
        "running"
        if found["running"]
        else "stopped"
        if found["stopped_on_purpose"]
        else "not running"
    )
    click.echo(f"state          {state}")
    for name in (
        "kind",
        "version",
        "uri",
        "http_url",
        "user",
        "password_file",
        "data",
        "pid",
        "problem",
    ):
        if found[name] is not None:
            click.echo(f"{name:14} {found[name]}")


@neo4j_group.command()
def browse() -> None:
    """Show where Neo4j Browser is and how to log in; opens it where there is a screen."""
    from dreamhook.store import server
    from dreamhook.store.endpoint import StoreUnavailable

    endpoint = server.ensure_running()
    if not endpoint.http_url:
        raise StoreUnavailable(
            f"{endpoint.uri} is not ours: open the Browser its owner gives you, user {endpoint.user}"
        )
    click.echo(f"address        {endpoint.http_url}")
    click.echo(f"connect to     {endpoint.uri}")
    click.echo(f"user           {endpoint.user}")
    click.echo(f"password in    {endpoint.password_file}")
    if sys.stdout.isatty() and (
        sys.platform == "darwin" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        click.launch(endpoint.http_url)
