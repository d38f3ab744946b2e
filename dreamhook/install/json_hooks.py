"""Our entries in a harness's JSON settings file."""

import json
from typing import Any

from dreamhook.install import json_text
from dreamhook.install.entries import Entry, Refused, merged_hooks, own_at, strays_at


def parse(text: str) -> Entry:
    """The settings in a file, `{}` for an empty one. Raises Refused for what we cannot extend."""
    try:
        data = json.loads(text, parse_constant=_no_constant) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise Refused(f"not valid JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise Refused("nested too deeply") from None
    if not isinstance(data, dict):
        raise Refused("the top level is not an object", 1)
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict):
        raise Refused('"hooks" is not an object', _line(text, "hooks"))
    for event, entries in hooks.items():
        if not isinstance(entries, list):
            raise Refused(
                f'"hooks" has "{event}", which is not a list', _line(text, "hooks", event)
            )
    version = data.get("version", 1)
    if not isinstance(version, (int, float)) or isinstance(version, bool):
        raise Refused('"version" is not a number', _line(text, "version"))
    return data


def merge(text: str, fragment: Entry, wrappers: set[str]) -> str:
    """The text with exactly the fragment's entries of ours in it."""
    data = parse(text)
    wanted: dict[str, list[Entry]] = fragment["hooks"]
    expected = {key: value for key, value in fragment.items() if key not in data} | data
    expected["hooks"] = merged_hooks(data.get("hooks", {}), wanted, wrappers, set())
    if expected == data:
        return text
    new = text if text.strip() else "{}\n"
    for key, value in fragment.items():
        if key not in data:
            new = json_text.append(new, (), {} if key == "hooks" else value, key)
    for event in list(data.get("hooks", {})):
        new = _settle(new, event, wanted.get(event, []), wrappers, keep=event in wanted)
    for event, groups in wanted.items():
        if event not in data.get("hooks", {}):
            new = json_text.append(new, ("hooks",), groups, event)
    return _checked(new, expected)


def strip(text: str, wrappers: set[str], original: Entry) -> str:
    """The text without our entries, and without the keys that were not in the `original` and are empty now."""
    data = parse(text)
    known: Entry = original.get("hooks", {})
    expected = dict(data)
    if "hooks" in data:
        expected["hooks"] = merged_hooks(data["hooks"], {}, wrappers, set(known))
    if expected == data:
        return text
    new = text
    for event in list(data["hooks"]):
        new = _settle(new, event, [], wrappers, keep=event in known)
    for key in ("hooks", "version"):
        alone = expected.get(key) == {} or (key == "version" and list(expected) == [key])
        if key in expected and key not in original and alone:
            new = json_text.remove(new, (key,))
            del expected[key]
    return _checked(new, expected)


def _settle(text: str, event: str, wanted: list[Entry], wrappers: set[str], keep: bool) -> str:
    """One event's list: ours replaced in place, the rest added or removed; the list goes when it is empty."""
    entries = parse(text)["hooks"][event]
    for index, inner in reversed(strays_at(entries, wrappers)):
        text = json_text.remove(text, ("hooks", event, index, "hooks", inner))
    own = own_at(entries, wrappers)
    touched = bool(own) or bool(strays_at(entries, wrappers))
    for index, content in zip(own, wanted, strict=False):
        if entries[index] != content:
            text = json_text.replace(text, ("hooks", event, index), content)
    for index in reversed(own[len(wanted) :]):
        text = json_text.remove(text, ("hooks", event, index))
    for content in wanted[len(own) :]:
        text = json_text.append(text, ("hooks", event), content)
    if touched and not keep and not parse(text)["hooks"][event]:
        text = json_text.remove(text, ("hooks", event))
    return text


def _checked(text: str, expected: Entry) -> str:
    """The edit may only do what the data says. A doubled key, for one, could make it do something else."""
    if parse(text) != expected:
        raise Refused(
            "written in a way that cannot be extended safely (a key that is there twice?)"
        )
    return text


def _line(text: str, *path: str) -> int:
    return text.count("\n", 0, json_text.find(text, *path).start) + 1


def _no_constant(name: str) -> Any:
    raise json.JSONDecodeError(f"{name} is no JSON", name, 0)
