# ruff: noqa: E501 - samples are one line
"""The scrubber: every kind of secret goes, in every carrier; what is no secret stays; the hook's test misses nothing."""

import base64
import hashlib
import importlib.util
import json
import random
import re
import stat
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dreamhook.scrub import literals, rules
from dreamhook.scrub.key import load_key
from dreamhook.scrub.literals import suspicious
from dreamhook.scrub.scrub import scrub_payload, scrub_text, scrub_value
from dreamhook.scrub.secret_files import is_secret_file

_spec = importlib.util.spec_from_file_location(
    "fake_tokens", Path(__file__).with_name("fake_tokens.py")
)
assert _spec is not None
assert _spec.loader is not None
fake_tokens = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fake_tokens)
fake, parts = fake_tokens.fake, fake_tokens.parts

KEY = bytes(range(32))
ROOT = Path(__file__).parents[2]
SAMPLES = [pytest.param(row[3], id=f"{row[0]}-{n}") for n, row in enumerate(rules.RULES)]
MARKER = re.compile(r"\[REDACTED:[a-z0-9-]+:[0-9a-f]{8}\]")
FILLER = "The quick brown fox jumps over the lazy dog.\n" * 2300
CARRIERS = {
    "bare": "{}",
    "sentence": "please use {} for this",
    "shell export": "export SOME_NAME='{}'",
    "quoted": 'value = "{}"',
    "query": "https://example.com/path?q={}&page=2",
    "header": "X-Thing: {}",
    "next line, escaped twice": "first\\n{}",
    "coloured": "\x1b[01;31m{}\x1b[0m",
    "in 200 kB": FILLER + "{}\n" + FILLER,
}


def payload(text: str, **more: object) -> bytes:
    return json.dumps(
        {"hook_event_name": "PostToolUse", "tool_response": text, **more}, ensure_ascii=False
    ).encode()


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_secret_of_every_kind_is_replaced_in_every_carrier(sample: str, carrier: str) -> None:
    for seed in range(3):
        text = CARRIERS[carrier].replace("{}", fake(sample, seed))
        for scrubbed in (scrub_text(text, KEY), scrub_payload(payload(text), KEY).decode()):
            assert [part for part in parts(sample, seed) if part in scrubbed] == []
            assert MARKER.search(scrubbed)
        assert suspicious(payload(text))


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_token_hidden_by_json_escapes_is_found(sample: str) -> None:
    token = fake(sample, 1)
    everything = "".join(f"\\u{ord(c):04x}" for c in token)
    dashes = "".join(f"\\u{ord(c):04X}" if c in "-_.=:" else c for c in json.dumps(token)[1:-1])
    slashes = json.dumps(token)[1:-1].replace("/", "\\/")
    for hidden in (everything, dashes, slashes):
        raw = b'{"prompt":"x ' + hidden.encode() + b' y"}'
        assert suspicious(raw)
        assert [
            part
            for part in parts(sample, 1)
            if part in json.loads(scrub_payload(raw, KEY))["prompt"]
        ] == []
        # the same text inside a JSON text inside a tool's output, and cut off
        for nested in (json.dumps({"tool_response": raw.decode()}).encode(), raw[:-2]):
            assert suspicious(nested)
            plain = scrub_payload(nested, KEY).decode()
            for _ in range(2):
                plain = re.sub(
                    r"\\+u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), plain
                ).replace("\\/", "/")
            assert [part for part in parts(sample, 1) if part in plain] == []


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_token_among_invalid_utf8_is_found_and_the_rest_is_kept(sample: str) -> None:
    token = fake(sample, 2).encode()
    for raw in (
        b"\xff\xfe\x80 " + token + b"\n\xff\xc3",
        b'{"prompt": "\xff ' + json.dumps(token.decode())[1:-1].encode() + b' \xc3"}',
    ):
        scrubbed = scrub_payload(raw, KEY)
        assert suspicious(raw)
        assert b"\xff" in scrubbed
        assert [part for part in parts(sample, 2) if part.encode() in scrubbed] == []


