"""What the conformance tests share: the tasks, and tools that work for any space."""

from __future__ import annotations

import contextlib
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py import families

# Environments of the test family whose purpose contradicts what every other one must do.
EXEMPT = {
    "Testing/Failing-v0": "a random action makes it raise",
    "Testing/Gate-v0": "a random action waits for the test",
    "Testing/Picture-v0": "a random action makes it raise",
    "Testing/Seeded-v0": "a random action makes it raise",
    "Testing/Serial-v0": "a random action makes it raise",
    "Testing/CountThread-v0": "shows which thread stepped it",
}
# Their first observation is zero, which may lie outside the space of actions that they echo.
FIRST_OBSERVATION_OUTSIDE = {"Testing/BoxAction-v0", "Testing/BoxInt-v0"}
# Of a family with a module of its own, some of each kind of task.
STAND_INS = {"ALE/Breakout-v5", "Breakout-v5", "Ant-v5", "InvertedDoublePendulum-v4", "Reacher-v4"}


def _task_ids() -> tuple[list[str], list[str]]:
    """Returns the ids that every run takes, and those that only the long one does."""
    with contextlib.suppress(ImportError):
        importlib.import_module("envpool_py._testing")
    of_families = {task_id for family in families.FAMILIES for task_id in family.limits}
    tasks = [task for task in envpool_py.list_all_envs() if task not in EXEMPT]
    others = of_families - STAND_INS
    return [task for task in tasks if task not in others], [
        task for task in tasks if task in others
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "task_id" not in metafunc.fixturenames:
        return
    always, others = _task_ids()
    ids: list[Any] = [*always]
    if metafunc.definition.get_closest_marker("every_id"):
        ids += [pytest.param(task_id, marks=pytest.mark.long) for task_id in others]
    metafunc.parametrize("task_id", ids)


def _leaves(nested: Any) -> list[Any]:
    """Returns the arrays of an observation, or of infos, depth first."""
    if isinstance(nested, dict):
        return [leaf for child in nested.values() for leaf in _leaves(child)]
    if isinstance(nested, tuple):
        return [leaf for child in nested for leaf in _leaves(child)]
    return [nested]


def _actions(task_id: str, count: int, num_envs: int, seed: int = 0) -> np.ndarray:
    """Returns valid random actions, (count, num_envs, ...), as arrays of the space's dtype.

    Not by Gymnasium's `sample`, which overflows for bounds at the ends of int64.
    """
    spec = envpool_py.make_spec(task_id).action_spec()
    rng = np.random.default_rng(seed)
    shape = (count, num_envs, *spec.shape)
    if spec.dtype.kind == "f":
        low = np.maximum(spec.minimum, -1e6).astype(np.float64)
        high = np.minimum(spec.maximum, 1e6).astype(np.float64)
        actions = rng.uniform(low, high, shape).astype(spec.dtype)
        return np.asarray(np.clip(actions, spec.minimum, spec.maximum))
    return rng.integers(spec.minimum, spec.maximum, shape, dtype=spec.dtype, endpoint=True)


def _row(nested: Any, row: int) -> tuple[bytes, ...]:
    """Returns one row of every leaf, as bytes."""
    return tuple(np.ascontiguousarray(leaf[row]).tobytes() for leaf in _leaves(nested))


def _rows(nested: Any, rows: Any) -> Any:
    """Returns some rows of every leaf, in the same structure."""
    if isinstance(nested, dict):
        return {name: _rows(child, rows) for name, child in nested.items()}
    if isinstance(nested, tuple):
        return tuple(_rows(child, rows) for child in nested)
    return nested[rows]


def _info_row(infos: dict[str, Any], row: int) -> tuple[tuple[str, bytes], ...]:
    """Returns what the environment of a row itself says in infos: names and bytes."""
    apart = {"env_id", "final_obs", "final_info"}
    return tuple(
        (name, np.ascontiguousarray(infos[name][row]).tobytes())
        for name in sorted(infos)
        if not name.startswith("_") and name not in apart and infos["_" + name][row]
    )


def _assert_equal(left: Any, right: Any) -> None:
    left_leaves, right_leaves = _leaves(left), _leaves(right)
    assert len(left_leaves) == len(right_leaves)
    for a, b in zip(left_leaves, right_leaves, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.fixture
def tools() -> SimpleNamespace:
    """Functions for results of any structure: leaves, row(s), infos, actions, equality."""
    return SimpleNamespace(
        leaves=_leaves,
        row=_row,
        rows=_rows,
        info_row=_info_row,
        actions=_actions,
        assert_equal=_assert_equal,
        first_observation_outside=FIRST_OBSERVATION_OUTSIDE,
    )
