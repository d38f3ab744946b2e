"""What a hook was told: its command line, read by hand, and the person's switches, each no more than a `stat`.

argparse costs more than the whole hook, and so would a settings file.
"""

import os

from dreamhook import paths

DREAM_PROMPTS = (
    b"You consolidate what happened in coding sessions into a small set of notes.",
    b"<dreamhook-dream>",
)
"""How what the dream asks begins (dream/prompts/system.md, input.md): its session is known by more than a variable."""

Options = dict[str, str]
DEFAULTS = {
    "--client": "",
    "--nothing": "",  # what is printed when there is nothing to say
    "--event-key": "hook_event_name",
    "--session-key": "session_id",
    "--start-event": "SessionStart",
    "--source-key": "source",  # says how a start came about
    "--goes-on": "resume,fork",  # sources of a start whose conversation still holds what it was told
    "--foreign-key": "",  # marks the payload of another harness that runs the same hooks
    "--folder-variable": "",  # names the conversation's folder, where a hook may run in another one
    # For a harness that may lose what a start was told: after a tool it is told then.
    "--after-tool": "",  # the event
    "--nothing-after-tool": "",
    "--exit-status-key": "",  # in a tool's output, which is JSON inside a JSON text
}
"""What a wrapper may say of its harness, and what holds for one that does not. Old wrappers say `--client` alone."""


def parse(argv: list[str]) -> Options:
    """The options of a wrapper (see DEFAULTS) and `log_event` or `inject`.

    `--home` is how an installation with its own DREAMHOOK_HOME reaches hooks whose environment lacks it.
    """
    options = DEFAULTS | dict(zip(argv, argv[1:], strict=False))
    if "--home" in options:
        os.environ["DREAMHOOK_HOME"] = options["--home"]
    return options


def printed(text: str) -> bytes:
    """What is printed for nothing: a line, or no bytes at all."""
    return text.encode() + b"\n" if text else b""


def switched_off() -> bool:
    """By the environment, or by a file: a harness may keep the environment of its first session for all hooks."""
    return os.environ.get("DREAMHOOK_OFF") == "1" or os.path.exists(paths.state_file(paths.PAUSED))


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
    file = paths.state_file(paths.EXCLUDED)
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
