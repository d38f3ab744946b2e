"""What a hook was told: its command line, read by hand, and the person's switches, each no more than a `stat`.

argparse costs more than the whole hook, and so would a settings file.
"""

import os

from dreamhook import paths

PAUSED = "/paused"
"""In the state folder; while it is there, hooks do nothing. Made and removed by `dreamhook pause` and `resume`."""
EXCLUDED = "/excluded"
"""Compiled rules of what is not recorded, see dreamhook/exclusion.py: `<word>\\t<rule>\\n` each."""
DREAM_PROMPTS = (
    b"You consolidate what happened in coding sessions into a small set of notes.",
    b"<dreamhook-dream>",
)
"""How what the dream asks begins (dream/prompts/system.md, input.md): its session is known by more than a variable."""


def parse(argv: list[str]) -> tuple[str, bytes]:
    """`--client NAME [--nothing TEXT] [--home FOLDER] [log_event|inject]` → (client, what to print for nothing).

    `--home` is how an installation with its own DREAMHOOK_HOME reaches hooks whose environment lacks it.
    """
    client, nothing = "", ""
    for name, value in zip(argv, argv[1:], strict=False):
        if name == "--client":
            client = value
        elif name == "--nothing":
            nothing = value
        elif name == "--home":
            os.environ["DREAMHOOK_HOME"] = value
    return client, nothing.encode() + b"\n" if nothing else b""


def switched_off() -> bool:
    """By the environment, or by a file: Codex's full-screen mode has the environment of its first session only."""
    return os.environ.get("DREAMHOOK_OFF") == "1" or os.path.exists(paths.state_dir() + PAUSED)


def unwanted(payload: bytes) -> bool:
    """Whether nothing may be recorded of this payload, or recalled for it."""
    if any(words in payload and _begins_prompt(payload, words) for words in DREAM_PROMPTS):
        return True  # a file or an answer that only speaks of it does not make a dream
    rules = _rules()
    if not rules:
        return False
    folder = started_in()
    seen = payload.lower() + os.fsencode(folder).lower()
    if not any(rule.partition(b"\t")[0] in seen for rule in rules):
        return False
    from dreamhook.repository.exclusion import covers

    return covers(
        payload,
        folder,
        [rule.partition(b"\t")[2].decode("utf-8", "surrogateescape") for rule in rules],
    )


def started_in() -> str:
    """The folder of this hook; "" when it was removed meanwhile: the payload names it still."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _begins_prompt(payload: bytes, words: bytes) -> bool:
    at = payload.find(b'"prompt"') + 8
    return at >= 8 and payload[at : at + len(words) + 40].lstrip(b" \t\r\n:").startswith(
        b'"' + words
    )


def _rules() -> list[bytes]:
    """The compiled rules; compiled again first when config.toml is not the one they were made from."""
    file = paths.state_dir() + EXCLUDED
    if _changed(paths.config_file()) != _changed(file):
        from dreamhook.config import ConfigError
        from dreamhook.repository.exclusion import refresh

        try:
            refresh()
        except (ConfigError, OSError):
            pass  # what was excluded stays excluded; `dreamhook doctor` names the mistake
    try:
        with open(file, "rb") as compiled:
            return compiled.read().splitlines()
    except FileNotFoundError:
        return []


def _changed(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except FileNotFoundError:
        return 0
