"""The first config.toml and README's list of settings, both from the table in `dreamhook/config.py`.

A config.toml that is there is never changed. `python -m dreamhook.install.config_file` prints the list for README.
"""

import json
import os
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import Any

from dreamhook import config, paths
from dreamhook.install import backups
from dreamhook.install.backups import Change

HEAD = """\
# dreamhook's settings. Every key is optional. A line that is commented out shows the default, or an example where the
# default is to have none.
"""


def text(chosen: dict[str, Any]) -> str:
    """A config.toml with every setting; those of `chosen` (`section.key`: value) are not commented out."""
    lines = [HEAD]
    for section, settings in groupby(config.SETTINGS, lambda setting: setting.section):
        lines.append(f"\n[{section}]\n")
        for setting in settings:
            lines += [f"# {line}\n" for line in wrap(setting.sentence, 110)]
            name = f"{section}.{setting.key}"
            value = chosen.get(name, setting.shown())
            lines.append(f"{'' if name in chosen else '# '}{setting.key} = {_as_toml(value)}\n")
    return "".join(lines)


def readme_list() -> Iterator[str]:
    """The lines of README's table of settings."""
    yield "| setting | default | what it is |"
    yield "|---|---|---|"
    for setting in config.SETTINGS:
        default = "none" if setting.default is None else f"`{_as_toml(setting.shown())}`"
        default = setting.default_in_words or default
        yield f"| `[{setting.section}] {setting.key}` | {default} | {setting.sentence} |"


def plan(semantic: bool = False) -> list[Change]:
    """A config.toml that names a store when NEO4J_URI does; nothing when there is a config.toml."""
    file = Path(paths.config_file())
    if backups.read(file) is not None:
        return []
    chosen: dict[str, Any] = {"identity.person": config.login_name()}
    if uri := os.environ.get("NEO4J_URI"):
        user = os.environ.get("NEO4J_USER") or os.environ.get("NEO4J_USERNAME")
        chosen |= {"neo4j.uri": uri, "neo4j.password_file": str(_password_file())}
        chosen |= {"neo4j.user": user} if user else {}
    if semantic:
        chosen["recall.semantic"] = True
    return [Change(file, None, text(chosen).encode("utf-8"))]


def carry_out(changes: list[Change]) -> None:
    """Write them, and with a given store its password into a file of mode 0600. Raises Refused."""
    password = os.environ.get("NEO4J_PASSWORD")
    if changes and os.environ.get("NEO4J_URI") and password:
        secret = _password_file()
        backups.apply(Change(secret, backups.read(secret), password.encode("utf-8") + b"\n"))
    for change in changes:
        backups.apply(change)


def unwritten_store() -> str | None:
    """A NEO4J_URI of this shell that an existing config.toml does not name: the worker would not find it later."""
    uri = os.environ.get("NEO4J_URI")
    return uri if uri and config.load().neo4j_uri != uri else None


def _password_file() -> Path:
    return Path(paths.config_file(paths.NEO4J_PASSWORD))


def _as_toml(value: Any) -> str:
    """JSON's texts, lists and truth values are TOML's too; `1_000_000` is TOML's alone."""
    number = isinstance(value, int) and not isinstance(value, bool)
    return f"{value:_}" if number else json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.writelines(line + "\n" for line in readme_list())
