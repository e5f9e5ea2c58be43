"""pytest's plugin: puts pools in place before the tests are imported, and judges the outcomes."""

from __future__ import annotations

import fnmatch
import importlib
import os
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

from scripts.foreign.excluded import EXCLUDED, Excluded
from scripts.foreign.pools import POOLS
from scripts.foreign.suites import SUITES

PROJECT = os.environ["ENVPOOL_FOREIGN_PROJECT"]
SUITE = SUITES[PROJECT]
NO_POOL = "wants no pool of this package"

importlib.import_module(SUITE.substitutes).install(os.environ["ENVPOOL_FOREIGN_CHECKOUT"])

_counts: Counter[str] = Counter()


def excluded(node_id: str) -> Excluded | None:
    """Returns why a test of this project is known to fail; None: it must pass."""
    name = node_id.rpartition("/")[2]
    for entry in EXCLUDED[PROJECT]:
        if any(fnmatch.fnmatchcase(name, _literal(pattern)) for pattern in entry.tests):
            return entry
    return None


def _literal(pattern: str) -> str:
    """Returns the pattern with "[" meaning itself, as in the names of parametrized tests."""
    return pattern.replace("[", "[[]")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expects listed tests to fail."""
    for item in items:
        entry = excluded(item.nodeid)
        if entry is not None:
            item.add_marker(pytest.mark.xfail(reason=entry.reason, strict=True))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Notes how many pools were wanted before a test."""
    item.stash[_BEFORE] = POOLS.wanted
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Counts an outcome, and makes one that says nothing of pools a skipped test."""
    report = yield
    if call.when != "call":
        if report.failed:
            _counts["failed"] += 1
        return report
    listed = item.get_closest_marker("xfail") is not None
    if not (SUITE.all_count or listed or POOLS.wanted > item.stash[_BEFORE]):
        # Its outcome says nothing about this package.
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"Skipped: {NO_POOL}")
        _counts[NO_POOL] += 1
    elif report.passed:
        _counts["passed"] += 1
    elif report.failed:
        _counts["failed"] += 1
    elif hasattr(report, "wasxfail"):
        _counts["excluded"] += 1
    else:
        _counts["skipped"] += 1
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails where no test passed: these may not be the tests."""
    if not _counts["passed"] and not session.config.option.collectonly:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many tests passed, and how many did not count."""
    names = ("passed", "excluded", "failed", "skipped")
    terminalreporter.section(f"{PROJECT}'s tests on pools of envpool_py")
    terminalreporter.line(", ".join(f"{_counts[name]} {name}" for name in names))
    terminalreporter.line(f"not counted: {_counts[NO_POOL]} that want no pool")
    if not _counts["passed"]:
        terminalreporter.line("none passed: are these the tests?")


_BEFORE = pytest.StashKey[int]()
