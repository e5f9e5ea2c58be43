"""The option `--absent mujoco,ale_py`: tests that need one of these modules are skipped.

It is for versions of Python and processors for which a package has no wheel. Without it such a test
fails: elsewhere a missing package is a fault of the set-up.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

import pytest


def add_option(parser: pytest.Parser) -> None:
    parser.addoption(
        "--absent",
        metavar="MODULES",
        default="",
        help="modules, separated by commas, without which a test that needs one is skipped",
    )


def missing(text: str, modules: list[str]) -> str | None:
    """Returns the first of `modules` of which `text`, a message, says that it is not installed."""
    for module in modules:
        name = re.escape(module).replace("_", "[-_]")
        if re.search(
            rf"No module named '{name}'|\b{name}\b(?: package, which)? is not installed",
            text,
            re.IGNORECASE,
        ):
            return module
    return None


def message_of(error: BaseException) -> str:
    """Returns the message of an exception.

    That of an assertion counts if it is a traceback, which a test gives that has run a script: then
    it is the last line. What was compared does not count.
    """
    text = str(error)
    if not isinstance(error, AssertionError):
        return text
    line = text.partition("\nassert ")[0].strip().rpartition("\n")[2].strip()
    return line if re.match(r"\w[\w.]*(Error|NotInstalled): ", line) else ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    report = yield
    modules = [name for name in item.config.getoption("--absent").split(",") if name]
    if modules and report.failed and call.excinfo is not None:
        module = missing(message_of(call.excinfo.value), modules)
        if module is not None:
            path, line, _ = item.location
            report.outcome = "skipped"
            report.longrepr = (path, (line or 0) + 1, f"needs {module}")
    return report
