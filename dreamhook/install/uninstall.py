"""Takes out what was put in, item by item: entries, timer, running processes; with --purge what was recorded."""

import argparse
import os
import subprocess

from dreamhook import harness, paths
from dreamhook.install import entries, messages, purge, schedule, settings
from dreamhook.install.entries import Refused
from dreamhook.install.messages import say
from dreamhook.install.settings import Plan
from dreamhook.install.setup import show


def uninstall(chosen: argparse.Namespace) -> int:
    """For some harnesses only their entries; without --harness everything, data only with --purge."""
    clients = chosen.clients or harness.clients()
    whole = not chosen.clients
    plans, refused = _plans(clients)
    timed = schedule.plan_removal() if whole and not chosen.hooks_only else []
    doomed = purge.folders() if chosen.purge else []
    if chosen.dry_run:
        for folder in doomed:
            say(f"would remove {folder} with everything in it")
        return show([*(plan.change for plan in plans), *timed], refused)
    for plan in plans:
        moved = _shifted(plan)
        try:
            settings.carry_out_removal(plan)
        except Refused as reason:
            refused.append(str(reason))
            continue
        say(f"{harness.get(plan.client).LABEL}: {plan.change.file} {plan.said}{moved}")
    if not plans and not refused:
        say("no settings hold entries of ours")
    if whole and not chosen.hooks_only:
        try:
            schedule.carry_out(timed)
        except Refused as reason:
            refused.append(str(reason))
        _stop(refused)
    if refused:
        for line in refused:
            say(line)
        if doomed:
            say("recorded data is kept until all of this is out")
        return 1
    purge.remove(doomed)
    for folder in doomed:
        say(f"removed {folder}")
    if whole:
        say("done; sessions that are open now keep their hooks until they end")
        if kept := ", ".join(map(str, purge.folders())):
            say(f"kept: {kept} (to remove it: --uninstall --purge)")
    return 0


def _plans(clients: list[str]) -> tuple[list[Plan], list[str]]:
    plans, refused = [], []
    for client in clients:
        try:
            plans += settings.plan_removal(client)
        except Refused as reason:
            refused.append(
                f"{reason}; left as it is, take our entries out by hand ({entries.wrapper(client)})"
            )
    return plans, refused


def _shifted(plan: Plan) -> str:
    """What a person will be asked to do for the hooks that stand behind ours."""
    count, label = settings.to_be_trusted_again(plan), harness.get(plan.client).LABEL
    again = f"; {count} hooks behind ours move up, {label} will ask to trust them again"
    return again if count else ""


def _stop(refused: list[str]) -> None:
    """The worker first: it would start the store again."""
    if not os.access(messages.COMMAND, os.X_OK):
        return
    for what, place in (("worker", paths.state_dir()), ("neo4j", paths.data_file(paths.NEO4J))):
        if not os.path.isdir(place):
            continue
        done = subprocess.run(
            [messages.COMMAND, what, "stop"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            reason = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            refused.append(f"{what} was not stopped: {reason[-1]}")
