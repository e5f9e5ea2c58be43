"""Every id: the checks of the kit that authors of plug-ins have."""

from __future__ import annotations

from envpool_py.conformance import Check
from envpool_py.conformance.plugin import run_check


def test_check(check: Check, task_id: str) -> None:
    run_check(check, task_id)
