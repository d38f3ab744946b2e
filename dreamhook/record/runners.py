"""Which shell commands test, build or check something."""

import re

_SPLIT = re.compile(r"&&|\|\||[;|\n]")
_WORD = re.compile(r"'[^']*'|\"[^\"]*\"|\S+")
_BEFORE = frozenset("sudo time command exec env nice nohup xvfb-run npx bunx".split())
_WITH_RUN = frozenset("uv poetry pipenv hatch rye pdm bundle".split())
_LAUNCH = re.compile(
    r"(?:pnpm|yarn|bun) (?:(?:exec|dlx|x) |(?=(?:jest|vitest|mocha|tsc|eslint)\b))|timeout (?:-\S+ )*\S+ "
    r"|python[\d.]*(?: -[XW] ?\S+| -[A-Za-z]+)*? -m "
)

_KINDS = [
    (
        "test",
        r"(?:pytest|py\.test|unittest|nose2|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|nextest)\b",
    ),
    ("test", r"(?:npm|pnpm|yarn|bun|deno)(?: run)?(?: -\S+)* (?:t|test)\b"),
    ("test", r"(?:go|cargo|dotnet|swift|mix|flutter|zig build) (?:\+\S+ )?(?:test|nextest)\b"),
    ("test", r"node (?:\S+ )*--test\b"),
    ("test", r"(?:mvn|mvnw|gradle|gradlew)\b.* (?:\S+:)?(?:test|verify|check|integrationTest)\b"),
    ("test", r"(?:make|just|task|ninja|rake)(?: -\S+)* \S*(?:test|check|spec)s?\b"),
    ("test", r"(?:tests?/run\.sh|run[-_]tests?(?:\.\w+)?)(?:\s|$)"),
    (
        "check",
        r"(?:ruff|mypy|pyright|flake8|pylint|eslint|biome|golangci-lint|shellcheck|staticcheck)\b",
    ),
    ("check", r"(?:black|isort|prettier)\b.* --check\b"),
    ("check", r"tsc\b.* --noEmit\b"),
    ("check", r"(?:cargo (?:\+\S+ )?(?:clippy|check|fmt)|go vet)\b"),
    ("check", r"(?:npm|pnpm|yarn|bun) (?:run )?(?:lint|typecheck|check)\b"),
    ("build", r"(?:tsc|msbuild|bazel build)\b"),
    ("build", r"(?:npm|pnpm|yarn|bun) (?:run )?(?:build|compile)\b"),
    ("build", r"(?:go|cargo|dotnet|swift|docker|zig|python -m) (?:\+\S+ )?build\b"),
    (
        "build",
        r"(?:mvn|mvnw|gradle|gradlew)\b.* (?:\S+:)?(?:compile|package|install|build|assemble)\b",
    ),
    ("build", r"(?:make|ninja|cmake --build)(?:\s|$)"),
]
_TABLE = [(kind, re.compile(pattern)) for kind, pattern in _KINDS]


def kind_of(command: str) -> str | None:
    """ "test", "build" or "check"; None for another command. Of a line with several, a test counts most."""
    found = {kind for part in _SPLIT.split(command[:4_000]) for kind in _kinds(part)}
    return next((kind for kind in ("test", "build", "check") if kind in found), None)


def _kinds(part: str) -> list[str]:
    words = _WORD.findall(part.strip().lstrip("({ "))
    while words and (
        words[0] in _BEFORE or re.match(r"[A-Za-z_]\w*=", words[0]) or words[0].startswith("-")
    ):
        words = words[1:]
    if len(words) > 2 and words[0] in _WITH_RUN and words[1] in ("run", "exec"):
        words = words[2:]
    if not words:
        return []
    words[0] = (
        words[0].strip("'\"").rsplit("/", 1)[-1] if not words[0].endswith("run.sh") else words[0]
    )
    line = _LAUNCH.sub("", " ".join(words), count=1)
    head = line.split(" ", 1)
    line = " ".join(
        [head[0].rsplit("/", 1)[-1] if not head[0].endswith("run.sh") else head[0], *head[1:]]
    )
    return [kind for kind, pattern in _TABLE if pattern.match(line.removeprefix("./"))][:1]
