"""The adapter for PFRL, compared with PFRL's `SerialVectorEnv` of Gymnasium's environments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import ClosedError, InputError, InputTypeError, ResetNeededError

pytest.importorskip("pfrl", reason="PFRL is not installed")

import torch
from pfrl.agents import PPO
from pfrl.envs import SerialVectorEnv
from pfrl.experiments import train_agent_batch
from pfrl.nn import Branched
from pfrl.policies import SoftmaxCategoricalHead
from pfrl.utils import set_random_seed

from envpool_py.integrations.pfrl import PoolVectorEnv

NUM_ENVS = 3


class OldForm(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment in PFRL's form: one flag, the time limit in the infos, a method `seed`."""

    _seed: int | None = None

    def seed(self, seed: int | None) -> None:
        self._seed = seed

    def reset(self) -> Any:  # type: ignore[override]
        seed, self._seed = self._seed, None
        return self.env.reset(seed=seed)[0]

    def step(self, action: Any) -> Any:
        observation, reward, terminated, truncated, info = self.env.step(action)
        if truncated and not terminated:
            info = {**info, "needs_reset": True}
        return observation, reward, terminated, info


def ours(task: str, **options: Any) -> PoolVectorEnv:
    pool = envpool_py.make(task, num_envs=NUM_ENVS, autoreset_mode="Disabled", **options)
    return PoolVectorEnv(pool)


def theirs(task: str, **options: Any) -> SerialVectorEnv:
    return SerialVectorEnv([OldForm(gymnasium.make(task, **options)) for _ in range(NUM_ENVS)])


def assert_rows_equal(mine: Any, other: Any) -> None:
    assert len(mine) == len(other) == NUM_ENVS
    for each, expected in zip(mine, other, strict=True):
        if isinstance(expected, dict):
            assert set(each) == set(expected)
            for name in expected:
                np.testing.assert_array_equal(each[name], expected[name])
        else:
            np.testing.assert_array_equal(each, expected)
            assert np.shape(each) == np.shape(expected)
            if isinstance(expected, np.ndarray):
                assert each.dtype == expected.dtype


@pytest.mark.parametrize(
    ("task", "options"),
    [
        ("CartPole-v1", {"max_episode_steps": 20}),  # episodes end in both ways
        ("Pendulum-v1", {"max_episode_steps": 30}),
        ("FrozenLake-v1", {"max_episode_steps": 9}),
        ("Taxi-v4", {"max_episode_steps": 15}),
    ],
)
def test_equals_serial_vector_env(task: str, options: dict[str, Any]) -> None:
    mine, other = ours(task, **options), theirs(task, **options)
    assert mine.num_envs == NUM_ENVS
    assert mine.action_space == other.action_space
    assert mine.observation_space == other.observation_space
    for envs in (mine, other):
        envs.seed([5, 6, 9])
    assert_rows_equal(mine.reset(), other.reset())
    mine.action_space.seed(0)
    ended = cut_off = 0
    for step in range(120):
        actions = [mine.action_space.sample() for _ in range(NUM_ENVS)]
        results, expected = mine.step(actions), other.step(actions)
        assert len(results) == len(expected) == 4
        for each, wanted in zip(results, expected, strict=True):
            assert type(each) is tuple
            assert_rows_equal(each, wanted)
        needs_reset = np.array([info.get("needs_reset", False) for info in results[3]])
        end = np.array(results[2]) | needs_reset
        ended += int(end.sum())
        cut_off += int(needs_reset.sum())
        assert_rows_equal(mine.reset(~end), other.reset(~end))
        if step == 60:
            assert_rows_equal(mine.reset(), other.reset())
    assert ended >= 6
    assert cut_off >= 1
    mine.close()


def test_observations_are_the_callers() -> None:
    envs = ours("CartPole-v1")
    envs.seed([0, 1, 2])
    first = envs.reset()
    kept = [part.copy() for part in first]
    envs.step([0, 0, 0])
    np.testing.assert_array_equal(first, kept)
    # An environment that the mask excludes returns its last observation and is not reset.
    seen = envs.step([1, 1, 1])[0]
    again = envs.reset([True, True, True])
    np.testing.assert_array_equal(again, seen)
    assert envs.pool.stats()["resets"] == NUM_ENVS
    envs.close()


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True:UserWarning")
def test_training_is_the_same(tmp_path: Path) -> None:
    """Equal environments, seeds and settings give bit-equal weights."""
    weights = []
    for envs in (ours("CartPole-v1"), theirs("CartPole-v1")):
        set_random_seed(3)
        envs.seed([0, 1, 2])
        policy = torch.nn.Sequential(torch.nn.Linear(4, 2), SoftmaxCategoricalHead())
        model = Branched(policy, torch.nn.Linear(4, 1))
        agent = PPO(
            model,
            torch.optim.Adam(model.parameters(), lr=1e-2),
            update_interval=150,
            minibatch_size=50,
            epochs=2,
        )
        returned = train_agent_batch(agent, envs, 600, tmp_path, max_episode_len=40)
        assert returned == []
        weights.append([value.detach().numpy().copy() for value in model.parameters()])
    assert any((weight != 0).any() for weight in weights[0])
    for mine, other in zip(*weights, strict=True):
        np.testing.assert_array_equal(mine, other)


def test_errors() -> None:
    with (
        envpool_py.make("CartPole-v1", num_envs=2) as pool,
        pytest.raises(InputError, match=r'"Disabled", got "NextStep"'),
    ):
        PoolVectorEnv(pool)
    envs = ours("CartPole-v1")
    with pytest.raises(ResetNeededError):
        envs.step([0, 0, 0])
    with pytest.raises(InputError, match=r"mask: expected shape \(3,\), got \(2,\)"):
        envs.reset([True, False])
    with pytest.raises(InputTypeError, match="seeds: expected one per environment, got int 4"):
        envs.seed(4)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="seeds: expected 3, got 1"):
        envs.seed([4])
    envs.close()
    envs.close()
    with pytest.raises(ClosedError):
        envs.reset()