def test_a_secret_in_another_encoding_is_found() -> None:
    raw = payload("use " + fake("ghp_{an36}", 1))
    for other in (
        raw.decode().encode("utf-16"),
        raw.decode().encode("utf-32-le"),
        b"\xef\xbb\xbf" + raw,
    ):
        assert suspicious(other)
        assert b"[REDACTED:github:" in scrub_payload(other, KEY)


def test_colours_around_a_secret_stay_where_they_were() -> None:
    scrubbed = scrub_text(
        "a \x1b[01;31m" + fake("ghp_{an36}", 1) + "\x1b[0m b \\u0041\x1b[1mc", KEY
    )
    assert re.fullmatch(
        r"a \x1b\[01;31m\[REDACTED:github:\w{8}\]\x1b\[0m b \\u0041\x1b\[1mc", scrubbed
    )
    split = fake("ghp_{an36}", 1)
    assert split[20:] not in scrub_text(f"\x1b[32m{split[:20]}\x1b[0m{split[20:]}", KEY)


def test_equal_secrets_stay_equal_and_the_key_changes_the_hash() -> None:
    token = fake("ghp_{an36}", 1)
    first, second = MARKER.findall(scrub_text(f"{token} and {token}", KEY))
    assert first == second
    assert scrub_text(token, KEY) != scrub_text(token, KEY[::-1])


def test_only_the_secret_goes() -> None:
    password = fake("{an16}", 1)
    assert re.fullmatch(
        r"neo4j\+s://neo4j:\[REDACTED:url-password:\w{8}\]@db\.example\.com:7687",
        scrub_text(f"neo4j+s://neo4j:{password}@db.example.com:7687", KEY),
    )
    assert re.fullmatch(
        r"NEO4J_AUTH=neo4j/\[REDACTED:neo4j-auth:\w{8}\] x",
        scrub_text(f"NEO4J_AUTH=neo4j/{password} x", KEY),
    )
    assert re.fullmatch(
        r"redis://:\[REDACTED:url-password:\w{8}\]@h", scrub_text("redis://:pw@h", KEY)
    )


ASSIGNMENTS = (
    """
export NEO4J_PASSWORD=@ | PGPASSWORD=@ psql | MYSQL_PWD='@' | password: @ | password = "@" | "password": "@" | 'api_key': '@'
\\"client_secret\\": \\"@\\" | --password @ | --api-key=@ | <password>@</password> | x-api-key: @ | curl -u me:@ https://a.b
?access_token=@&x=1 | PRIVATE-TOKEN: @ | api_key: str = "@" | secret := "@" | mysql://root:@@db/x | Authorization: Token @
aws_secret_access_key = @ | "Authorization": "Bearer @" | ("X-Auth-Token", "@") | Password=@;Server=x | //host/:_authToken=@
""".strip()
    .replace("\n", " | ")
    .split(" | ")
)


@pytest.mark.parametrize("form", ASSIGNMENTS)
def test_the_value_of_a_secret_name_is_replaced(form: str) -> None:
    head, _, tail = (
        form.rpartition("@")
        if form.count("@") == 1
        else (form[: form.index("@")], "", form[form.index("@") + 1 :])
    )
    for seed in range(20):
        value = fake("{an10}7{an9}", seed)
        text = head + value + tail
        assert value not in scrub_text(text, KEY)
        assert scrub_text(text, KEY).startswith(head)
        assert suspicious(payload(text))


