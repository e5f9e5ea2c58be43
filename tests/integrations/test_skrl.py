"""skrl's `wrap_env` accepts a pool; results equal those from Gymnasium's `SyncVectorEnv`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py

pytest.importorskip("skrl", reason="skrl is not installed")

import torch
from skrl.envs.wrappers.torch import wrap_env
from skrl.envs.wrappers.torch.gymnasium_envs import GymnasiumWrapper
from skrl.utils import set_seed

NUM_ENVS = 3


def ours(task: str, mode: str, **options: Any) -> Any:
    return envpool_py.make(task, num_envs=NUM_ENVS, autoreset_mode=mode, **options)


def theirs(task: str, mode: str, **options: Any) -> Any:
    return gymnasium.make_vec(
        task,
        num_envs=NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        **options,
    )


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("task", "limit"), [("CartPole-v1", 20), ("Pendulum-v1", 30), ("FrozenLake-v1", 9)]
)
def test_steps_are_equal(task: str, limit: int, mode: str) -> None:
    set_seed(7)  # the seed that the wrapper resets with
    mine, other = (wrap_env(make(task, mode, max_episode_steps=limit)) for make in (ours, theirs))
    assert type(mine) is GymnasiumWrapper
    assert mine.num_envs == other.num_envs == NUM_ENVS
    assert mine.observation_space == other.observation_space
    assert mine.action_space == other.action_space
    results, expected = mine.reset(), other.reset()
    torch.testing.assert_close(results[0], expected[0], rtol=0, atol=0)
    mine.action_space.seed(0)
    ended = 0
    for _ in range(100):
        drawn = np.stack([mine.action_space.sample() for _ in range(NUM_ENVS)])
        actions = torch.from_numpy(drawn).reshape(NUM_ENVS, -1)
        results, expected = mine.step(actions), other.step(actions)
        for each, wanted in zip(results[:4], expected[:4], strict=True):
            assert each.dtype == wanted.dtype
            torch.testing.assert_close(each, wanted, rtol=0, atol=0)
        ended += int((results[2] | results[3]).sum())
        # The trainer calls `reset` after every step, and gets the step's observations.
        torch.testing.assert_close(mine.reset()[0], results[0])
    assert ended >= 6
    mine.close()
    other.close()
