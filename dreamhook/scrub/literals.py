# ruff: noqa: E501 - tables
"""Could these bytes hold a secret? Asked by every hook, so builtins only: no `re`, no `json`.

A superset of the scrubber: whatever scrub_payload would change is suspicious here (a property test holds it);
a false "yes" only costs the import of the scrubber. Literals are those of rules.RULES, kept equal by a test.
"""

IN_WORDS = tuple(
    b"AKIA ASIA ABIA ACCA A3T ABSK ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glrt- glft- glsoat- glffct- glptt- "
    b"glcbt- glimt- glagent- gloas- GR1348941 sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- T3BlbkFJ xoxb- xoxp- "
    b"xoxe xoxo- xoxs- xoxa- xoxr- xapp- sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ whsec_ AIza ya29. GOCSPX- npm_ "
    b"pypi-AgE hf_ api_org_ .eyJ SG. dop_v1_ doo_v1_ dor_v1_ dapi hvs. hvb. .atlasv1. shpat_ shpca_ shppa_ shpss_ Q~ "
    b"ntn_ lin_api_ PMAK- pul- rubygems_ glsa_ glc_ eyJrIjoi ops_eyJ AGE-SECRET-KEY-1 dp.pt. sntryu_ sntrys_ pplx- "
    b"pscale_ fo1_ fm1r_ fm1a_ fm2_ sq0atp- sq0csp- ATATT3 xai- gsk_ r8_ nvapi- tvly- sbp_ bedrock-api-key- key-".split()
)
"""Inside a run of 16 or more characters of `WORD`: most text has few such runs, so these tests are nearly free."""
WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.~+/"
SHORTEST = 16

ANYWHERE = (b"_gitlab_session", b"-----BEGIN", b"hooks.slack.com", b"1//0", b":AA")
IN_LOWER = (b"<private", b"sig=", b"bearer ")
FOLLOWED = ((b"sk-", 20), (b"SK", 32))
"""Literal too common alone: so many letters and digits must follow."""
TOGETHER = (
    (b"curl", b" -u"),
    (b"curl", b"--user"),
    (b"mysql", b" -p"),
    (b"sshpass", b" -p"),
    (b"login", b"password"),
)

KEYWORDS = (
    b"passw", b"passphrase", b"_pass", b"-pass", b"pwd", b"secret", b"token", b"credential", b"auth", b"cookie",
    b"accountkey", b"sharedaccesskey", b"connectionstring", b"connection_string",
)  # fmt: skip
"""Part of a name that a value is given to, in lower case."""
KEYS = (
    b"api",
    b"access",
    b"private",
    b"account",
    b"auth",
    b"signing",
    b"encryption",
    b"subscription",
    b"license",
    b"master",
)
"""What makes "key" such a name."""
NOT_SECRET = tuple(
    b"file path url uri name type dir length size count limit field prefix suffix ttl expiry expires expiresin expiration "
    b"policy reset hint label placeholder strategy format regex pattern env header error message required enabled "
    b"min max age index kind class method endpoint scope scopes budget usage version tokens tokenid keyid ids".split()
)
"""A name ending so is about a secret, not one."""

FILES = (
    b"id_rsa", b"id_dsa", b"id_ecdsa", b"id_ed25519", b".netrc", b"_netrc", b".pgpass", b".npmrc", b".pypirc", b"kubeconfig",
    b"auth.json", b".git-credentials", b".htpasswd", b".vault-token", b"default_credentials.json", b".aws/",
    b".kube/", b".gnupg/", b".docker/config.json", b"gh/hosts.yml", b"secrets.yml", b"secrets.yaml", b"secrets.json",
    b"secrets.toml",
)  # fmt: skip
"""Parts of the paths that files.is_secret_file knows, in lower case."""
FILE_ENDS = (
    b".env",
    b".pem",
    b".key",
    b".p12",
    b".pfx",
    b".ppk",
    b".jks",
    b".keystore",
    b".kdbx",
    b"credentials",
    b"credentials.json",
)
COMMANDS = (b'"command"', b'"cmd"', b'"script"', b'"commands"', b'"commandline"', b'"command_line"')
_AFTER_FILE = b" \"'\\;|&<>()[]`:,@=\t\r\n"
_NAME = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
_KEEP = bytes(c if c in WORD else 32 for c in range(256))
_MANY = 500
_WINDOW = 200


