"""Runs the kit's checks, which authors of plug-ins use too, on every id."""

from __future__ import annotations

from envpool_py.authoring.conformance import Check
from envpool_py.authoring.conformance.plugin import run_check


def test_check(check: Check, task_id: str) -> None:
    run_check(check, task_id)
