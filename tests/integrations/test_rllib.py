"""RLlib makes a pool from its id; its samples equal those from a `SyncVectorEnv`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from envpool_py import GymnasiumPool

pytest.importorskip("ray.rllib", reason="RLlib is not installed")

import torch

with warnings.catch_warnings():  # RLlib uses deprecated functions
    warnings.simplefilter("ignore", DeprecationWarning)
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

NUM_ENVS = 3


def runner_of(task: str, vectorised: str) -> Any:
    """Returns RLlib's sampler, with its own policy, in this process."""
    config = (
        PPOConfig()
        .environment(task, env_config={"max_episode_steps": 40})
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=NUM_ENVS,
            gym_env_vectorize_mode=vectorised,
        )
        .debugging(seed=4)
    )
    torch.manual_seed(0)
    return SingleAgentEnvRunner(config=config, worker_index=0, num_workers=0)


def test_samples_are_equal() -> None:
    mine = runner_of("envpool_py:EnvPool/CartPole-v1", "vector_entry_point")
    other = runner_of("CartPole-v1", "sync")
    assert isinstance(mine.env.unwrapped, GymnasiumPool)
    assert not isinstance(other.env.unwrapped, GymnasiumPool)
    sampled = []
    for runner in (mine, other):
        torch.manual_seed(1)
        sampled.append([runner.sample(num_timesteps=200) for _ in range(3)])
        runner.stop()
    ended = cut_off = 0
    for ours, theirs in zip(*sampled, strict=True):
        assert len(ours) == len(theirs) >= NUM_ENVS
        for episode, expected in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(episode.get_observations(), expected.get_observations())
            np.testing.assert_array_equal(episode.get_actions(), expected.get_actions())
            np.testing.assert_array_equal(episode.get_rewards(), expected.get_rewards())
            assert episode.is_terminated == expected.is_terminated
            assert episode.is_truncated == expected.is_truncated
            ended += episode.is_done
            cut_off += episode.is_truncated
    assert ended >= 10
    assert cut_off >= 1
