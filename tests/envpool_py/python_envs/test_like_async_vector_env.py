"""Features of `gymnasium.vector.AsyncVectorEnv` that programs rely on, besides the numbers."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode

import envpool_py

from . import awkward


def cart_pole() -> Any:
    return gymnasium.make("CartPole-v1")


@pytest.mark.parametrize("num_workers", [0, 2])
def test_spaces_and_shapes(num_workers: int) -> None:
    with envpool_py.make_python(cart_pole, 4, num_workers=num_workers) as envs:
        assert isinstance(envs, gymnasium.vector.VectorEnv)
        assert isinstance(envs.unwrapped, type(envs))
        assert isinstance(envs.single_action_space, gymnasium.spaces.Discrete)
        assert isinstance(envs.action_space, gymnasium.spaces.MultiDiscrete)
        assert isinstance(envs.observation_space, gymnasium.spaces.Box)
        for arguments in ({}, {"seed": 1}, {"seed": [1, 2, 3, 4]}, {"options": {"low": -0.1}}):
            observations, infos = envs.reset(**arguments)
            assert observations in envs.observation_space
            assert isinstance(infos, dict)
        # A list of single actions is accepted too.
        for actions in (envs.action_space.sample(), [0, 1, 0, 1], (1, 1, 1, 1)):
            observations, rewards, terminations, truncations, _ = envs.step(actions)
            assert observations in envs.observation_space
            assert rewards.dtype == np.float64
            assert rewards.shape == terminations.shape == truncations.shape == (4,)
            assert terminations.dtype == truncations.dtype == np.bool_


def test_metadata_is_not_that_of_the_environments_class() -> None:
    modes = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP]
    pools = [envpool_py.make_python([cart_pole], autoreset_mode=mode) for mode in modes]
    assert [pool.metadata["autoreset_mode"] for pool in pools] == modes
    assert "autoreset_mode" not in cart_pole().metadata
    for pool in pools:
        pool.close()


@pytest.mark.parametrize("num_workers", [0, 2])
def test_results_are_copies(num_workers: int) -> None:
    with envpool_py.make_python(cart_pole, 2, num_workers=num_workers) as envs:
        first, _ = envs.reset(seed=1)
        kept = first.copy()
        envs.step(np.array([1, 1]))
        np.testing.assert_array_equal(first, kept)
        first[:] = 0
        assert (envs.reset(seed=1)[0] == kept).all()


@pytest.mark.parametrize("num_workers", [0, 2])
def test_attributes(num_workers: int) -> None:
    with envpool_py.make_python(cart_pole, 3, num_workers=num_workers) as envs:
        assert envs.call("gravity") == (9.8, 9.8, 9.8)
        envs.set_attr("gravity", [9.81, 3.72, 8.87])
        assert envs.get_attr("gravity") == (9.81, 3.72, 8.87)
        envs.set_attr("length", 0.7)
        assert envs.get_attr("length") == (0.7, 0.7, 0.7)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_errors_are_gymnasiums(num_workers: int) -> None:
    envs = envpool_py.make_python(cart_pole, 2, num_workers=num_workers)
    envs.close()
    with pytest.raises(ClosedEnvironmentError):
        envs.reset()
    with pytest.raises(RuntimeError, match="observation_space"):
        envpool_py.make_python([cart_pole, awkward.Base], num_workers=num_workers)
