"""One environment through `gymnasium.make`, and in Gymnasium's own vector environments."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import envpool_py
from envpool_py.errors import InputError, NoAttributeError, OptionError, ResetNeededError

pytestmark = pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning")
TASKS = ["CartPole-v1", "Pendulum-v1", "Taxi-v4", "Blackjack-v1", "MountainCarContinuous-v0"]
# Earlier versions of Gymnasium have another version of Taxi.
COMPARED = [task_id for task_id in TASKS if task_id in gymnasium.registry]


@pytest.mark.parametrize("task_id", COMPARED)
def test_results_are_those_of_gymnasium(task_id: str) -> None:
    mine, theirs = gymnasium.make(f"EnvPool/{task_id}"), gymnasium.make(task_id)
    assert mine.observation_space == theirs.observation_space
    assert mine.action_space == theirs.action_space
    theirs.action_space.seed(5)
    ends = 0
    for episode in range(30):
        seed = 7 + episode if episode % 3 == 0 else None
        results: list[Any] = [env.reset(seed=seed) for env in (mine, theirs)]
        _assert_equal(*results)
        for _ in range(250):
            action = theirs.action_space.sample()
            results = [env.step(action) for env in (mine, theirs)]
            _assert_equal(*results)
            if results[1][2] or results[1][3]:
                ends += 1
                break
    assert ends >= 20 or task_id == "MountainCarContinuous-v0"
    mine.close()
    theirs.close()


def _assert_equal(mine: Any, theirs: Any) -> None:
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys()
        for name in theirs:
            _assert_equal(mine[name], theirs[name])
    elif isinstance(theirs, tuple):
        for left, right in zip(mine, theirs, strict=True):
            _assert_equal(left, right)
    elif isinstance(theirs, np.ndarray):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    else:
        assert mine == theirs
        assert isinstance(mine, bool) == isinstance(theirs, (bool, np.bool_))


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "Taxi-v4", "FrozenLake-v1"])
def test_gymnasiums_checker(task_id: str) -> None:
    env = gymnasium.make(f"EnvPool/{task_id}", render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about spaces; Gymnasium's own environments cause it too
        check_env(env.unwrapped)
    env.close()


def test_limits_pictures_and_seeds() -> None:
    env = gymnasium.make("EnvPool/Pendulum-v1", render_mode="rgb_array", max_episode_steps=3)
    env.reset(seed=4)
    assert env.unwrapped.np_random_seed == 4
    flags = [env.step(np.zeros(1, np.float32))[3] for _ in range(3)]
    assert flags == [False, False, True]
    picture: Any = env.render()
    assert picture.shape == (500, 500, 3)
    env.close()
    listed = gymnasium.make("EnvPool/Pendulum-v1", render_mode="rgb_array_list")
    listed.reset()
    listed.step(np.zeros(1, np.float32))
    frames: Any = listed.render()
    assert len(frames) == 2
    listed.close()


def test_a_step_after_the_end_is_refused() -> None:
    env = gymnasium.make("EnvPool/CartPole-v1")
    env.reset(seed=0)
    while not env.step(0)[2]:
        pass
    with pytest.raises(ResetNeededError):
        env.step(0)
    env.close()


def test_options_of_pools_are_explained() -> None:
    with pytest.raises(
        OptionError, match=r"argument 'batch_size': gymnasium\.make makes one environment"
    ):
        gymnasium.make("EnvPool/CartPole-v1", batch_size=1)
    with pytest.raises(InputError, match=r"num_envs: expected 1 .*make_vec"):
        gymnasium.make("EnvPool/CartPole-v1", num_envs=2)
    with pytest.raises(OptionError, match="no option"):
        gymnasium.make("EnvPool/CartPole-v1", gravity=3)
    env = gymnasium.make("EnvPool/CartPole-v1", num_envs=1, seed=3, sutton_barto_reward=True)
    same = gymnasium.make("EnvPool/CartPole-v1")
    np.testing.assert_array_equal(env.reset()[0], same.reset(seed=3)[0])
    with pytest.raises(NoAttributeError):
        env.unwrapped.get_action_meanings()  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(env.unwrapped))
    np.testing.assert_array_equal(again.reset()[0], same.reset(seed=3)[0])
    for each in (env, same, again):
        each.close()


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_gymnasiums_vector_environments_of_it(kind: Callable[..., Any]) -> None:
    envs: Any = gymnasium.make_vec(
        "EnvPool/CartPole-v1",
        num_envs=3,
        vectorization_mode="sync" if kind is SyncVectorEnv else "async",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )
    assert type(envs) is kind
    with envpool_py.make("CartPole-v1", num_envs=3, autoreset_mode="SameStep") as pool:
        np.testing.assert_array_equal(envs.reset(seed=2)[0], pool.reset(seed=2)[0])
        for _ in range(60):
            for left, right in zip(envs.step([0] * 3)[:4], pool.step([0] * 3)[:4], strict=True):
                np.testing.assert_array_equal(left, right)
    envs.close()


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
def test_vector_kwargs_reach_the_pool(mode: AutoresetMode) -> None:
    spelled: list[dict[str, Any]] = [{}, {"vectorization_mode": "vector_entry_point"}]
    for keywords in spelled:
        pool: Any = gymnasium.make_vec(
            "EnvPool/CartPole-v1", 3, vector_kwargs={"autoreset_mode": mode}, **keywords
        )
        assert isinstance(pool, envpool_py.GymnasiumPool)
        assert pool.autoreset_mode is mode
        assert pool.spec is not None
        again = gymnasium.make_vec(pool.spec)
        assert again.metadata["autoreset_mode"] is mode
        pool.close()
        again.close()
    # The arguments of one call do not affect later calls.
    other = gymnasium.make_vec("EnvPool/CartPole-v1", 3)
    assert other.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    other.close()
