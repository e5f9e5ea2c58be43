"""The adapter for Tianshou, compared with its `DummyVectorEnv` of Gymnasium's environments."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    InputError,
    InputTypeError,
    NoAttributeError,
    ResetNeededError,
)

pytest.importorskip("tianshou", reason="Tianshou is not installed")

import torch
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.data import AsyncCollector, Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, VectorEnvNormObs
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor

from envpool_py.integrations.tianshou import PoolVectorEnv

NUM_ENVS = 4


def ours(task: str, **options: Any) -> PoolVectorEnv:
    pool = envpool_py.make(task, num_envs=NUM_ENVS, autoreset_mode="Disabled", **options)
    return PoolVectorEnv(pool)


def theirs(task: str, **options: Any) -> DummyVectorEnv:
    return DummyVectorEnv([lambda: gymnasium.make(task, **options)] * NUM_ENVS)


def assert_equal(mine: Any, other: Any) -> None:
    if isinstance(other, np.ndarray) and other.dtype == object:
        assert mine.dtype == object
        assert mine.shape == other.shape
        for each, expected in zip(mine, other, strict=True):
            assert set(each) == set(expected)
            for name in expected:
                np.testing.assert_array_equal(each[name], expected[name])
    else:
        assert isinstance(mine, np.ndarray)
        np.testing.assert_array_equal(mine, other)
        assert mine.dtype == other.dtype
        assert mine.shape == other.shape


def assert_all_equal(mine: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert len(mine) == len(other)
    for index, (each, expected) in enumerate(zip(mine, other, strict=True)):
        # Our rewards are float64; Tianshou's have the type of the first environments' rewards.
        is_rewards = len(mine) == 5 and index == 1
        assert_equal(each, expected.astype(np.float64) if is_rewards else expected)


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {"max_episode_steps": 20}),
        ("Pendulum-v1", {"max_episode_steps": 30}),
        ("FrozenLake-v1", {"max_episode_steps": 9}),
        ("Taxi-v4", {"max_episode_steps": 15}),
    ],
)
def test_equals_dummy_vector_env(task: str, options: dict[str, Any]) -> None:
    mine, other = ours(task, **options), theirs(task, **options)
    assert len(mine) == len(other) == NUM_ENVS
    for name in ("observation_space", "action_space"):
        assert getattr(mine, name) == getattr(other, name)
    assert mine.seed(3) == [[3], [4], [5], [6]]
    other.seed(3)
    assert_all_equal(mine.reset(), other.reset())
    rng = np.random.default_rng(0)
    running = np.arange(NUM_ENVS)
    ended = 0
    for step in range(150):
        # Some steps use a subset of the environments, in another order.
        ids = rng.permutation(running)[: rng.integers(1, NUM_ENVS + 1)] if step % 3 else None
        count = NUM_ENVS if ids is None else len(ids)
        space = mine.action_space[0]
        actions = np.stack([space.sample() for _ in range(count)])
        results = mine.step(actions, ids)
        assert_all_equal(results, other.step(actions, ids))
        over = results[2] | results[3]
        done = [info["env_id"] for info in results[4][over]]
        if done:
            ended += len(done)
            assert_all_equal(mine.reset(done), other.reset(done))
    assert ended >= 8
    assert_all_equal(mine.reset(2, seed=9), other.reset(2, seed=9))
    assert_all_equal(mine.reset(seed=9), other.reset(seed=9))
    mine.close()
    other.close()


def test_action_spaces_draw_apart_and_as_seeded() -> None:
    mine, other = ours("CartPole-v1"), theirs("CartPole-v1")
    for envs in (mine, other):
        envs.seed(8)
    drawn = [[space.sample() for _ in range(50)] for space in mine.action_space]
    assert drawn == [[space.sample() for _ in range(50)] for space in other.action_space]
    assert drawn[0] != drawn[1]
    mine.close()
    other.close()


def policy_of(
    envs: PoolVectorEnv, policy: type[DiscreteActorPolicy] = DiscreteActorPolicy
) -> DiscreteActorPolicy:
    torch.manual_seed(1)
    space = envs.action_space[0]
    net = Net(state_shape=(4,), hidden_sizes=[16])
    actor = DiscreteActor(preprocess_net=net, action_shape=space.n, softmax_output=False)
    return policy(
        actor=actor,
        action_space=space,
        dist_fn=lambda logits: torch.distributions.Categorical(logits=logits),
    )


@pytest.mark.parametrize("amount", [{"n_step": 400}, {"n_episode": 11}])
def test_collector_collects_the_same(amount: dict[str, int]) -> None:
    collected = []
    for envs in (ours("CartPole-v1"), theirs("CartPole-v1")):
        envs.seed(5)
        buffer = VectorReplayBuffer(2_000, NUM_ENVS)
        collector = Collector(policy_of(envs), envs, buffer)
        torch.manual_seed(2)
        collector.reset()
        stats = collector.collect(**amount)
        batch, _ = buffer.sample(0)
        collected.append((stats.returns, stats.lens, batch.obs, batch.act, batch.obs_next))
        envs.close()
    for mine, other in zip(*collected, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert len(collected[0][0]) >= 8


class KeptPolicy(DiscreteActorPolicy):
    """A policy with a state: Tianshou 2.0's AsyncCollector fails for policies without one."""

    def forward(self, *arguments: Any, **settings: Any) -> Batch:
        chosen = super().forward(*arguments, **settings)
        chosen.policy = Batch(logits=chosen.logits.detach())
        chosen.state = np.zeros((len(chosen.act), 1))
        return chosen


