"""How many passed and failed, by the summaries of well-known test runners, compilers and linters."""

import re
from collections.abc import Iterable

Counts = dict[str, int]
"""passed, failed, skipped: tests (of `go test` without -v: packages). errors: what a compiler or linter found."""
ERRORS = "errors"

_NAMES = {
    **dict.fromkeys(("passed", "passing", "pass", "xfailed", "ok"), "passed"),
    **dict.fromkeys(
        ("failed", "failing", "fail", "failure", "failures", "error", "errors", "xpassed"), "failed"
    ),
    **dict.fromkeys(("skipped", "ignored", "pending", "todo", "deselected", "disabled"), "skipped"),
}
_PAIR = re.compile(r"(\d{1,9}) (\w+)")
_NAMED = re.compile(r"(\w+)[:=] {0,9}(\d{1,9})")

_PYTEST = re.compile(
    r"^(?:=+ )?((?:\d{1,9} [a-z]+(?: passed)?(?:, )?){1,10}) in \d[\d.]*(?:s| seconds)\b", re.M
)
_CARGO = re.compile(r"^test result: \w+\. (.{1,200})$", re.M)
_NEXTEST = re.compile(r"^ *Summary \[[^\]]{1,40}\] +\d+ tests? run: (.{1,200})$", re.M)
_JEST = re.compile(r"^ *Tests:? +(\d.{0,200})$", re.M)
_MOCHA = re.compile(r"^ *(\d{1,9} (?:passing|failing|pending))\b", re.M)
_TAP = re.compile(r"^(?:# |ℹ )(pass|fail|skipped|todo) (\d{1,9})$", re.M)
_MAVEN = re.compile(
    r"Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: (\d{1,9})(.{0,80})$",
    re.M,
)
_GRADLE = re.compile(
    r"^(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?", re.M
)
_RSPEC = re.compile(r"^(\d{1,9}) examples?, (\d{1,9}) failures?(?:, (\d{1,9}) pending)?", re.M)
_DOTNET = re.compile(r"(?:Passed|Failed)! +- +(Failed: .{1,100})")
_UNITTEST = re.compile(
    r"^Ran (\d{1,9}) tests? in [^\n]{1,40}\n+(OK|FAILED)(?: \(([^)\n]{1,100})\))?", re.M
)
_GO_TEST = re.compile(r"^--- (PASS|FAIL|SKIP): ", re.M)
_GO_PACKAGE = re.compile(r"^(ok  |FAIL)\t\S", re.M)

_FOUND = re.compile(
    r"^(?:Found (\d{1,9}) errors?|\S+ (\d{1,9}) problems? \((\d{1,9}) errors?|(\d{1,9}) errors?, \d)",
    re.M,
)
_CLEAN = re.compile(r"^(?:All checks passed!|Success: no issues found|0 errors, \d)", re.M)
_TSC = re.compile(
    r"(?:\(\d{1,7},\d{1,7}\)|:\d{1,7}:\d{1,7} -): error TS\d|: error TS\d{4}: | - error TS\d{4}: "
)
_RUSTC = re.compile(
    r"^error: could not compile [^\n]{1,200}? due to (?:(\d{1,9}) )?previous errors?", re.M
)
_MAKE = re.compile(r"^make(?:\[\d{1,3}\])?: \*\*\* ", re.M)


def count(text: str) -> Counts:
    """What the output states; empty when it states nothing that is known. Linear in the text's length."""
    for tests in (_by_words, _by_fields, _by_go):
        found = tests(text)
        if found:
            return found
    return _by_errors(text)


def _by_words(text: str) -> Counts:
    """`3 passed, 1 failed`, in the summary line of each runner; those that print one per part are added up."""
    for pattern, every in (
        (_CARGO, True),
        (_NEXTEST, False),
        (_PYTEST, False),
        (_JEST, False),
        (_MOCHA, True),
    ):
        lines = [match[1] for match in pattern.finditer(text)]
        if lines:
            return _added(
                (name, int(number))
                for line in lines[0 if every else -1 :]
                for number, name in _PAIR.findall(line)
            )
    return _added((name, int(number)) for name, number in _TAP.findall(text))


def _by_fields(text: str) -> Counts:
    totals = [
        row for row in _MAVEN.findall(text) if "Time elapsed" not in row[4] and " in " not in row[4]
    ]
    if totals:
        run, failures, errors, skipped = (int(number) for number in totals[-1][:4])
        return _told(run - failures - errors - skipped, failures + errors, skipped)
    for pattern in (_GRADLE, _RSPEC):
        rows = pattern.findall(text)
        if rows:
            run, failed, skipped = (int(number or 0) for number in rows[-1])
            return _told(run - failed - skipped, failed, skipped)
    if rows := _DOTNET.findall(text):
        return _added(
            (name.lower(), int(number)) for row in rows for name, number in _NAMED.findall(row)
        )
    if rows := _UNITTEST.findall(text):
        run, _, told = rows[-1]
        parts = _added((name, int(number)) for name, number in _NAMED.findall(told))
        failed, skipped = parts.get("failed", 0), parts.get("skipped", 0)
        return _told(int(run) - failed - skipped, failed, skipped)
    return {}


def _by_go(text: str) -> Counts:
    """Without -v only failures are named one by one, so then packages are counted."""
    tests = _GO_TEST.findall(text)
    if "PASS" in tests:
        return _told(tests.count("PASS"), tests.count("FAIL"), tests.count("SKIP"))
    packages = _GO_PACKAGE.findall(text)
    return _told(packages.count("ok  "), packages.count("FAIL"), 0) if packages else {}


def _by_errors(text: str) -> Counts:
    found = _FOUND.findall(text)
    if found:
        _, problems, errors, listed = found[-1]
        return {ERRORS: int(errors or listed or found[-1][0] or problems)}
    typed = len(_TSC.findall(text)) + sum(int(number or 1) for number in _RUSTC.findall(text))
    if typed or _MAKE.search(text):
        return {ERRORS: typed or 1}
    return {ERRORS: 0} if _CLEAN.search(text) else {}


def _added(pairs: Iterable[tuple[str, int]]) -> Counts:
    counts: Counts = {}
    for name, number in pairs:
        if name in _NAMES:
            counts[_NAMES[name]] = counts.get(_NAMES[name], 0) + number
    return counts


def _told(passed: int, failed: int, skipped: int) -> Counts:
    return {"passed": max(0, passed), "failed": failed, "skipped": skipped}