def suspicious(raw: bytes) -> bool:
    """Whether the scrubber must look at this payload. Never raises; linear."""
    if b"\\u00" in raw and any(
        b"\\u00" + digit in raw for digit in (b"2", b"3", b"4", b"5", b"6", b"7")
    ):
        return True  # an escape can hide any of the literals
    if b"\0" in raw:
        return True  # another encoding
    for _ in range(8):
        if b"\\/" not in raw:
            break
        raw = raw.replace(b"\\/", b"/")
    for escape in (b"\\u001b[", b"\\u001B[", b"\x1b["):
        if escape in raw:
            raw = _uncoloured(raw, escape)
    words = set(raw.translate(_KEEP).split())  # each once: a long text has few different ones
    long = b" ".join([word for word in words if len(word) >= SHORTEST])
    for literal in IN_WORDS:
        if literal in long:
            return True
    for literal, length in FOLLOWED:
        if literal in long and _followed(long, literal, length):
            return True
    for literal in ANYWHERE:
        if literal in raw:
            return True
    low = raw.lower()
    for literal in IN_LOWER:
        if literal in low:
            return True
    every = b" ".join(words).lower()
    for first, second in TOGETHER:
        if first in every and second in low:
            return True
    return _userinfo(raw) or _file(low, every) or _assigned(low, every)


def _uncoloured(raw: bytes, escape: bytes) -> bytes:
    """Without colour codes: grep puts them next to, and inside, what it found."""
    first, *rest = raw.split(escape)
    kept = [first]
    for piece in rest:
        code, m, text = piece.partition(b"m")
        coloured = m and (not code or code.replace(b";", b"").isdigit() or not code.strip(b";"))
        kept.append(text if coloured else escape + piece)
    return b"".join(kept)


def _followed(raw: bytes, literal: bytes, length: int) -> bool:
    at = raw.find(literal)
    while at >= 0:
        after = raw[at + len(literal) : at + len(literal) + length]
        if len(after) == length and after.isalnum():
            return True
        at = raw.find(literal, at + 1)
    return False


def _userinfo(raw: bytes) -> bool:
    """scheme://user:password@ or scheme://token@."""
    if b"://" not in raw or b"@" not in raw:
        return False
    for piece in raw.split(b"://")[1:]:
        authority = piece[:800].partition(b"/")[0].partition(b'"')[0].partition(b" ")[0]
        user, at, _ = authority.rpartition(b"@")
        if at and (b":" in user or len(user) >= 20):
            return True
    return False


def _file(low: bytes, every: bytes) -> bool:
    """A path of a secret file, as a value or in a command."""
    for name in FILES:
        if name in every:
            return True
    if b"\\\\" in low and (
        b".aws\\" in low
        or b".kube\\" in low
        or b".gnupg\\" in low
        or b".docker\\" in low
        or b"gh\\" in low
    ):
        return True
    command = any(key in low for key in COMMANDS)
    for end in FILE_ENDS:
        if end not in every:
            continue
        at = low.find(end)
        while at >= 0:
            after = low[at + len(end) : at + len(end) + 1]
            variable = end == b".env" and low[max(0, at - 7) : at].endswith((b"process", b"meta"))
            if not variable and (
                after in (b"", b'"', b"\\")
                or (end == b".env" and after in b".r-_")
                or (command and after in _AFTER_FILE)
            ):
                return True
            at = low.find(end, at + 1)
    return False


def _assigned(low: bytes, every: bytes) -> bool:
    """A secret's name and, next to it, what could be its value."""
    seen = 0
    for keyword in KEYWORDS:
        at = low.find(keyword) if keyword in every else -1
        while at >= 0:
            seen += 1
            if seen > _MANY or _value_follows(low, at, at + len(keyword)):
                return True
            at = low.find(keyword, at + len(keyword))
    at = low.find(b"key")
    while at >= 0:
        if low[max(0, at - 14) : at].rstrip(b"-_.").endswith(KEYS):
            seen += 1
            if seen > _MANY or _value_follows(low, at, at + 3):
                return True
        at = low.find(b"key", at + 3)
    return False


def _value_follows(low: bytes, start: int, end: int) -> bool:
    window = low[end : end + _WINDOW].replace(b"\\t", b" ")
    rest = window.lstrip(_NAME)
    if (
        low[end - 4 : end] in (b"auth", b"pass")
        and rest != window
        and window[:1].isalpha()
        and window[:9] != b"orization"
    ):
        return False  # author, _passed
    name = low[start:end] + window[: len(window) - len(rest)]
    if name.replace(b"_", b"").replace(b"-", b"").replace(b".", b"").endswith(NOT_SECRET):
        return False
    after = rest.lstrip(b" \t\r\n\\\"'`]")
    if not after and end + _WINDOW <= len(low):
        return True
    if after[:1] in (b"=", b":", b"!", b"+", b",", b">"):
        return after[:1] != b"," or len(after) < len(rest)
    # --password x
    return after != rest and b"--" in low[max(0, start - 40) : start]
