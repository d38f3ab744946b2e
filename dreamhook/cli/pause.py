"""`dreamhook pause` and `resume`: the switch that also reaches sessions which run already."""

import click


@click.command("pause")
@click.option(
    "--repo", metavar="FOLDER", help="Only the repository of this folder, in all its checkouts."
)
def pause(repo: str | None) -> None:
    """Record nothing and recall nothing until `dreamhook resume`; what was recorded stays."""
    from dreamhook.repository import pause

    if repo is None:
        try:
            pause.pause()
        except OSError as error:
            raise click.ClickException(
                f"not paused: {error}; DREAMHOOK_OFF=1 works without a disk"
            ) from error
        click.echo("paused everywhere; `dreamhook resume` goes on")
        return
    click.echo(f"paused in {_switch(repo, on=True)}; `dreamhook resume --repo {repo}` goes on")


@click.command("resume")
@click.option("--repo", metavar="FOLDER", help="Only the repository of this folder.")
def resume(repo: str | None) -> None:
    """Record and recall again."""
    from dreamhook.repository import pause

    if repo is None:
        try:
            was_paused = pause.resume()
        except OSError as error:
            raise click.ClickException(f"still paused: {error}") from error
        click.echo("recording again" if was_paused else "it was not paused")
        still = pause.consent()["paused_repositories"]
        if still:
            click.echo(f"still paused by itself: {', '.join(still)}")
        return
    click.echo(f"recording again in {_switch(repo, on=False)}")
    if pause.consent()["paused"]:
        click.echo("but everything is paused: `dreamhook resume`")


def _switch(folder: str, on: bool) -> str:
    from dreamhook.repository import checkouts, pause

    try:
        place = pause.pause_repository(folder, on)
    except (checkouts.NotWritten, OSError) as error:
        raise click.ClickException(f"nothing was changed: {error}") from error
    return f"{place.name} ({place.repository})"
