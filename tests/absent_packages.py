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
    """Returns the first of `modules` of which `text`, a failure, says that it is not installed."""
    for module in modules:
        name = re.escape(module).replace("_", "[-_]")
        if re.search(
            rf"No module named '{name}'|\b{name}\b(?: package, which)? is not installed",
            text,
            re.IGNORECASE,
        ):
            return module
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    report = yield
    modules = [name for name in item.config.getoption("--absent").split(",") if name]
    if modules and report.failed and (module := missing(str(report.longrepr), modules)):
        path, line, _ = item.location
        report.outcome = "skipped"
        report.longrepr = (path, (line or 0) + 1, f"needs {module}")
    return report
