"""Environments whose spaces differ."""

from __future__ import annotations

import functools
import sys
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv

import envpool_py
from envpool_py.errors import SpaceMismatchError
from envpool_py.python_envs.space_trees import union

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

WORKERS = [0, 1, 2]


class Spaced(gymnasium.Env[Any, Any]):
    """Its observations are samples of its space."""

    def __init__(self, observation_space: Any, num_actions: int = 2) -> None:
        self.observation_space = observation_space
        self.action_space = spaces.Discrete(num_actions)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.observation_space.seed(seed)
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> Any:
        return self.observation_space.sample(), 0.0, False, False, {}


def of_sizes(size: int) -> spaces.Dict:
    return spaces.Dict(
        {
            "box": spaces.Box(-size, 2 * size, (2,), np.float32),
            "one": spaces.Discrete(size, start=size),
            "many": spaces.MultiDiscrete([size, 3], start=[0, -size]),
            "pair": spaces.Tuple([spaces.MultiBinary(2), spaces.Box(0, size, (), np.uint8)]),
            "text": spaces.Text(3),
        }
    )


UNION_OF_2_AND_3 = spaces.Dict(
    {
        "box": spaces.Box(-3, 6, (2,), np.float32),
        "one": spaces.Discrete(4, start=2),
        "many": spaces.MultiDiscrete([3, 4], start=[0, -3]),
        "pair": spaces.Tuple([spaces.MultiBinary(2), spaces.Box(0, 3, (), np.uint8)]),
        "text": spaces.Text(3),
    }
)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_bounds_may_differ(num_workers: int) -> None:
    fns = [functools.partial(Spaced, of_sizes(size)) for size in (2, 3, 2)]
    reference = SyncVectorEnv(fns, observation_mode="different")
    with envpool_py.make_python(fns, num_workers=num_workers) as pool:
        assert pool.single_observation_space == UNION_OF_2_AND_3
        assert pool.observation_space == reference.observation_space
        for observations in (pool.reset(seed=1)[0], pool.step(np.zeros(3, int))[0]):
            assert observations in pool.observation_space


def test_first_ready_rows_have_the_widest_bounds() -> None:
    fns = [functools.partial(Spaced, of_sizes(size)) for size in (2, 3)]
    with envpool_py.make_python(fns, num_workers=0, batch_size=1) as pool:
        assert pool.observation_space["one"] == spaces.MultiDiscrete([4, 4], start=[2, 2])


def test_specs_of_dm_env() -> None:
    fns = [functools.partial(Spaced, spaces.Discrete(size)) for size in (3, 5)]
    with envpool_py.make_python(fns, num_workers=0, env_type="dm") as pool:
        assert pool.observation_spec().obs.maximum.tolist() == 4


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (spaces.Box(0, 1, (2,)), spaces.Box(0, 1, (3,))),
        (spaces.Box(0, 1, (2,)), spaces.Box(0, 1, (2,), np.float64)),
        (spaces.Discrete(2), spaces.Box(0, 1, (), np.int64)),
        (spaces.Dict({"a": spaces.Discrete(2)}), spaces.Dict({"b": spaces.Discrete(2)})),
        (spaces.Text(3), spaces.Text(4)),
    ],
)
def test_unions_that_do_not_exist(one: Any, other: Any) -> None:
    assert union([one, other]) is None


def test_unions_of_objects() -> None:
    box = [spaces.Box(0, size, (2,)) for size in (1, 2)]
    for kind in (spaces.Sequence, spaces.Graph):
        small, large = (
            kind(each, spaces.Discrete(2)) if kind is spaces.Graph else kind(each) for each in box
        )
        assert union([small, large]) == large
    assert union([spaces.Text(3, min_length=2), spaces.Text(3)]) == spaces.Text(3)
    assert union([spaces.OneOf([box[0]]), spaces.OneOf([box[1]])]) == spaces.OneOf([box[1]])


@pytest.mark.parametrize("num_workers", WORKERS)
def test_other_differences_are_one_error(num_workers: int) -> None:
    box = spaces.Box(0, 1, (2,))
    for other, message in [
        (Spaced(spaces.Box(0, 1, (3,))), r"observation_space: .* environment 1 has .*\(3,\)"),
        (Spaced(box, num_actions=3), r"action_space: .* environment 1 has Discrete\(3\)"),
    ]:
        with pytest.raises(SpaceMismatchError, match=message):
            envpool_py.make_python(
                [functools.partial(Spaced, box), lambda other=other: other],
                num_workers=num_workers,
            )
