"""A pytest plugin that installs pools before tests are imported, and evaluates the outcomes."""

from __future__ import annotations

import fnmatch
import importlib
import os
from collections import Counter
from collections.abc import Generator

import pytest

from tools.foreign.excluded import EXCLUDED, Excluded
from tools.foreign.pools import POOLS
from tools.foreign.suites import SUITES

PROJECT = os.environ["ENVPOOL_FOREIGN_PROJECT"]
SUITE = SUITES[PROJECT]

importlib.import_module(SUITE.substitutes).install(os.environ["ENVPOOL_FOREIGN_CHECKOUT"])

# Numbers of tests by outcome; "apart": tests that request no pool.
_counts: Counter[str] = Counter()
_wanted_before: dict[str, int] = {}
_failed: set[str] = set()


def excluded(node_id: str) -> Excluded | None:
    """Returns the entry of a test that is known to fail; None: the test must pass."""
    name = node_id.rpartition("/")[2]
    for entry in EXCLUDED[PROJECT]:
        if any(fnmatch.fnmatchcase(name, _literal(pattern)) for pattern in entry.tests):
            return entry
    return None


def _literal(pattern: str) -> str:
    """Escapes "[" in a pattern, because names of parametrized tests contain brackets."""
    return pattern.replace("[", "[[]")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Stores how many pools were requested before a test."""
    _wanted_before[nodeid] = POOLS.wanted


@pytest.hookimpl(wrapper=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> Generator[None, None, None]:
    """Evaluates an outcome before other plugins get it."""
    if report.when == "call" or report.failed:
        _judge(report)
    return (yield)


def _judge(report: pytest.TestReport) -> None:
    name, entry = report.nodeid, excluded(report.nodeid)
    is_part = type(report) is not pytest.TestReport  # a subtest
    if not (SUITE.all_count or entry or POOLS.wanted > _wanted_before[name]):
        # The test uses no pool, so its outcome is irrelevant.
        report.outcome = "skipped"
        report.longrepr = (name, 0, "Skipped: wants no pool of this package")
        _counts["apart"] += not is_part
        return
    if report.failed:
        _failed.add(name)
        if entry:
            report.outcome = "skipped"
            report.wasxfail = entry.reason  # pytest's attribute of expected failures
    if is_part:
        return
    if entry and report.passed:
        if name in _failed:
            report.outcome = "skipped"
            report.wasxfail = entry.reason
        elif entry.why != "version":
            report.outcome = "failed"
            report.longrepr = "tools/foreign/excluded.py lists this test, but it passes"
            _failed.add(name)
            entry = None
    if name in _failed:
        _counts["excluded" if entry else "failed"] += 1
    else:
        _counts[report.outcome] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails if no test passed, because DIRECTORY may not contain the tests."""
    if not _counts["passed"] and not session.config.option.collectonly:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints how many tests passed, and how many did not count."""
    names = ("passed", "excluded", "failed", "skipped")
    terminalreporter.section(f"{PROJECT}'s tests on pools of envpool_py")
    terminalreporter.line(", ".join(f"{_counts[name]} {name}" for name in names))
    terminalreporter.line(f"not counted: {_counts['apart']} that want no pool")
    if not _counts["passed"]:
        terminalreporter.line("none passed: are these the tests?")
