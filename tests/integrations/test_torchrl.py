"""TorchRL's `GymWrapper` accepts a pool; results equal those from Gymnasium's `SyncVectorEnv`."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode

import envpool_py

pytest.importorskip("torchrl", reason="TorchRL is not installed")

import torch

with warnings.catch_warnings():  # TorchRL uses deprecated functions
    warnings.simplefilter("ignore", DeprecationWarning)
    from torchrl.collectors import Collector
    from torchrl.data import HERReplayBuffer, LazyTensorStorage
    from torchrl.envs import GymWrapper, RewardSum, TransformedEnv
    from torchrl.envs.utils import check_env_specs

NUM_ENVS = 3
KEYS = ("observation", "action", *(("next", name) for name in ("observation", "reward", "done")))


def ours(task: str, mode: str, **options: Any) -> GymWrapper:
    pool = envpool_py.make(task, num_envs=NUM_ENVS, autoreset_mode=mode, **options)
    return GymWrapper(pool, categorical_action_encoding=True)


def ours_in_python(task: str, mode: str, **options: Any) -> GymWrapper:
    pool = envpool_py.make_python(
        lambda: gymnasium.make(task, **options), NUM_ENVS, num_workers=2, autoreset_mode=mode
    )
    return GymWrapper(pool, categorical_action_encoding=True)


def theirs(task: str, mode: str, **options: Any) -> GymWrapper:
    envs = gymnasium.make_vec(
        task,
        num_envs=NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
        **options,
    )
    return GymWrapper(envs, categorical_action_encoding=True)


@pytest.mark.parametrize("ours", [ours, ours_in_python])
@pytest.mark.parametrize(
    ("task", "limit", "mode"),
    [
        ("CartPole-v1", 20, "Disabled"),
        ("CartPole-v1", 20, "SameStep"),
        ("Pendulum-v1", 30, "Disabled"),
        ("Pendulum-v1", 30, "SameStep"),
        # In SameStep mode TorchRL cannot read Gymnasium's info `prob`, whose dtype changes.
        ("FrozenLake-v1", 9, "Disabled"),
    ],
)
def test_rollouts_are_equal(ours: Any, task: str, limit: int, mode: str) -> None:
    rollouts = []
    for make in (ours, theirs):
        envs = make(task, mode, max_episode_steps=limit)
        assert envs.batch_size == torch.Size([NUM_ENVS])
        envs.set_seed(4)
        torch.manual_seed(0)
        rollouts.append(envs.rollout(100, break_when_any_done=False))
        envs.close()
    mine, other = rollouts
    for key in (*KEYS, ("next", "terminated"), ("next", "truncated")):
        assert mine[key].dtype == other[key].dtype
        torch.testing.assert_close(mine[key], other[key], rtol=0, atol=0)
    assert mine["next", "done"].sum() >= 6


def test_infos_of_one_dtype_can_be_read() -> None:
    envs = ours("FrozenLake-v1", "SameStep", max_episode_steps=9)
    envs.set_seed(4)
    torch.manual_seed(0)
    rollout = envs.rollout(30, break_when_any_done=False)
    assert rollout["next", "prob"].dtype == torch.float64
    assert rollout["next", "done"].sum() >= 6
    envs.close()


@pytest.mark.parametrize("mode", ["Disabled", "SameStep"])
def test_specs_hold(mode: str) -> None:
    envs = ours("CartPole-v1", mode)
    check_env_specs(envs)
    envs.close()


def test_next_step_is_refused_by_torchrl() -> None:
    with pytest.raises(RuntimeError, match="must be one of SAME_STEP or DISABLED"):
        ours("CartPole-v1", "NextStep")


def test_collectors_collect_the_same() -> None:
    collected = []
    for make in (ours, theirs):
        envs = TransformedEnv(make("CartPole-v1", "Disabled"), RewardSum())
        envs.set_seed(1)
        torch.manual_seed(0)
        collector = Collector(envs, envs.rand_action, frames_per_batch=150, total_frames=450)
        collected.append([batch.clone() for batch in collector])
        collector.shutdown()
    assert len(collected[0]) == 3
    for mine, other in zip(*collected, strict=True):
        for key in (*KEYS, ("next", "episode_reward")):
            torch.testing.assert_close(mine[key], other[key], rtol=0, atol=0)


def test_hindsight_asks_a_pool_for_rewards() -> None:
    """Sampled goals are replaced, and the rewards of the new ones are those of the reference."""
    fetch = pytest.importorskip("gymnasium_robotics.envs.fetch.reach")
    # Only the method: the reference cannot be made with each version of MuJoCo.
    settings = SimpleNamespace(reward_type="sparse", distance_threshold=0.05)
    pool = envpool_py.make(
        "FetchReach-v4", num_envs=NUM_ENVS, max_episode_steps=10, autoreset_mode="Disabled"
    )
    envs = GymWrapper(pool)
    compute_reward = pool.get_attr("compute_reward")[0]

    def reward_of(transitions: Any) -> torch.Tensor:
        achieved, goal = transitions["next", "achieved_goal"], transitions["desired_goal"]
        return torch.as_tensor(compute_reward(achieved.numpy(), goal.numpy(), {}))[:, None].float()

    envs.set_seed(0)
    torch.manual_seed(0)
    buffer = HERReplayBuffer(
        reward_fn=reward_of, her_ratio=1.0, storage=LazyTensorStorage(90), batch_size=64
    )
    buffer.extend(envs.rollout(30, break_when_any_done=False).reshape(-1))  # one after the other
    sample = buffer.sample()
    achieved, goal = sample["next", "achieved_goal"].numpy(), sample["desired_goal"].numpy()
    expected = fetch.MujocoFetchReachEnv.compute_reward(settings, achieved, goal, {})
    assert sample["next", "reward"][:, 0].numpy().tolist() == expected.tolist()
    assert {-1.0, -0.0} == set(expected.tolist())  # reached goals, too
    envs.close()
