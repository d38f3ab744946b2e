"""Installs: what is to change, consent, store, hooks, timer, proof. Standard library only until the store is needed."""

import argparse
import sys
from typing import TYPE_CHECKING

from dreamhook import config, harness
from dreamhook.install import backups, config_file, messages, schedule, settings
from dreamhook.install.entries import Refused
from dreamhook.install.messages import say, tell
from dreamhook.install.settings import Plan

if TYPE_CHECKING:
    from dreamhook.store.endpoint import Endpoint

NO_HARNESS = "no harness found here; the store is set up, and once you have one run again (or name it: --harness)"
REFUSAL = "nothing was changed: {why}. To agree to what dreamhook records, run: ./install.sh --yes"


def set_up(chosen: argparse.Namespace) -> int:
    clients = chosen.clients or [
        client for client in harness.clients() if settings.detected(client)
    ]
    found = ", ".join(harness.get(client).LABEL for client in clients)
    say(f"{'harnesses' if chosen.clients else 'found'}: {found}" if found else NO_HARNESS)
    plans, refused = [], []
    for client in clients:
        try:
            plans.append(settings.plan_install(client))
        except Refused as reason:
            refused.append(f"{reason}; left as it is, {harness.get(client).LABEL} was not set up")
    written = config_file.plan(chosen.semantic)
    timer = schedule.timer()
    timed = [] if chosen.hooks_only else schedule.plan(timer)
    if chosen.dry_run:
        return show([*written, *(plan.change for plan in plans), *timed], refused)
    if not chosen.yes and not asked(plans):
        return 1
    config_file.carry_out(written)
    endpoint = None if chosen.hooks_only else start_store()
    done = [plan.client for plan in plans if register(plan, refused)]
    if not chosen.hooks_only:
        try:
            schedule.carry_out(timed)
            say(f"dream: {schedule.told(timer)}")
        except Refused as reason:
            say(str(reason))  # no failure: the worker does it without a timer
    proven = finish(chosen, done, endpoint)
    for line in refused:
        say(line)
    return 0 if proven and not refused else 1


def finish(chosen: argparse.Namespace, done: list[str], endpoint: "Endpoint | None") -> bool:
    """Prove it where there is a store, and say what is left to do; False when the proof failed."""
    from dreamhook.worker import control

    control.stop()  # one that runs is of the version before; the hooks start the new one
    steps = messages.by_hand(done, left_as_it_was(chosen, done))
    if endpoint is None:
        for step in steps:
            tell(f"By hand: {step}")
        return True
    from dreamhook.install import selftest_report

    proven = selftest_report.show(done or harness.clients(), endpoint)
    place = (endpoint.uri, endpoint.user, endpoint.password_file, endpoint.http_url)
    tell(messages.ending(*place, steps))
    return proven


def left_as_it_was(chosen: argparse.Namespace, done: list[str]) -> list[str]:
    """What of the user's own files keeps us from working as asked."""
    notes = [note for client in done for note in settings.obstacles(client)]
    kept = "config.toml was there and is not changed:"
    if store := config_file.unwritten_store():
        notes.append(f'{kept} add [neo4j] uri = "{store}" to it, for timers and hooks')
    if chosen.semantic and not config.load().semantic:
        notes.append(f"{kept} set semantic = true under [recall] in it")
    return notes


def asked(plans: list[Plan]) -> bool:
    """Explain and ask on the terminal; without one, say what to run."""
    if not sys.stdin.isatty():
        say(REFUSAL.format(why="there is no terminal to ask on"))
        return False
    tell(
        messages.consent(
            [plan.client for plan in plans],
            [str(plan.change.file) for plan in plans if plan.change.needed],
        )
    )
    try:
        answer = input("Record from now on? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        say(REFUSAL.format(why="not agreed to"))
        return False
    return True


def show(changes: list[backups.Change], refused: list[str]) -> int:
    """The dry run: one unified diff on stdout, which `patch -p0` could apply."""
    for change in changes:
        sys.stdout.write(backups.diff(change))
    sys.stdout.flush()
    for line in refused:
        say(line)
    if not any(change.needed for change in changes):
        say("nothing to change")
    say("dry run: no file was changed")
    return 1 if refused else 0


def start_store() -> "Endpoint":
    """Have a Neo4j that answers and has our schema."""
    from dreamhook.store import server
    from dreamhook.store.link import Link

    say("starting the store")
    endpoint = server.start(progress=True)
    link = Link()
    link.open(force=True)
    link.close()
    return endpoint


def register(plan: Plan, refused: list[str]) -> bool:
    try:
        settings.carry_out_install(plan)
    except Refused as reason:
        refused.append(str(reason))
        return False
    say(f"{harness.get(plan.client).LABEL}: {plan.change.file} {plan.said}")
    return True