KEPT = (
    """
the token: it expires | password reset flow: see docs | def get_token(self): | token = request.headers | secret_key: str
password = os.environ["DB_PASSWORD"] | token: process.env.API_TOKEN | API_TOKEN=${API_TOKEN} | GITHUB_TOKEN=$GITHUB_TOKEN
password: ${{ secrets.DB_PASSWORD }} | password: <your-password> | commit 3f786850e387550fdab836ed7e6dc881de23001b
550e8400-e29b-41d4-a716-446655440000 | "js-tokens": "^3.0.0 || ^4.0.0" | "@types/jsonwebtoken": "^9.0.1" | max_tokens: 4096
"input_tokens": 123456 | const token = getToken2(user); | if token is None: | token_type: bearer | author: John Smith 1984
Authorization: required | docker run -u 1000:1000 alpine | git@github.com:org/repo.git | ssh://git@host:22/path
http://localhost:7474/browser | docker://alpine:3.19@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
token_url = "https://example.com/oauth2/token" | password_file = "/etc/neo4j/password" | secret = get_secret("db/prod1")
access_token: Annotated[str, Depends(scheme2)] | api_key=api_key, | sk-learn task-runner risk-based disk-0123456789
csrf_token = models.CharField(max_length=64) | PWD=/home/dev/acme1 | token.type === 'string12' | cookie: accepted
""".strip()
    .replace("\n", " | ")
    .split(" | ")
)


@pytest.mark.parametrize("text", [*KEPT, "pk_" + "live_abcdefghijklmnop1234567890"])
def test_what_is_no_secret_stays(text: str) -> None:
    assert scrub_text(text, KEY) == text
    assert scrub_payload(payload(text), KEY) == payload(text)


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_token_too_short_or_a_variable_in_its_place_stays(sample: str) -> None:
    shape = re.sub(r"\{(?!=)[^}]*\}", "", sample)
    variable = re.sub(r"(\{(?!=)[^}]*\})+", "${NAME}", sample, count=1).split("}")[0] + "}"
    for text in (re.sub(r"\{=(\w+)\}", r"\1", shape)[:12], variable):
        if not re.search("PRIVATE|sig=|Digest|Cookie", text):  # replaced whatever the value
            assert scrub_text(text, KEY) == text


def clean_corpus() -> list[str]:
    """2 kB pieces of code, prose, lock files, hashes and images that hold no secret."""
    draw = random.Random("clean corpus")
    texts = [
        file.read_text(encoding="utf-8")
        for pattern in (
            "dreamhook/**/*.py",
            "dream/**/*.py",
            "cypher/**/*.cypher",
            "*.md",
            "pyproject.toml",
            "LICENSE",
        )
        for file in sorted(ROOT.glob(pattern))
        if "scrub" not in file.parts
    ]
    pairs = [(draw.randbytes(64), draw.randbytes(20)) for _ in range(200)]
    texts += [
        "\n".join(
            f"{sha.hex()} {uuid.UUID(bytes=sha[:16])} Fix token handling" for _, sha in pairs
        ),
        json.dumps(
            {
                f"node_modules/token-{n}": {
                    "version": f"{n}.2.3",
                    "integrity": "sha512-" + base64.b64encode(data).decode(),
                    "dependencies": {"js-tokens": "^4.0.0", "password-prompt": "^1.1.2"},
                }
                for n, (data, _) in enumerate(pairs)
            },
            indent=2,
        ),
        "\n".join(
            f'    {{file = "secret-{sha.hex()[:6]}.whl", hash = "sha256:{hashlib.sha256(sha).hexdigest()}"}},'
            for _, sha in pairs
        ),
        "![x](data:image/png;base64," + base64.b64encode(draw.randbytes(200_000)).decode() + ")",
    ]
    return [text[at : at + 2000] for text in texts for at in range(0, len(text), 2000)]


def test_at_most_one_clean_text_in_a_hundred_is_touched() -> None:
    pieces = clean_corpus()
    touched = [piece for piece in pieces if scrub_text(piece, KEY) != piece]
    assert len(pieces) > 200
    assert len(touched) <= len(pieces) / 100


