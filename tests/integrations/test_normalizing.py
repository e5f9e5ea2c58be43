"""Normalization per environment equals Gymnasium's wrappers around each environment."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import envpool_py
from envpool_py.errors import InputError, InputTypeError
from envpool_py.integrations.normalizing import NormalizeObservation, NormalizeReward

N = 3


def wrapped(task_id: str, **options: Any) -> Any:
    env: Any = gymnasium.make(task_id, **options)
    env = gymnasium.wrappers.NormalizeObservation(env)
    return gymnasium.wrappers.NormalizeReward(env, gamma=0.9)


# Observations of float32, float64 and integers; ends by termination and by truncation.
@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("task_id", ["CartPole-v1", "InvertedPendulum-v5", "Pendulum-v1"])
def test_equals_the_wrappers_of_each_environment(task_id: str, mode: AutoresetMode) -> None:
    theirs = SyncVectorEnv(
        [lambda: wrapped(task_id, max_episode_steps=20) for _ in range(N)], autoreset_mode=mode
    )
    pool: Any = envpool_py.make(
        task_id, num_envs=N, max_episode_steps=20, autoreset_mode=mode, extra_infos=False
    )
    ours = NormalizeReward(NormalizeObservation(pool), gamma=0.9)
    assert ours.single_observation_space == theirs.single_observation_space
    np.testing.assert_array_equal(ours.reset(seed=3)[0], theirs.reset(seed=3)[0])
    theirs.action_space.seed(0)
    ends = 0
    for step in range(120):
        if step == 100:
            ours.update_running_mean = ours.env.update_running_mean = False
            theirs.set_attr("update_running_mean", False)
            for env in theirs.envs:
                env.env.update_running_mean = False
        actions = theirs.action_space.sample()
        mine, other = ours.step(actions), theirs.step(actions)
        for one, expected in zip(mine[:4], other[:4], strict=True):
            np.testing.assert_array_equal(one, expected)
            assert one.dtype == expected.dtype
        ended = mine[2] | mine[3]
        ends += ended.sum()
        if mode is AutoresetMode.SAME_STEP and ended.any():
            for row in np.flatnonzero(ended):
                np.testing.assert_array_equal(mine[4]["final_obs"][row], other[4]["final_obs"][row])
        if mode is AutoresetMode.DISABLED and ended.any():
            options = {"reset_mask": ended}
            np.testing.assert_array_equal(
                ours.reset(options=options)[0], theirs.reset(options=dict(options))[0]
            )
    assert ends > 5
    ours.close()
    theirs.close()


def test_arguments_are_checked() -> None:
    envs: Any = envpool_py.make("CartPole-v1", num_envs=2)
    with pytest.raises(InputError, match="epsilon: expected a number above 0, got 0"):
        NormalizeObservation(envs, epsilon=0)
    with pytest.raises(InputError, match=r"gamma: expected a number in \[0, 1\], got 2"):
        NormalizeReward(envs, gamma=2)
    with pytest.raises(InputError, match="first-ready"):
        NormalizeReward(envpool_py.make("CartPole-v1", num_envs=2, batch_size=1))
    with pytest.raises(InputTypeError, match="expected observations that are arrays"):
        NormalizeObservation(envpool_py.make("Blackjack-v1", num_envs=2))


def test_a_reset_by_ids_is_refused() -> None:
    pool: Any = envpool_py.make("CartPole-v1", num_envs=N, extra_infos=False)
    for wrapper in (NormalizeObservation(pool), NormalizeReward(pool)):
        wrapper.reset(seed=0)
        with pytest.raises(InputError, match=r"env_id: .*reset_mask"):
            wrapper.reset(env_id=[2, 1, 0])
    pool.close()
