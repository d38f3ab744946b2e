"""What the installer tells a person: before, to decide; after, to find things and to switch off."""

import os
import shlex
import sys
from pathlib import Path

from dreamhook import config, harness, paths


def say(line: str) -> None:
    """A message, on stderr: stdout is for the diff and the result."""
    sys.stderr.write(f"install.sh: {line}\n")
    sys.stderr.flush()


def tell(text: str) -> None:
    """A result, on stdout."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


COMMAND = f"{paths.ROOT}/.venv/bin/dreamhook"


def consent(clients: list[str], settings_files: list[str]) -> str:
    """What is captured, where it stays, who else sees it."""
    store = os.environ.get("NEO4J_URI") or config.load().neo4j_uri
    names = (
        ", ".join(harness.get(client).LABEL for client in clients)
        or "no harness yet (none was found)"
    )
    where = (
        f"the Neo4j at {store}"
        if store
        else f"a Neo4j of your own that answers on this machine only ({paths.data_file(paths.NEO4J)})"
    )
    return f"""\
dreamhook records what you and these coding agents do: {names}.
  Recorded:  prompts, tool calls with their input and results, answers, working folder, times.
             Tokens and passwords it recognises are blacked out before anything is written to disk.
  Kept in:   {where}, by way of {paths.spool_dir()}.
  Sent out:  every few hours what is new goes to Claude (Anthropic's API, with your key) to be distilled into memories.
             Without a key nothing is sent.
  Changed:   {", ".join(settings_files) or "no settings"}; a copy is kept, nothing of yours is replaced.
  Undo:      {paths.ROOT}/install.sh --uninstall"""


def by_hand(clients: list[str], notes: list[str]) -> list[str]:
    """What only the person can do."""
    chosen = [harness.get(client) for client in clients]
    steps = [f"{one.LABEL}: {one.AFTER_INSTALL}" for one in chosen if one.AFTER_INSTALL]
    labels = [one.LABEL for one in chosen if not one.AFTER_INSTALL]
    if labels:
        steps.append(f"{', '.join(labels)}: start a new session (restart the editor if it is open)")
    key_file = config.load().api_key_file
    if not Path(key_file).expanduser().exists():
        steps.append(
            f"put an Anthropic API key into {key_file} (mode 0600)"
            + (
                "; ANTHROPIC_API_KEY of this shell is not there when the timer runs"
                * ("ANTHROPIC_API_KEY" in os.environ)
            )
        )
    return steps + notes


def ending(
    uri: str, user: str, password_file: str | None, browser: str | None, steps: list[str]
) -> str:
    """Where to look, what is left to do, how to switch off."""
    place = browser or uri
    password = (
        f"password: cat {shlex.quote(password_file)}"
        if password_file
        else "password: the one you gave"
    )
    lines = [f"Look:       {place}   user {user}, {password}"]
    if browser:
        lines.append(f"            (the Browser asks what to connect to: {uri})")
    home = os.environ.get("DREAMHOOK_HOME")
    prefix = f"DREAMHOOK_HOME={shlex.quote(home)} " if home else ""
    lines.append(f"            {prefix}{shlex.quote(COMMAND)} status")
    lines += [f"{'By hand:' if not n else '':11} {step}" for n, step in enumerate(steps)]
    lines.append(
        "Switch off: DREAMHOOK_OFF=1 in an agent's environment; for good: ./install.sh --uninstall (keeps the data)"
    )
    return "\n".join(lines)
