"""How the product's code is kept: sizes, one name for one thing, no circle of imports, no dead code.

Where the code is not there yet, an exception is listed by name. The lists may only shrink: an exception that is no
longer needed fails its test.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = ("dreamhook", "dream", "hooks", "cypher")
FUNCTION_LINES = 40
MODULE_LINES = 270

LONG_FUNCTIONS: set[str] = {
    "dream.check.check",
    "dream.collect.chunk",
    "dream.options.parser",
    "dream.run._run",
    "dream.unit._part",
    "dreamhook.cli.doctor._findings",
    "dreamhook.cli.search.search",
    "dreamhook.forget.plan.carry_out",
    "dreamhook.install.__main__.options",
    "dreamhook.install.toml_hooks._edited",
    "dreamhook.install.uninstall.uninstall",
    "dreamhook.record.drain._normalise",
    "dreamhook.scrub.judge._is_assigned",
    "dreamhook.store.embedded._launch",
}
LONG_MODULES: set[str] = {
    "dreamhook.scrub.scrub",
}
SHARED_MODULE_NAMES: set[str] = {
    "batch",
    "dream",
    "files",
    "folder",
    "inject",
    "log_event",
    "pause",
    "query",
    "search",
}
SHARED_CLASS_NAMES: set[str] = {
    "Change",
    "Known",
    "Place",
    "Plan",
    "Refused",
    "Session",
    "Standing",
    "Unusable",
}
CIRCLES: set[tuple[str, ...]] = {
    ("dreamhook.repository.exclusion", "dreamhook.repository.pause"),
}
UNNAMED_MODULES: set[str] = set()
UNUSED: set[str] = {
    "dream/answer.py:reasoning",
    "dream/budget.py:PRICED",
    "dreamhook/event.py:agent_type",
    "dreamhook/event.py:assistant_text",
    "dreamhook/event.py:duration_ms",
    "dreamhook/event.py:parent_session_id",
    "dreamhook/event.py:permission_mode",
    "dreamhook/event.py:tool_input",
    "dreamhook/event.py:tool_name",
    "dreamhook/event.py:tool_use_id",
    "dreamhook/event.py:trigger",
    "dreamhook/harness/__init__.py:LOOKING_TOOLS",
    "dreamhook/harness/__init__.py:TAGS",
    "dreamhook/harness/__init__.py:refuses_byte_order_mark",
    "dreamhook/harness/__init__.py:switches",
    "dreamhook/harness/__init__.py:trusts_by_position",
    "dreamhook/harness/claude_code.py:LOOKING_TOOLS",
    "dreamhook/harness/claude_code.py:TAGS",
    "dreamhook/harness/codex.py:LOOKING_TOOLS",
    "dreamhook/harness/codex.py:TAGS",
    "dreamhook/harness/cursor.py:LOOKING_TOOLS",
    "dreamhook/harness/cursor.py:TAGS",
    "dreamhook/install/manifest.py:sha256_after",
    "dreamhook/install/manifest.py:sha256_before",
    "dreamhook/memory/note_file.py:ignore_aliases",
    "dreamhook/recall/embedding.py:intra_op_num_threads",
    "dreamhook/recall/sessions.py:started_at",
    "dreamhook/record/append.py:repository_name",
    "dreamhook/record/append.py:synthetic",
    "dreamhook/record/own.py:dream_folder",
    "dreamhook/record/repair.py:event_count",
    "dreamhook/record/repair.py:forks",
    "dreamhook/repository/pause.py:blocked",
    "dreamhook/repository/pause.py:excluded",
    "dreamhook/repository/pause.py:list_readable",
    "dreamhook/repository/pause.py:paused_repositories",
    "dreamhook/repository/pause.py:paused_since",
}


@cache
def modules() -> dict[str, Path]:
    """Dotted name of every module of the product, a package by its own name, with its file."""
    found = {}
    for program in PROGRAMS:
        for file in sorted((ROOT / program).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


def classes(name: str) -> Iterator[str]:
    return (node.name for node in ast.walk(tree(name)) if isinstance(node, ast.ClassDef))


def imports(name: str) -> set[str]:
    """Modules of the product that this one imports, inside functions too, but not for its types alone."""
    for_types = {
        inner
        for node in ast.walk(tree(name))
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree(name)):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name}: an import names its module in full"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in modules() else str(node.module))
    return {one for one in found if one in modules() and one != name}


def circles() -> set[tuple[str, ...]]:
    """Groups of modules each of which imports, by whatever way, every other one."""
    reached = {name: imports(name) for name in modules()}
    for middle, beyond in reached.items():
        for found in reached.values():
            if middle in found:
                found |= beyond
    return {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in reached
        if name in reached[name]
    }


def shared(names: dict[str, list[str]]) -> set[str]:
    return {name for name, places in names.items() if len(places) > 1}


def test_no_function_is_longer_than_a_page() -> None:
    long = {
        f"{name}.{node.name}"
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES
    }
    assert long == LONG_FUNCTIONS


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    long = {
        name
        for name, file in modules().items()
        if len(file.read_text(encoding="utf-8").splitlines()) > MODULE_LINES
    }
    assert long == LONG_MODULES


def test_a_modules_name_is_its_own() -> None:
    names = defaultdict(list)
    for name, file in modules().items():
        if file.stem not in ("__init__", "__main__"):
            names[file.stem].append(name)
    assert shared(names) == SHARED_MODULE_NAMES


def test_a_classs_name_is_its_own() -> None:
    names = defaultdict(list)
    for name in modules():
        for each in classes(name):
            names[each].append(name)
    assert shared(names) == SHARED_CLASS_NAMES


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert circles() == CIRCLES


def test_a_package_says_in_its_first_lines_what_each_of_its_modules_is() -> None:
    """A line of the docstring begins with the module's name, and a sentence follows."""
    unnamed = set()
    for name, file in modules().items():
        if file.name == "__init__.py" or file.stem == "__main__" or "." not in name:
            continue
        package = name.rpartition(".")[0]
        if package in modules():
            said = ast.get_docstring(tree(package)) or ""
            words = [line.split() for line in said.splitlines()]
            if not any(len(line) > 2 and line[0].strip("`:") == file.stem for line in words):
                unnamed.add(name)
    assert unnamed == UNNAMED_MODULES


def test_nothing_is_unused() -> None:
    """vulture, for all names of the product. What only a library or a reader of the graph uses is in UNUSED."""
    vulture = pytest.importorskip("vulture", reason="an extra of before: tests/run.sh installs it")
    search = vulture.Vulture(ignore_decorators=["@*.command", "@*.group"])
    search.scavenge([str(ROOT / program) for program in PROGRAMS])
    found = {
        f"{Path(item.filename).relative_to(ROOT)}:{item.name}" for item in search.get_unused_code()
    }
    assert found == UNUSED
