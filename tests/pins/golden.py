"""Golden files: read, compared with, and written again on request."""

import json
import os
from pathlib import Path
from typing import Any

from tests.pins.product import Product

HERE = Path(__file__).parent
FROM = os.environ.get("DREAMHOOK_TEST_PIN_FROM")
"""A checkout whose programs the golden files are written from; without it they are compared with."""


def product() -> Product:
    """The programs under test: this checkout's, or those of DREAMHOOK_TEST_PIN_FROM."""
    return Product(Path(FROM).resolve() if FROM else HERE.parents[1])


def compare(name: str, found: Any) -> None:
    """Fail when `found` is not what the golden file says; write it instead when a checkout to pin is named."""
    file = HERE / name
    text = found if isinstance(found, str) else _lines(found)
    if FROM:
        file.write_text(text, encoding="utf-8")
        return
    assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()


def _lines(found: dict[str, Any]) -> str:
    """JSON with one entry a line: a changed row is a changed line in the diff."""
    entries = (
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        for key, value in found.items()
    )
    return "{\n" + ",\n".join(entries) + "\n}\n"
