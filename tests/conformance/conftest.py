"""Shared by the conformance tests: the tasks, and helpers that work for any space."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
import tree

import envpool_py
from envpool_py import families

from . import testing_family
from .testing_family import EXEMPT, FIRST_OBSERVATION_OUTSIDE


class Selection(NamedTuple):
    """The ids that the conformance tests run over.

    Attributes:
        always: in every run.
        long: in the long run alone, of the tests marked `every_id`, and in every run of those
            marked `every_id(short=True)`: other ids of their families stand for them, as the
            manifests say.
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
    ids: list[Any] = [*selected.always]
    marker = metafunc.definition.get_closest_marker("every_id")
    if marker is not None:
        marks = () if marker.kwargs.get("short", False) else pytest.mark.long
        ids += [pytest.param(task_id, marks=marks) for task_id in selected.long]
    metafunc.parametrize("task_id", ids)


def _leaves(nested: Any) -> list[Any]:
    """Returns the arrays of an observation, or of infos, depth first."""
    if isinstance(nested, dict):
        return [leaf for child in nested.values() for leaf in _leaves(child)]
    if isinstance(nested, tuple):
        return [leaf for child in nested for leaf in _leaves(child)]
    return [nested]


class _Nest:
    """Dicts and tuples of arrays, indexed like one array: each array in them is."""

    def __init__(self, nested: Any) -> None:
        self._nested = nested

    def __getitem__(self, index: Any) -> Any:
        return _rows(self._nested, index)

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(_leaves(self._nested)[0])))


def _actions(task_id: str, count: int, num_envs: int, seed: int = 0) -> Any:
    """Returns valid random actions, (count, num_envs, ...), as arrays of the space's dtype.

    Those of several leaves are a _Nest. Not by Gymnasium's `sample`, which overflows for bounds at
    the ends of int64.
    """
    spec = envpool_py.make_spec(task_id).action_spec()
    rng = np.random.default_rng(seed)
    if isinstance(spec, (dict, tuple)):
        shape = (count, num_envs)
        return _Nest(tree.map_structure(lambda leaf: _random(leaf, shape, rng), spec))
    return _random(spec, (count, num_envs), rng)


def _random(spec: Any, rows: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    shape = (*rows, *spec.shape)
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