@pytest.mark.filterwarnings("ignore:Using async setting may collect extra:UserWarning")
def test_async_collector() -> None:
    pool = envpool_py.make(
        "CartPole-v1", num_envs=6, batch_size=2, num_threads=2, autoreset_mode="Disabled", seed=0
    )
    envs = PoolVectorEnv(pool)
    assert envs.is_async
    buffer = VectorReplayBuffer(3_000, 6)
    collector = AsyncCollector(policy_of(envs, KeptPolicy), envs, buffer)
    collector.reset()
    stats = collector.collect(n_step=600)
    assert stats.n_collected_steps >= 600
    assert stats.n_collected_episodes == len(stats.returns) >= 5
    np.testing.assert_array_equal(stats.returns, stats.lens)
    collector.reset(reset_buffer=False)  # while some environments are in flight
    # An environment's stored steps form a trajectory: each observation follows the previous one.
    for part in buffer.buffers:
        batch, _ = part.sample(0)
        going_on = ~(batch.terminated | batch.truncated)[:-1]
        assert going_on.sum() > 20
        np.testing.assert_array_equal(batch.obs[1:][going_on], batch.obs_next[:-1][going_on])
    envs.close()


def test_first_ready_rows_name_their_environments() -> None:
    pool = envpool_py.make(
        "CartPole-v1", num_envs=4, batch_size=2, num_threads=2, autoreset_mode="Disabled", seed=0
    )
    envs = PoolVectorEnv(pool)
    envs.reset()
    first = envs.step(np.zeros(4, np.int64))[4]
    second = envs.step(None)[4]
    ids = [info["env_id"] for info in (*first, *second)]
    assert sorted(ids) == [0, 1, 2, 3]
    envs.close()


def test_seed_while_environments_are_in_flight() -> None:
    pool = envpool_py.make(
        "CartPole-v1", num_envs=4, batch_size=2, num_threads=2, autoreset_mode="Disabled", seed=0
    )
    envs = PoolVectorEnv(pool)
    envs.reset()
    envs.step(np.zeros(4, np.int64))  # returns two of the four
    assert envs.seed(3) == [[3], [4], [5], [6]]
    assert len(envs.step(np.zeros(2, np.int64), id=[0, 1])[1]) == 2
    envs.close()


def test_under_the_librarys_wrapper() -> None:
    mine, other = (VectorEnvNormObs(make("CartPole-v1")) for make in (ours, theirs))
    for envs in (mine, other):
        envs.seed(2)
    assert_all_equal(mine.reset(), other.reset())
    for _ in range(8):
        assert_all_equal(mine.step(np.ones(4, np.int64)), other.step(np.ones(4, np.int64)))
    mine.close()
    other.close()


def test_errors() -> None:
    with (
        envpool_py.make("CartPole-v1", num_envs=2) as pool,
        pytest.raises(InputError, match=r'"Disabled", got "NextStep"'),
    ):
        PoolVectorEnv(pool)
    envs = ours("CartPole-v1")
    with pytest.raises(ResetNeededError):
        envs.step(np.zeros(4, np.int64))
    envs.reset(seed=0)
    with pytest.raises(EnvIdError):
        envs.step(np.zeros(1, np.int64), [4])
    with pytest.raises(InputError, match="action: expected a row per environment, got None"):
        envs.step(None)
    with pytest.raises(InputTypeError, match=r"seed and options, got \['sed'\]"):
        envs.reset(sed=1)
    with pytest.raises(NoAttributeError, match=r"key: .*metadata.*, got 'metdata'; did you mean"):
        envs.get_env_attr("metdata")
    with pytest.raises(NoAttributeError, match=r"got 'x' = 1: .* no attributes that can be set"):
        envs.set_env_attr("x", 1)
    with pytest.raises(InputTypeError, match="render: expected no arguments"):
        envs.render(mode="human")
    envs.close()
    envs.close()
    with pytest.raises(ClosedError):
        envs.reset()


class Counter(gymnasium.Env[np.ndarray, int]):
    observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    level = 3

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, Any]:
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        return np.full(2, self.level / 10, np.float32), float(action), False, False, {}


def test_attributes_of_environments_in_python() -> None:
    envs = PoolVectorEnv(envpool_py.make_python(Counter, 3, autoreset_mode="Disabled"))
    assert envs.get_env_attr("level") == [3, 3, 3]
    envs.set_env_attr("level", 5, [1])
    assert envs.get_env_attr("level", [0, 1]) == [3, 5]
    assert envs.get_env_attr("level", 1) == [5]
    assert len(envs.get_env_attr("action_space")) == 3
    with pytest.raises(AttributeError, match="levle"):
        envs.get_env_attr("levle")
    envs.reset(seed=0)
    observations, *_ = envs.step(np.zeros(3, np.int64))
    np.testing.assert_array_equal(observations[:, 0], np.float32([0.3, 0.5, 0.3]))
    envs.close()
