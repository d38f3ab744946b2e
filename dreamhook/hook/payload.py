"""What a hook knows of a payload without parsing it, by the names that its harness's wrapper gave (consent.py)."""

from dreamhook.hook.consent import Options


def is_start(payload: bytes, options: Options) -> bool:
    """Whether a conversation begins or goes on."""
    return _is_event(payload, options, options["--start-event"])


def goes_on(payload: bytes, options: Options) -> bool:
    """Whether a start's conversation still holds what it was told."""
    source = text_of(value_of(payload, options["--source-key"])).decode("utf-8", "replace")
    return source in options["--goes-on"].split(",")


def is_after_tool(payload: bytes, options: Options) -> bool:
    """Whether this comes after a tool, of a harness that is told then what its start should have told."""
    return options["--after-tool"] != "" and _is_event(payload, options, options["--after-tool"])


def conversation(payload: bytes, options: Options) -> bytes:
    """The harness's id of the conversation; empty without one."""
    return text_of(value_of(payload, options["--session-key"]))


def value_of(payload: bytes, key: str) -> bytes:
    """The beginning of a key's value as it stands, at most 80 bytes; empty without the key."""
    quoted = f'"{key}"'.encode()
    at = payload.find(quoted)
    if at < 0:
        return b""
    at += len(quoted)
    return payload[at : at + 80].lstrip(b" \t\r\n:")


def text_of(value: bytes) -> bytes:
    """What stands between the quotes of a value that is a text."""
    return value[1:].partition(b'"')[0]


def _is_event(payload: bytes, options: Options, name: str) -> bool:
    return value_of(payload, options["--event-key"]).startswith(f'"{name}"'.encode())
