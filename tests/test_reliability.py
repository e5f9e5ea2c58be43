"""The tests that docs/reliability.md names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NAMED = re.findall(
    r"`((?:\.\./)?[\w/]+/test_\w+\.py)(?:::(\w+))?`", (ROOT / "docs/reliability.md").read_text()
)


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_it_exists(file: str, name: str) -> None:
    source = (ROOT / "tests/envpool_py" / file).read_text()
    assert f"\ndef {name}(" in source if name else "\ndef test_" in source


def test_each_row_names_a_test() -> None:
    assert len(NAMED) > 25
    rows = [
        line for line in (ROOT / "docs/reliability.md").read_text().splitlines() if line[:2] == "| "
    ]
    for row in rows:
        if not row.startswith("| fault "):
            assert "`" in row.rsplit("|", 2)[1], row
