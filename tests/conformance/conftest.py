"""Selects the tasks that the checks of `envpool_py.conformance` run over."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import envpool_py
from envpool_py import families
from envpool_py.conformance import checks

from . import testing_family
from .testing_family import EXEMPT


class Selection(NamedTuple):
    """The ids that the conformance tests run over.

    Attributes:
        always: in every run.
        long: ids that others of their family stand for, as the manifests say. Each check says
            whether it runs for them in every run, in the long run or never.
    """

    always: list[str]
    long: list[str]


def _select() -> Selection:
    testing_family.register()
    stood_for = {
        task_id
        for family in families.all_families().values()
        if family.stand_ins
        for task_id in family.tasks.keys() - family.stand_ins
    }
    ids = [task_id for task_id in envpool_py.list_all_envs() if task_id not in EXEMPT]
    return Selection(
        [task_id for task_id in ids if task_id not in stood_for],
        [task_id for task_id in ids if task_id in stood_for],
    )


def pytest_report_header() -> list[str]:
    """Says which ids are not run, so that none is left out unseen."""
    selected = _select()
    lines = [
        f"conformance: {len(selected.always)} ids in all tests, {len(selected.long)} more in a few "
        "of them, and in the long run in most"
    ]
    lines += [
        f"conformance: {', '.join(sorted(family.stand_ins))} for all {len(family.tasks)} of "
        f"{family.name}"
        for family in families.all_families().values()
        if family.stand_ins
    ]
    return lines


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "task_id" not in metafunc.fixturenames:
        return
    selected = _select()
    if "check" not in metafunc.fixturenames:
        metafunc.parametrize("task_id", selected.always)
        return
    cases: list[Any] = []
    for check in checks():
        ids: list[tuple[str, Any]] = [(task_id, ()) for task_id in selected.always]
        if check.every_id != "never":
            marks = () if check.every_id == "always" else pytest.mark.long
            ids += [(task_id, marks) for task_id in selected.long]
        cases += [
            pytest.param(check, task_id, marks=marks, id=f"{check.name}-{task_id}")
            for task_id, marks in ids
        ]
    metafunc.parametrize(("check", "task_id"), cases)