def test_values_of_secret_named_keys_are_replaced_at_any_depth_and_keys_stay() -> None:
    value = {
        "a": [
            {
                "password": "x",
                "Authorization": "Bearer y",
                "tokens": 12,
                "password_file": "/p",
                "ok": True,
            }
        ],
        "secret": ["one", {"name": "two"}],
        "api_key": None,
        "pwd": 12345678,
        "passphrase": "${PASSPHRASE}",
    }
    scrubbed = scrub_value(value, KEY)
    assert isinstance(scrubbed, dict)
    inner = scrubbed["a"][0]
    assert MARKER.fullmatch(inner.pop("password"))
    assert MARKER.fullmatch(inner.pop("Authorization"))
    assert inner == {"tokens": 12, "password_file": "/p", "ok": True}
    assert MARKER.fullmatch(scrubbed["secret"][0])
    assert scrubbed["secret"][1] == {"name": "two"}
    assert MARKER.fullmatch(scrubbed["pwd"])
    assert (scrubbed["api_key"], scrubbed["passphrase"]) == (None, "${PASSPHRASE}")
    assert value["secret"] == ["one", {"name": "two"}]


def test_depth_is_no_error() -> None:
    token = fake("ghp_{an36}", 1)
    deep: object = token
    for _ in range(10_000):
        deep = [{"a": deep}]
    scrub_value(deep, KEY)
    raw = b'{"a":[' * 10_000 + json.dumps(token).encode() + b"]}" * 10_000
    assert token.encode() not in scrub_payload(raw, KEY)


def test_a_key_given_twice_does_not_hide_the_first_value() -> None:
    token = fake("ghp_{an36}", 1)
    assert token.encode() not in scrub_payload(b'{"a":"%s","a":"b"}' % token.encode(), KEY)


BODIES = [
    {
        "tool_name": "Read",
        "tool_input": {"file_path": "/app/.env"},
        "tool_response": {"file": {"content": "A=SECRETBODY"}},
    },
    {
        "tool_name": "Bash",
        "tool_input": {"command": "cd /app && cat .env.local"},
        "tool_response": "A=SECRETBODY",
    },
    {"tool_name": "Bash", "tool_input": {"command": "cat > .env <<E\nA=SECRETBODY\nE"}},
    {
        "tool_name": "shell",
        "tool_input": {"command": ["bash", "-lc", "head ~/.ssh/id_ed25519"]},
        "tool_output": "SECRETBODY",
    },
    {
        "tool_name": "apply_patch",
        "tool_input": {"command": "*** Begin Patch\n*** Add File: .env\n+A=SECRETBODY\n*** End"},
    },
    {
        "tool_name": "Write",
        "tool_input": {"file_path": "C:\\Users\\me\\.aws\\config", "content": "SECRETBODY"},
    },
    {
        "tool_name": "Edit",
        "tool_input": {"file_path": "server.key", "old_string": "x", "new_string": "SECRETBODY"},
    },
    {
        "hook_event_name": "beforeReadFile",
        "file_path": "/home/me/.codex/auth.json",
        "content": "SECRETBODY",
    },
    {
        "hook_event_name": "afterFileEdit",
        "file_path": ".npmrc",
        "edits": [{"old_string": "", "new_string": "SECRETBODY"}],
    },
    {
        "hook_event_name": "afterShellExecution",
        "command": "git diff HEAD -- prod.env",
        "output": "+A=SECRETBODY",
    },
]


@pytest.mark.parametrize("body", BODIES)
def test_the_content_of_a_secret_file_is_never_kept(body: dict[str, object]) -> None:
    raw = json.dumps(body).encode()
    assert suspicious(raw)
    scrubbed = scrub_payload(raw, KEY)
    assert b"SECRETBODY" not in scrubbed
    assert re.search(rb"\[REDACTED:file:\w{8}\] \d+ characters", scrubbed)
    assert scrub_payload(scrubbed, KEY) == scrubbed
    cut = scrub_payload(raw[:-1], KEY)
    assert raw[-40:-1] not in cut or b"SECRETBODY" not in cut


