"""Every statement stands in a file of its own and says what it needs."""

import re
from pathlib import Path

import pytest

import cypher

ROOT = Path(cypher.__file__).parents[1]
STATEMENT = re.compile(
    r"\b(MATCH|MERGE|CREATE|UNWIND|DETACH|FOREACH)\s*(\(|\w+\s+AS\b|DELETE\b|\w*\s*=\s*\()|\bCALL\s+(db|dbms)\.|\bRETURN\s+\w+\s+AS\s"
)


def programs():
    return [
        file
        for folder in ("dreamhook", "dream", "hooks", "cypher")
        for file in (ROOT / folder).rglob("*.py")
    ]


@pytest.mark.parametrize("name", cypher.names())
def test_a_statement_says_its_purpose_and_declares_the_parameters_it_uses(name):
    assert cypher.statement(name).startswith("// ")


@pytest.mark.parametrize("name", cypher.names())
def test_a_file_holds_one_statement(name):
    assert ";" not in re.sub(r"//.*|'[^']*'", "", cypher.statement(name))


@pytest.mark.parametrize("file", programs(), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_cypher_is_built_in_python(file):
    found = STATEMENT.search(file.read_text(encoding="utf-8"))
    assert found is None, f"{file.name}: {found[0]!r} belongs in cypher/"


@pytest.mark.parametrize(
    "text",
    [
        'run("MATCH (n) RETURN n")',
        'f"MERGE (m:{label})"',
        '"UNWIND rows AS row"',
        '"MATCH p = (a)-->(b)"',
        '"DETACH DELETE n"',
        '"CALL db.awaitIndexes()"',
    ],
)
def test_the_search_for_cypher_in_python_finds_it(text):
    assert STATEMENT.search(text)


def test_schema_files_are_numbered_upwards_each_once():
    versions = [version for version, _, _ in cypher.migrations()]
    assert versions == sorted(set(versions))
    assert all(statements for _, _, statements in cypher.migrations())
