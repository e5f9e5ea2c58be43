"""The tests of other projects that are known to fail on pools."""

from __future__ import annotations

from tools.foreign.excluded import EXCLUDED
from tools.guide.markdown import codes, table

__all__ = ["excluded_tests"]

_WHY = {
    "absent": "not here",
    "decided": "differs on purpose",
    "internal": "tests the project's own classes",
    "version": "of another version",
}


def excluded_tests(project: str) -> str:
    """Returns a table of the tests of a project that are known to fail, with the reasons."""
    rows = [(codes(entry.tests), _WHY[entry.why], entry.reason) for entry in EXCLUDED[project]]
    return table(("tests", "why", "reason"), rows)
