"""The checks in pytest: as a plug-in of pytest, or as a test function of a test file.

    pytest -p envpool_py.authoring.conformance.plugin --envpool my_env

adds a test for each check and each task of the module `my_env`. `my_env:ID` adds only the tests of
that id. In a test file, `conformance_tests` does the same. No other module of the package needs
pytest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from envpool_py.authoring.conformance.kit import Check, NotApplicableError, checks
from envpool_py.tasks import discovery

__all__ = ["conformance_tests", "run_check"]


def run_check(check: Check, task_id: str) -> None:
    """Runs a check inside a test; skips the test if the check does not apply."""
    try:
        check.run(task_id)
    except NotApplicableError as reason:
        pytest.skip(str(reason))


def conformance_tests(*task_ids: str) -> Callable[..., None]:
    """Returns a test function for a test file: one test for each check and each task.

    Args:
        *task_ids: ids, or "module:id".
    """
    if not task_ids:
        raise TypeError("conformance_tests: expected at least one task_id")

    @pytest.mark.parametrize("check", checks(), ids=lambda check: check.name)
    @pytest.mark.parametrize("task_id", task_ids)
    def test_conformance(task_id: str, check: Check) -> None:
        run_check(check, task_id)

    return test_conformance


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--envpool`."""
    parser.addoption(
        "--envpool",
        action="append",
        default=[],
        metavar="MODULE[:ID]",
        help="run the conformance checks of envpool_py for the tasks of a module, or for one id",
    )


@pytest.hookimpl(tryfirst=True)  # before `-k` selects
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Adds the tests that `--envpool` selects."""
    for name in config.getoption("--envpool"):
        for task_id in _ids(name):
            items += [
                CheckItem.from_parent(
                    session,
                    name=f"{check.name}-{task_id}",
                    nodeid=f"envpool::{check.name}[{task_id}]",
                    check=check,
                    task_id=task_id,
                )
                for check in checks()
            ]


def _ids(name: str) -> Sequence[str]:
    module, _ = discovery.split(name)
    if module is not None:
        return [name]
    ids = discovery.tasks_of(name)
    if not ids:
        raise pytest.UsageError(f"--envpool: {name} adds no tasks; name them as {name}:ID")
    return ids


class CheckItem(pytest.Item):
    """A check of a task, as a test."""

    def __init__(self, *, check: Check, task_id: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._check = check
        self._task_id = task_id

    def runtest(self) -> None:
        """Runs the check."""
        run_check(self._check, self._task_id)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Names the test in reports."""
        return self.path, None, self.name
