"""Selects the tasks for the checks of `envpool_py.authoring.conformance`."""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import Any, NamedTuple

import pytest

import envpool_py
from envpool_py.authoring.conformance import Check, checks
from envpool_py.tasks import registry

from . import testing_family
from .testing_family import EXEMPT


class Selection(NamedTuple):
    """The ids for the conformance tests.

    Attributes:
        always: ids that run in every test run.
        long: ids for which, according to the manifests, another id of the family stands in. Each
            check states whether it covers them in every run, in the long run or never.
    """

    always: list[str]
    long: list[str]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only-ids", help="ids that conformance tests run over, with commas (all)")


def _select(config: pytest.Config) -> Selection:
    testing_family.register()
    only = config.getoption("--only-ids")
    stood_for = {
        task_id
        for family in registry.all_families().values()
        if family.representatives
        for task_id in family.tasks.keys() - family.representatives
    }
    ids = [
        task_id
        for task_id in envpool_py.list_all_envs()
        if task_id not in EXEMPT and not _missing(task_id)
    ]
    if only is not None:
        ids = [task_id for task_id in ids if task_id in only.split(",")]
    return Selection(
        [task_id for task_id in ids if task_id not in stood_for],
        [task_id for task_id in ids if task_id in stood_for],
    )


def _missing(task_id: str) -> list[str]:
    """Returns the packages that a task's family needs and that are not installed."""
    family = registry.family_of(task_id)
    needs = () if family is None else family.needs
    return [name for name in needs if importlib.util.find_spec(name) is None]


# A task with few numbers, and one with all kinds of spaces and infos.
IN_FULL = {"CartPole-v1", "Testing/MultiField-v0"}


def in_every_run(found: tuple[Check, ...], task_ids: list[str]) -> set[tuple[str, str]]:
    """Returns the pairs of a check's name and an id for every run.

    Each task gets every second check, and its neighbour the others. A check with arguments, such as
    a number of threads, has several cases, of which each task gets one, in rotation. The long run
    covers all. The tasks in IN_FULL get all checks with all cases in every run.
    """
    cases: dict[Any, list[str]] = {}
    for check in found:
        cases.setdefault(check.function, []).append(check.name)
    selected = set()
    turns: Counter[Any] = Counter()
    for task, task_id in enumerate(task_ids):
        for number, (function, names) in enumerate(cases.items()):
            if task_id in IN_FULL:
                selected.update((name, task_id) for name in names)
            elif (task + number) % 2 == 0:
                selected.add((names[turns[function] % len(names)], task_id))
                turns[function] += 1
    return selected


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Lists the ids that are not run, so that the omission is visible."""
    selected = _select(config)
    lines = [
        f"conformance: {len(selected.always)} ids in all tests, {len(selected.long)} more in a few "
        "of them, and in the long run in most"
    ]
    lines += [
        f"conformance: {', '.join(sorted(family.representatives))} for all {len(family.tasks)} of "
        f"{family.name}"
        for family in registry.all_families().values()
        if family.representatives
    ]
    lines += [
        f"conformance: no task of {family.name}, for want of {', '.join(missing)}"
        for family in registry.all_families().values()
        if (missing := _missing(min(family.tasks)))
    ]
    return lines


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "task_id" not in metafunc.fixturenames:
        return
    selected = _select(metafunc.config)
    if "check" not in metafunc.fixturenames:
        metafunc.parametrize("task_id", selected.always)
        return
    # Creating thousands of tests that are then deselected takes seconds in each process.
    all_of_them = metafunc.config.option.markexpr != "not long"
    cases: list[Any] = []
    always = in_every_run(tuple(checks()), selected.always)
    for check in checks():
        ids: list[tuple[str, Any]] = [
            (task_id, () if (check.name, task_id) in always else pytest.mark.long)
            for task_id in selected.always
        ]
        if check.every_id != "never":
            marks = () if check.every_id == "always" else pytest.mark.long
            ids += [(task_id, marks) for task_id in selected.long]
        cases += [
            pytest.param(check, task_id, marks=marks, id=f"{check.name}-{task_id}")
            for task_id, marks in ids
            if all_of_them or marks == ()
        ]
    metafunc.parametrize(("check", "task_id"), cases)
