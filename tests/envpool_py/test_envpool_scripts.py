"""Typical programs for EnvPool, of which only the import is changed.

If EnvPool is installed, they also run with EnvPool, which shows that they are valid.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

LIBRARIES = ["envpool_py", "envpool_py.compat.envpool", "envpool"]

# EnvPool's bounds cause this warning.
pytestmark = pytest.mark.filterwarnings("ignore:.*precision lowered by casting")


@pytest.fixture(params=LIBRARIES)
def envpool(request: pytest.FixtureRequest) -> Any:
    pytest.importorskip(request.param.partition(".")[0])
    return importlib.import_module(request.param)


@pytest.mark.parametrize("env_type", ["gym", "gymnasium"])
def test_synchronous_loop(envpool: Any, env_type: str) -> None:
    num_envs = 20
    env = envpool.make("CartPole-v1", env_type=env_type, num_envs=num_envs)
    assert len(env) == num_envs
    assert env.config["num_envs"] == env.config["batch_size"] == num_envs
    assert env.config["max_episode_steps"] == 500
    assert not env.is_async
    np.testing.assert_array_equal(env.all_env_ids, np.arange(num_envs))
    obs, info = env.reset()
    assert obs.shape == (num_envs, 4)
    episodes = 0
    for _ in range(100):
        act = np.random.default_rng(0).integers(2, size=num_envs)
        obs, rew, term, trunc, info = env.step(act)
        assert obs.shape == (num_envs, 4)
        assert rew.shape == term.shape == trunc.shape == (num_envs,)
        np.testing.assert_array_equal(info["env_id"], np.arange(num_envs))
        assert info["elapsed_step"].shape == (num_envs,)
        episodes += int((term | trunc).sum())
    assert episodes > 0
    env.close()


def test_asynchronous_loop(envpool: Any) -> None:
    env = envpool.make_gymnasium("CartPole-v1", num_envs=10, batch_size=4, num_threads=2, seed=0)
    assert env.is_async
    env.async_reset()
    seen = set()
    for _ in range(200):
        obs, rew, _term, _trunc, info = env.recv()
        env_id = info["env_id"]
        assert obs.shape == (4, 4)
        assert len(env_id) == len(rew) == 4
        seen.update(env_id.tolist())
        env.send(np.zeros(len(env_id), np.int32), env_id)
    assert seen == set(range(10))
    env.close()


def test_batched_step_by_ids(envpool: Any) -> None:
    """The loop of EnvPool's README: `step` gets the ids of the last batch."""
    env = envpool.make_gym("CartPole-v1", num_envs=8, batch_size=3, num_threads=2)
    env.async_reset()
    info = env.recv()[4]
    for _ in range(50):
        obs, *_, info = env.step(np.ones(3, np.int32), info["env_id"])
        assert obs.shape == (3, 4)
    env.close()


def test_reset_of_some(envpool: Any) -> None:
    env = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=6)
    env.reset()
    for _ in range(3):
        env.step(np.zeros(6, np.int32))
    obs, info = env.reset(np.array([1, 4]))
    assert obs.shape == (2, 4)
    np.testing.assert_array_equal(info["env_id"], [1, 4])
    np.testing.assert_array_equal(info["elapsed_step"], [0, 0])
    *_, info = env.step(np.zeros(2, np.int32), np.array([4, 2]))
    np.testing.assert_array_equal(info["env_id"], [4, 2])
    np.testing.assert_array_equal(info["elapsed_step"], [1, 4])
    env.close()


@pytest.mark.parametrize("by", ["make", "make_dm"])
def test_dm_loop(envpool: Any, by: str) -> None:
    env = (
        envpool.make("CartPole-v1", env_type="dm", num_envs=5)
        if by == "make"
        else envpool.make_dm("CartPole-v1", num_envs=5)
    )
    ts = env.reset()
    assert (ts.step_type == 0).all()
    last = 0
    for _ in range(60):
        ts = env.step(np.zeros(5, np.int32), ts.observation.env_id)
        assert ts.observation.obs.shape == (5, 4)
        assert ts.reward.shape == ts.discount.shape == (5,)
        over = ts.step_type == 2
        assert (ts.discount[over] == 0).all()
        last += int(over.sum())
    assert last > 0
    env.close()


def test_dm_asynchronous_loop(envpool: Any) -> None:
    env = envpool.make_dm("CartPole-v1", num_envs=6, batch_size=2, num_threads=2)
    env.async_reset()
    for _ in range(60):
        ts = env.recv()
        assert ts.observation.env_id.shape == (2,)
        env.send(np.zeros(2, np.int32), ts.observation.env_id)
    env.close()


def test_specs(envpool: Any) -> None:
    assert "CartPole-v1" in envpool.list_all_envs()
    spec = envpool.make_spec("CartPole-v1")
    assert spec.observation_space.shape == (4,)
    assert spec.action_space.n == 2


def test_atari_options(envpool: Any) -> None:
    importlib.import_module("ale_py")
    env = envpool.make(
        "Pong-v5", env_type="gymnasium", num_envs=2, stack_num=2, frame_skip=3, noop_max=1,
        episodic_life=True, reward_clip=True, img_height=64, img_width=72, use_fire_reset=False,
        repeat_action_probability=0.25, full_action_space=True, max_episode_steps=50,
    )  # fmt: skip
    obs, info = env.reset()
    assert obs.shape == (2, 2, 64, 72)
    assert obs.dtype == np.uint8
    obs, _, _, _, info = env.step(np.array([0, 17]))
    assert {"lives", "reward", "terminated", "elapsed_step"} <= info.keys()
    assert env.config["img_width"] == 72
    env.close()
