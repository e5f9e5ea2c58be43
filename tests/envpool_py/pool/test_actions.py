"""Actions of every kind of space arrive unchanged, and invalid ones have no effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError, InputTypeError

from ..multi_field import INT64_MAX

Make = Callable[..., Any]

BOX_LOW = np.array([[-1.0, -2.0, 0.0], [0.5, -1e300, -0.0]])
BOX_HIGH = np.array([[1.0, 2.0, 0.0], [0.75, 1e300, 1e-300]])

# Task, and actions of one environment that its observations must repeat exactly.
ECHOES: list[tuple[str, list[Any], str]] = [
    ("MultiDiscreteAction", [[0, 0, 0], [2, 0, 4_999_999_999], [1, 0, 2**32 + 5]], "int64"),
    (
        "BoxAction",
        [BOX_LOW, BOX_HIGH, (BOX_LOW + BOX_HIGH) / 3 * [[1, 1, 1], [1.5, 1, 1]]],
        "float64",
    ),
    ("BoxClip", [[0.0, -1.0, 1.0], [5.0, -7.5, 1e30], [np.inf, -np.inf, 0.1]], "float32"),
    ("BoxInt", [[10, 200, 11, 199], [128, 127, 10, 10]], "uint8"),
    ("BoxLong", [[-(2**63), -3], [INT64_MAX, INT64_MAX - 1], [2**53 + 1, -1]], "int64"),
    ("MultiBinaryAction", [[0, 1, 0, 1, 1], [1, 1, 1, 1, 1]], "int8"),
    ("DiscreteStart", [-3, -2, -1, 0], "int64"),
]


@pytest.mark.parametrize("batch_size", [None, 2], ids=["ordered", "first-ready"])
@pytest.mark.parametrize(("name", "values", "dtype"), ECHOES, ids=[echo[0] for echo in ECHOES])
def test_actions_arrive_exactly(
    make: Make, name: str, values: list[Any], dtype: str, batch_size: int | None
) -> None:
    pool = make(name, num_envs=4, batch_size=batch_size, num_threads=2)
    pool.reset()
    actions = np.array([values[i % len(values)] for i in range(4)], dtype)
    ids = np.array([2, 0], np.int32)
    if batch_size is None:
        obs = pool.step(actions)[0]
        assert obs.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(obs, actions)
        # Compare bytes, because -0.0 equals 0.0.
        assert obs.tobytes() == actions.tobytes()
        np.testing.assert_array_equal(pool.step(actions[:2], ids)[0], actions[:2])
        # A non-contiguous view is read element by element.
        wide = np.repeat(actions, 2, axis=0)[::2]
        np.testing.assert_array_equal(pool.step(wide)[0], actions)
        np.testing.assert_array_equal(pool.step(actions[::-1])[0], actions[::-1])
    else:
        pool.send(actions[:2], ids)
        obs, _, _, _, infos = pool.recv(60)
        for row, env_id in enumerate(infos["env_id"]):
            np.testing.assert_array_equal(obs[row], actions[list(ids).index(env_id)])
    if name == "DiscreteStart":
        return
    assert pool.single_action_space == pool.single_observation_space


def test_a_list_is_an_action_too(make: Make) -> None:
    pool = make("DiscreteStart", num_envs=2)
    pool.reset()
    np.testing.assert_array_equal(pool.step([-3, 0])[0], [-3, 0])
    pool = make("BoxAction", num_envs=1)
    pool.reset()
    np.testing.assert_array_equal(pool.step([BOX_LOW.tolist()])[0], [BOX_LOW])


def edited(values: Any, dtype: str, index: Any, value: Any) -> np.ndarray:
    array = np.array([values, values], dtype)
    array[(1, *np.atleast_1d(index))] = value
    return array


BAD_ACTIONS: list[tuple[str, Any, type[Exception]]] = [
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 0, 3), InputError),
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 1, 1), InputError),
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 2, 5_000_000_000), InputError),
    ("MultiDiscreteAction", edited([0, 0, 0], "int64", 2, -1), InputError),
    ("MultiDiscreteAction", np.zeros((2, 2), np.int64), InputError),
    ("MultiDiscreteAction", np.zeros((3, 3), np.int64), InputError),
    ("MultiDiscreteAction", np.zeros((2, 3), np.float64), InputTypeError),
    ("BoxAction", edited(BOX_LOW, "float64", (0, 0), -1.0000000000000002), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (0, 2), 5e-324), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (1, 0), 0.7500000000000001), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (1, 1), np.inf), InputError),
    ("BoxAction", edited(BOX_LOW, "float64", (1, 1), np.nan), InputError),
    ("BoxAction", np.zeros((2, 3, 2)), InputError),
    ("BoxAction", np.zeros((2, 6)), InputError),
    ("BoxAction", np.array([["a"] * 3] * 2), InputTypeError),
    ("BoxAction", np.zeros((2, 2, 3), np.complex128), InputTypeError),
    ("BoxClip", edited([0, 0, 0], "float32", 1, np.nan), InputError),
    ("BoxInt", edited([10] * 4, "uint8", 3, 9), InputError),
    ("BoxInt", edited([10] * 4, "uint8", 3, 201), InputError),
    ("BoxLong", edited([0, 0], "int64", 1, INT64_MAX), InputError),
    ("BoxLong", edited([0, 0], "int64", 1, -4), InputError),
    ("MultiBinaryAction", edited([0] * 5, "int8", 4, 2), InputError),
    ("MultiBinaryAction", edited([0] * 5, "int8", 4, -1), InputError),
    ("DiscreteStart", np.array([0, 1]), InputError),
    ("DiscreteStart", np.array([0, -4]), InputError),
    ("DiscreteStart", np.array([0, -(2**63)]), InputError),
    ("DiscreteStart", np.array([0.0, -1.0]), InputTypeError),
    ("DiscreteStart", np.zeros((2, 1), np.int64), InputError),
    ("DiscreteStart", np.int64(0), InputTypeError),
    ("DiscreteStart", "ab", InputTypeError),
    ("DiscreteStart", None, InputTypeError),
    ("DiscreteStart", np.array([0, None]), InputTypeError),
]


@pytest.mark.parametrize(
    ("name", "actions", "error"),
    BAD_ACTIONS,
    ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(BAD_ACTIONS)],
)
def test_bad_actions_change_nothing(
    make: Make, name: str, actions: Any, error: type[Exception]
) -> None:
    good = next(values[0] for echo, values, _ in ECHOES if echo == name)
    dtype = next(dtype for echo, _, dtype in ECHOES if echo == name)
    pool = make(name, num_envs=2)
    pool.reset()
    before = pool.stats()["steps"]
    for call in (pool.step, pool.send):
        with pytest.raises(error, match="action") as caught:
            call(actions)
        assert type(caught.value) is error
    assert pool.stats()["steps"] == before
    rows = np.array([good, good], dtype)
    np.testing.assert_array_equal(pool.step(rows)[0], rows)


def test_an_array_whose_shape_changes_during_the_call() -> None:
    """What is read has the shape that was checked."""
    actions, ids = np.zeros(4, np.int64), np.arange(64)

    class Ids:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            actions.shape = (2, 2)  # frees the memory of the earlier shape, which others then take
            self.others = [np.broadcast_to(np.int64(0), (64,)) for _ in range(50)]
            return ids

    with envpool_py.make("CartPole-v1", num_envs=64, seed=0) as pool:
        pool.reset()
        with pytest.raises(InputError, match=r"actions: expected shape \(64,\).*got \(4,\)"):
            pool.step(actions, Ids())
