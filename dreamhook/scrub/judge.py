# ruff: noqa: E501 - tables
"""Is what stands next to a secret's name a secret? Told apart from code, prose, placeholders and settings about secrets."""

import re

from dreamhook.scrub.literals import NOT_SECRET
from dreamhook.scrub.rules import KEYWORD, compiled

_ABOUT = tuple(end.decode() for end in NOT_SECRET)
_NAME = r"(?i)" + KEYWORD + r"[\w.-]{0,40}\Z"
_PLAIN_NAME = r"(?i)" + KEYWORD + r"\Z"
_NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."
_STRONG = ("pass", "pwd", "secret", "private", "credential")
_REFERENCE = r"""(?ix)
    \$(?:\{.*|\(.*|[a-z_]\w*\Z) | <.*>?\Z | \{.*\}\Z | \{\{.* | %\w+%\Z | %[(sd].* | [*x.•\-_?#0]{3,}\Z | \[?(?:redacted|private|masked)\b.* |
    (?:process|import\.meta|meta)\.env\b.* | os\.(?:environ|getenv)\b.* | (?:get)?env[.(\[].* | \$?secrets\.\w.* | (?:op|vault|ref\+\w*|file|https?|ssh)://.* |
    (?:https?|op|vault|ref):?\Z | arn:.* | neo4j/.* | data:.* | sha\d{1,3}[-:].* | (?:\.{0,2}|~)/[\w./-]*\Z |
    (?:your|example|placeholder|change|insert|enter|put|todo)[_\- ].* |
    changeme|changeit|example|placeholder|required|optional|redacted|hidden|masked|secret|password|passwd|passphrase|token|
    none|null|nil|true|false|undefined|string|str|bytes|int|integer|number|bool|boolean|object|array|any|text|optional.*
    """
_VERSION = r"[~^<>=v]{0,3}\d+(?:\.[\dx*]+)+(?:[-+.][\w.+-]*)?\Z|\d{4}-\d\d-\d\d(?:[T ].*)?\Z"
_CODE = r"[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+\Z|[a-z]+(?:_[a-z0-9]+)+\Z|[A-Z]+(?:_[A-Z0-9]+)+\Z|[A-Za-z_]+\Z"


def is_name(text: str) -> bool:
    """Whether a value of this name is a secret: `password`, `GITHUB_TOKEN`, `X-Api-Key`; not `max_tokens`, `password_file`."""
    end = text[-120:]
    found = compiled(_NAME).search(end) or (
        None
        if end.lower() not in ("authorization", "proxy-authorization", "cookie", "set-cookie")
        else end
    )
    return found is not None and not about(end)


def is_plain_name(name: str) -> bool:
    """It ends with the secret's word: `password`, not `password_attempts`."""
    return compiled(_PLAIN_NAME).search(name[-120:]) is not None


def about(name: str) -> bool:
    return name.lower().replace("_", "").replace("-", "").replace(".", "").endswith(_ABOUT)


def is_reference(value: str) -> bool:
    """A variable, a placeholder, a path or a type: where a secret would be, but none."""
    if "[REDACTED:" in value or "[\0\0" in value or "[PRIVATE]" in value:
        return True
    return (
        compiled(_REFERENCE).fullmatch(value) is not None
        or compiled(_VERSION).match(value) is not None
    )


def is_member_secret(name: str, value: str) -> bool:
    """The value of a secret-named key of an object, or a quoted value of a quoted name."""
    if is_reference(value) or not value.strip():
        return False
    if _strong(name) or name.lower().endswith(("authorization", "cookie")):
        return True
    return (
        " " not in value
        and len(value) >= 8
        and (len(value) >= 16 or _mixed(value))
        and len(set(value)) >= 5
    )


def is_secret(found: re.Match[str]) -> bool:
    """Judges a match of a row of rules.RULES with a candidate in group `q` (quoted) or `v`."""
    if "tail" in found.re.groupindex:
        return _is_assigned(found)
    value = found["v"]
    before = found.string[max(0, found.start() - 400) : found.start()]
    if found[0].startswith(("-u", "--user")) and "curl" not in before:
        return False  # docker run -u 1000:1000
    return (
        not is_reference(value)
        and (len(value) < 20 or len(set(value)) > 3)
        and _not_word(found, value)
    )


def _is_assigned(found: re.Match[str]) -> bool:
    separator = found["sep"]
    start, text = found.start(), found.string
    before = text[max(0, start - 40) : start]
    head = before[len(before.rstrip(_NAME_CHARACTERS)) :]
    if separator == "" and "--" not in head:
        return False
    groups = found.groupdict()
    value = groups["q"] or groups["v"]
    if about(text[start : found.end("tail")]) or is_reference(value):
        return False
    if head and before[: len(before) - len(head)].endswith("\\"):
        head = head[1:]  # the letter of a JSON escape
    name = head + text[start : found.end("tail")]
    quoted = groups["q"] is not None
    if separator == ">" and not before[: len(before) - len(head)].endswith("<"):
        return False
    if quoted and groups["close"] and separator in (":", ",", "=>", "="):
        return is_member_secret(name, value) and (separator == ":" or _mixed(value))
    strong = _strong(name)
    tight = text[found.end("close") : found.start("q" if quoted else "v")].strip("\\\"'`") == "="
    if not quoted and not tight and separator == "=" and compiled(_CODE).match(value):
        return False
    shell = separator == "=" and name.upper() == name
    if shell or separator == "" or (separator == "=" and "--" in head):
        return (
            len(value) >= (4 if strong else 8)
            and (strong or _mixed(value) or len(value) >= 16)
            and not (not quoted and _call(groups))
        )
    if " " in value or "\t" in value:
        return False
    if not quoted and (_call(groups) or compiled(_CODE).match(value) or value[-1] in ":)"):
        return False
    if strong:
        return len(value) >= 6 and _mixed(value)
    digits = sum(c.isdigit() for c in value)
    return (
        len(value) >= 8
        and _mixed(value)
        and len(set(value)) >= 6
        and (quoted or digits >= 2 or len(value) >= 20)
    )


def _strong(name: str) -> bool:
    name = name.lower()
    return any(word in name for word in _STRONG)


def _call(groups: dict[str, str]) -> bool:
    return groups["after"] is not None and groups["after"] != ""


def _mixed(value: str) -> bool:
    """Letters with digits or signs between, or capitals in the middle: not a word."""
    letters = any(c.isalpha() for c in value)
    if letters and any(c.isdigit() for c in value):
        return True
    if any(c in "!#$%^&*+=?/~@" for c in value):
        return letters
    return value[1:] not in (value[1:].lower(), value[1:].upper()) and not value.isalpha()


def _not_word(found: re.Match[str], value: str) -> bool:
    """Headers appear in prose: "Authorization: required", "Bearer authentication"."""
    if "uthorization" not in found[0] and "earer" not in found[0]:
        return True
    return _mixed(value) or (len(value) >= 16 and not value.isalpha()) or len(value) >= 40
