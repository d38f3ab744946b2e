"""Every statement is one that the real server understands."""

import pytest

import cypher

pytestmark = pytest.mark.neo4j


@pytest.mark.parametrize("name", cypher.names())
def test_the_server_understands_a_statement(name, driver):
    text = cypher.statement(name)
    parameters = dict.fromkeys(cypher.PARAMETER.findall(text))
    driver.execute_query(f"EXPLAIN {text}", parameters)
    driver.execute_query(f"EXPLAIN {cypher.mapped(name)}", p=parameters)
