"""The store as tests hold it: what the product takes, and the driver's own way to ask it anything."""

from dataclasses import dataclass
from typing import Any, LiteralString

from neo4j import EagerResult

from dreamhook.store.query import Store


@dataclass(frozen=True)
class GraphStore(Store):
    """A Store in which a test may run Cypher of its own."""

    def execute_query(
        self, query: LiteralString, parameters: dict[str, Any] | None = None, **more: Any
    ) -> EagerResult:
        """As the driver's method of this name."""
        return self.driver.execute_query(query, parameters, database_=self.database, **more)
