"""The Stable-Baselines3 adapter with Python environments, compared with `DummyVecEnv`."""

from __future__ import annotations

import functools
import sys
from typing import Any, ClassVar

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

import envpool_py

pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")

from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from envpool_py.integrations.stable_baselines3 import PoolVecEnv

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

make_cart_pole = functools.partial(gymnasium.make, "CartPole-v1", max_episode_steps=30)


def monitored() -> gymnasium.Env[Any, Any]:
    return Monitor(make_cart_pole())


def ours(env_fn: Any, num_workers: int, num_envs: int = 3, **settings: Any) -> PoolVecEnv:
    return PoolVecEnv(
        envpool_py.make_python(
            env_fn, num_envs, num_workers=num_workers, autoreset_mode="SameStep", **settings
        )
    )


def without_seconds(infos: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the infos without episode times, which differ between runs."""
    cleaned = []
    for info in infos:
        if "episode" in info:
            assert info["episode"]["t"] >= 0
            info = {**info, "episode": {k: v for k, v in info["episode"].items() if k != "t"}}
        cleaned.append(info)
    return cleaned


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("own_monitor", [True, False])
def test_equals_dummy_vec_env(own_monitor: bool, num_workers: int) -> None:
    """Uses a Monitor in each environment, or the pool's statistics instead."""
    mine: VecEnv
    if own_monitor:
        mine = ours(monitored, num_workers)
    else:
        mine = ours(make_cart_pole, num_workers, record_episode_statistics=True)
    other = DummyVecEnv([monitored] * 3)
    assert mine.env_is_wrapped(Monitor) == other.env_is_wrapped(Monitor) == [True] * 3
    for envs in (mine, other):
        envs.seed(7)
    np.testing.assert_array_equal(mine.reset(), other.reset())
    rng = np.random.default_rng(0)
    ended = cut_off = 0
    for _ in range(150):
        actions = rng.integers(2, size=3)
        results, expected = mine.step(actions), other.step(actions)
        for each, wanted in zip(results[:3], expected[:3], strict=True):
            np.testing.assert_array_equal(each, wanted)
            assert each.dtype == wanted.dtype
        np.testing.assert_equal(without_seconds(results[3]), without_seconds(expected[3]))
        ended += int(results[2].sum())
        cut_off += sum(info["TimeLimit.truncated"] for info in results[3])
    assert ended >= 12
    assert cut_off >= 1
    mine.close()
    other.close()


@pytest.mark.parametrize("num_workers", [0, 2])
def test_attributes_and_methods(num_workers: int) -> None:
    envs = ours(make_cart_pole, num_workers)
    assert envs.get_attr("gravity") == [9.8] * 3
    envs.set_attr("gravity", 1.5, indices=[1])
    assert envs.get_attr("gravity") == [9.8, 1.5, 9.8]
    assert envs.get_attr("gravity", indices=1) == [1.5]
    assert envs.has_attr("gravity")
    assert not envs.has_attr("no_such_attribute")
    with pytest.raises(AttributeError, match="no_such_attribute"):
        envs.get_attr("no_such_attribute")
    envs.env_method("set_wrapper_attr", "gravity", 3.0, indices=[0, 2])
    assert envs.env_method("get_wrapper_attr", "gravity") == [3.0, 1.5, 3.0]
    assert envs.env_is_wrapped(TimeLimit, indices=[0, 1]) == [True, True]
    assert envs.env_is_wrapped(gymnasium.Wrapper) == [True] * 3
    assert envs.env_is_wrapped(Monitor) == [False] * 3
    assert list(envs.get_images()) == [None] * 3
    envs.close()


class Reusing(gymnasium.Env[Any, Any]):
    """Writes every observation and the options of its reset into the same dict of arrays."""

    observation_space: Any = gymnasium.spaces.Dict(
        {"count": gymnasium.spaces.Box(0, 9, (1,), np.float32)}
    )
    action_space: Any = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self.observation = {"count": np.zeros(1, np.float32)}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        self.observation["count"][:] = (options or {"start": [0.0]})["start"]
        return self.observation, {"started": float(self.observation["count"][0])}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.observation["count"] += 1
        return self.observation, 0.0, bool(self.observation["count"] == 3), False, {}


@pytest.mark.parametrize("num_workers", [0, 2])
def test_a_reused_observation_and_options_for_each(num_workers: int) -> None:
    envs = ours(Reusing, num_workers)
    # Arrays, because their comparison has no single result.
    envs.set_options([{"start": np.ones(1)}, {}, {"start": np.full(1, 2.0)}])
    assert envs.reset()["count"].tolist() == [[1], [0], [2]]
    assert [info["started"] for info in envs.reset_infos] == [1, 0, 2]
    observations, _, dones, infos = envs.step(np.zeros(3, int))
    assert observations["count"].tolist() == [[2], [1], [0]]
    assert dones.tolist() == [False, False, True]
    assert infos[2]["terminal_observation"]["count"].tolist() == [3]
    envs.close()


class Drawn(gymnasium.Env[Any, Any]):
    """Its picture contains the number of its steps."""

    observation_space: Any = gymnasium.spaces.Discrete(2)
    action_space: Any = gymnasium.spaces.Discrete(2)
    render_mode = "rgb_array"
    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"]}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        self.steps = 0
        return 0, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += int(action)
        return 0, 0.0, False, False, {}

    def render(self) -> Any:
        return np.full((4, 5, 3), self.steps, np.uint8)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_pictures(num_workers: int) -> None:
    envs = ours(Drawn, num_workers)
    envs.reset()
    envs.step(np.array([0, 1, 1]))
    envs.step(np.array([0, 0, 1]))
    pictures = envs.get_images()
    assert isinstance(pictures, list)
    np.testing.assert_array_equal(pictures, [np.full((4, 5, 3), n, np.uint8) for n in range(3)])
    np.testing.assert_array_equal(envs.env_method("render", indices=2)[0], pictures[2])
    assert envs.get_attr("render_mode") == ["rgb_array"] * 3
    envs.close()


def test_learning_gives_the_same_network() -> None:
    """Equal environments, seeds and settings give bit-equal weights."""
    check_env(make_cart_pole())
    models = []
    for envs in (ours(monitored, 2, num_envs=4), DummyVecEnv([monitored] * 4)):
        model = PPO("MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=2, seed=5, device="cpu")
        model.learn(600)
        models.append(model.policy.state_dict())
        returns, lengths = evaluate_policy(model, envs, 4, return_episode_rewards=True)
        assert returns == lengths
        envs.close()
    for name, weights in models[0].items():
        np.testing.assert_array_equal(weights.numpy(), models[1][name].numpy())