@pytest.mark.parametrize(
    "path",
    [".env.example", "id_rsa.pub", "src/environment.ts", "keys.py", "process.env", "auth.json.md"],
)
def test_a_file_that_is_like_a_secret_file_is_kept(path: str) -> None:
    assert not is_secret_file(path)
    raw = payload("plain", tool_input={"file_path": path})
    assert scrub_payload(raw, KEY) == raw


def test_private_passages_are_removed() -> None:
    assert scrub_text("a <private>b <private>c</private> d</private> e", KEY) == "a [PRIVATE] e"
    assert scrub_text("a <Private>b", KEY) == "a [PRIVATE]"
    assert scrub_text("a </private> b", KEY) == "a </private> b"
    assert scrub_text(r"a \u003cprivate\u003eb\u003c/private\u003e c", KEY) == "a [PRIVATE] c"
    raw = rb'{"prompt":"a \u003cprivate\u003eb","tool_response":{"stdout":"x <private>y\nz</private> w"},"cwd":"/w"}'
    assert suspicious(raw)
    assert json.loads(scrub_payload(raw, KEY)) == {
        "prompt": "a [PRIVATE]",
        "tool_response": {"stdout": "x [PRIVATE] w"},
        "cwd": "/w",
    }


def test_a_payload_without_a_secret_comes_back_byte_for_byte() -> None:
    for raw in (
        b"",
        b"{}",
        b'{ "a" : 1.0 , "b" : "\\u00e9\xc3\xa9" }\r\n',
        b"not json \xff",
        b"\xef\xbb\xbf{}",
        b"[" * 10_000,
    ):
        assert scrub_payload(raw, KEY) == raw


def test_non_ascii_text_around_a_secret_is_kept() -> None:
    scrubbed = scrub_payload(
        payload(
            "日本語 " + fake("ghp_{an36}", 1) + " é \ud83d".encode("utf-8", "replace").decode()
        ),
        KEY,
    )
    assert "日本語 [REDACTED" in scrubbed.decode()
    lone = b'{"a":"\\ud800 ' + fake("ghp_{an36}", 1).encode() + b'"}'
    assert json.loads(scrub_payload(lone, KEY))["a"].startswith("\ud800 [REDACTED")


def test_every_literal_of_the_table_is_tested_by_the_hook_and_no_other() -> None:
    words = [literal.decode() for literal in literals.IN_WORDS]
    others = [
        literal.decode()
        for literal in (*literals.ANYWHERE, *literals.IN_LOWER, *literals.KEYWORDS, b"key", b"://")
    ]
    others += [first.decode() for first, _ in (*literals.FOLLOWED, *literals.TOGETHER)]
    table = {literal for row in rules.RULES for literal in row[1].split()}
    for literal in table:
        assert any(known in literal or known.strip() == literal for known in words + others), (
            literal
        )
    assert [literal for literal in words if not any(literal in known for known in table)] == []
    assert [literal for literal in words if set(literal.encode()) - set(literals.WORD)] == []


# Pieces that make up secrets and what is nearly one; hypothesis glues them together.
PIECES = [
    *(fake(row[3], 7) for row in rules.RULES),
    *(word.decode() for word in literals.KEYWORDS),
    *(
        "api_key",
        "private-key",
        "Authorization",
        "Bearer ",
        "PGPASSWORD",
        "--password",
        "--api-key",
        "curl -u a:b1c2d3",
        "docker",
    ),
    *(
        "=",
        ":",
        ": ",
        " = ",
        ":=",
        "=>",
        ",",
        ">",
        "</",
        '"',
        "'",
        "\\",
        '\\"',
        "\n",
        "\t",
        " ",
        "\\n",
        "{",
        "}",
        "[",
        "]",
        "(",
        "@",
        "/",
    ),
    *(
        "hunter2x9",
        "${VAR}",
        "S3cr3t!pass",
        "word",
        "12345678",
        "://",
        "user",
        "<private>",
        "</private>",
        ".env",
        "cat ",
        "id_rsa",
    ),
    *(
        "\x1b[31m",
        "\x1b[",
        "\\u001b[0m",
        "\\u0067",
        "\\u002d",
        "\\/",
        "é",
        "日",
        "\0",
        "\ud800",
        "[REDACTED:github:00000000]",
        "[PRIVATE]",
    ),
    *(
        "ghp_",
        "sk-",
        "eyJ",
        "AKIA",
        "-----BEGIN PRIVATE " + "KEY-----",
        "process.env",
        "K",
        "ſ",
        "server.key",
    ),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=12).map("".join)
NAMES = TEXTS | st.sampled_from(
    [
        "password",
        "token",
        "X-Api-Key",
        "command",
        "file_path",
        "content",
        "tool_response",
        "tool_input",
    ]
)
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.none() | st.just(".env"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=6,
)
THOROUGH = settings(max_examples=4 * settings.default.max_examples)


@THOROUGH
@given(TEXTS)
def test_scrubbing_a_text_twice_changes_nothing_more(text: str) -> None:
    once = scrub_text(text, KEY)
    assert scrub_text(once, KEY) == once


@THOROUGH
@given(VALUES, st.booleans(), st.integers(0, 40))
def test_the_hook_suspects_whatever_the_scrubber_would_change(
    value: object, escaped: bool, cut: int
) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    whole = text.encode("utf-8", "surrogatepass")
    for raw in (whole, whole[: max(0, len(whole) - cut)], whole[cut:]):
        scrubbed = scrub_payload(raw, KEY)
        assert scrubbed == raw or suspicious(raw)
        assert scrub_payload(scrubbed, KEY) == scrubbed


@THOROUGH
@given(VALUES, st.booleans())
def test_json_stays_json_of_the_same_shape(value: object, escaped: bool) -> None:
    raw = json.dumps({"a": value}, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    try:
        raw.decode()
    except UnicodeDecodeError:
        return
    scrubbed = json.loads(scrub_payload(raw, KEY))
    assert list(scrubbed) == ["a"]


@THOROUGH
@given(st.binary(max_size=300))
def test_no_bytes_are_an_error(raw: bytes) -> None:
    scrubbed = scrub_payload(raw, KEY)
    assert scrubbed == raw or suspicious(raw)


@pytest.mark.parametrize(
    "piece",
    [
        "token=",
        "eyJ",
        "://a:b",
        "\\",
        '"password": "',
        "-----BEGIN PRIVATE " + "KEY-----",
        "<private>",
        "\x1b[",
    ],
)
def test_hostile_text_is_finished(piece: str) -> None:
    """200 kB of what would be quadratic takes minutes then; here the test just ends."""
    text = (piece * (200_000 // len(piece) + 1))[:200_000]
    once = scrub_text(text, KEY)
    assert scrub_text(once, KEY) == once


def test_the_hooks_test_imports_nothing() -> None:
    code = (
        f"import sys; before = set(sys.modules); sys.path.insert(0, {str(ROOT)!r}); import dreamhook.scrub.literals; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['dreamhook', 'dreamhook.scrub', 'dreamhook.scrub.literals']"


def test_the_key_is_made_once_for_this_user_alone(tmp_path: Path) -> None:
    folder = str(tmp_path / "config")
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: load_key(folder), range(64)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert stat.S_IMODE((tmp_path / "config/scrub.key").stat().st_mode) == 0o600
    assert [file.name for file in (tmp_path / "config").iterdir()] == ["scrub.key"]


def test_a_damaged_key_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "scrub.key").write_bytes(b"short")
    assert len(load_key(str(tmp_path))) == 32
    assert load_key(str(tmp_path)) == load_key(str(tmp_path))
