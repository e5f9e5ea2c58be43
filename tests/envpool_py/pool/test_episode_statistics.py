"""`record_episode_statistics=True`, compared with Gymnasium's wrapper of the same name."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import envpool_py
from envpool_py.errors import InputError, InputTypeError

from ..python_envs.comparing import assert_same

Make = Callable[..., Any]

TASKS = ("CartPole-v1", "Acrobot-v1", "MountainCar-v0", "Pendulum-v1")
LIMIT = 37  # steps; short, so that episodes of every task end


def assert_like_gymnasium(ours: dict[str, Any], theirs: dict[str, Any], seconds: float) -> int:
    """Compares the statistics of ended episodes; returns how many ended."""
    assert ("episode" in ours) == ("_episode" in ours) == ("episode" in theirs)
    if "episode" not in ours:
        return 0
    mask = ours["_episode"]
    np.testing.assert_array_equal(mask, theirs["_episode"])
    assert list(ours["episode"]) == list(theirs["episode"]) == ["r", "l", "t"]
    for name in ("r", "l"):
        left, right = ours["episode"][name], theirs["episode"][name]
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        np.testing.assert_array_equal(left, right)
    times = ours["episode"]["t"]
    assert times.dtype == theirs["episode"]["t"].dtype
    assert np.all(times[mask] >= 1e-6)
    assert np.all(times <= seconds)
    np.testing.assert_array_equal(times, np.round(times, 6))
    assert not times[~mask].any()
    return int(mask.sum())


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
@pytest.mark.parametrize("task", TASKS)
def test_like_gymnasiums_wrapper(task: str, autoreset: str) -> None:
    if autoreset == "SameStep" and gymnasium.__version__.startswith(("1.1.", "1.2.")):
        pytest.skip("the wrapper leaves out the first step of an episode in this Gymnasium")
    num_envs = 5
    began = time.perf_counter()
    reference = RecordEpisodeStatistics(
        SyncVectorEnv(
            [lambda: gymnasium.make(task, max_episode_steps=LIMIT)] * num_envs,
            autoreset_mode=AutoresetMode(autoreset),
        )
    )
    pool = envpool_py.make(
        task,
        num_envs=num_envs,
        autoreset_mode=autoreset,
        max_episode_steps=LIMIT,
        record_episode_statistics=True,
    )
    with pool:
        reference.reset(seed=4)
        _, infos = pool.reset(seed=4)
        assert "episode" not in infos
        pool.action_space.seed(0)
        ended = 0
        for step in range(150):
            actions = pool.action_space.sample()
            theirs = reference.step(actions)[4]
            ours = pool.step(actions)[4]
            ended += assert_like_gymnasium(ours, theirs, time.perf_counter() - began)
            if step == 100:  # during episodes
                pool.reset(seed=9)
                reference.reset(seed=9)
        assert ended >= 15
    reference.close()


def final_statistics(infos: dict[str, Any]) -> dict[str, Any]:
    """Returns the statistics in `final_info`, without times and the engine's infos."""
    if "final_info" not in infos:
        return {}
    final = {k: v for k, v in infos["final_info"].items() if k in ("episode", "_episode")}
    final["episode"] = {k: v for k, v in final["episode"].items() if k != "t"}
    return final


@pytest.mark.parametrize("in_python", [False, True])
def test_same_step_has_them_in_final_info_too(in_python: bool) -> None:
    """As with a wrapper around each environment; `infos["episode"]` is as with one around all."""

    def make() -> Any:
        return gymnasium.make("CartPole-v1", max_episode_steps=LIMIT)

    reference = SyncVectorEnv(
        [lambda: gymnasium.wrappers.RecordEpisodeStatistics(make())] * 3,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    settings: dict[str, Any] = {
        "autoreset_mode": "SameStep",
        "max_episode_steps": LIMIT,
        "record_episode_statistics": True,
    }
    pool: Any
    if in_python:
        pool = envpool_py.make_python(make, 3, num_workers=2, **settings)
    else:
        pool = envpool_py.make("CartPole-v1", num_envs=3, **settings)
    with pool:
        reference.reset(seed=4)
        pool.reset(seed=4)
        pool.action_space.seed(0)
        ended = 0
        for _ in range(100):
            actions = pool.action_space.sample()
            theirs, ours = reference.step(actions)[4], pool.step(actions)[4]
            assert_same(final_statistics(ours), final_statistics(theirs))
            if "episode" not in ours:
                continue
            final = ours["final_info"]["episode"]
            assert final.keys() == theirs["final_info"]["episode"].keys()
            for name, values in ours["episode"].items():
                np.testing.assert_array_equal(final[name], values)
                assert not np.shares_memory(final[name], values)
            ended += int(ours["_episode"].sum())
        assert ended >= 9
    reference.close()


def test_disabled() -> None:
    """Computes the values itself: a masked reset clears all episodes in Gymnasium 1.4's wrapper."""
    with envpool_py.make(
        "CartPole-v1", num_envs=5, autoreset_mode="Disabled", record_episode_statistics=True
    ) as pool:
        pool.reset(seed=4)
        length = np.zeros(5, np.int64)
        ended = 0
        for _ in range(150):
            *_, terminated, truncated, infos = pool.step(np.arange(5) % 2)
            length += 1
            over = terminated | truncated
            assert ("episode" in infos) == over.any()
            if not over.any():
                continue
            np.testing.assert_array_equal(infos["_episode"], over)
            np.testing.assert_array_equal(infos["episode"]["l"], np.where(over, length, 0))
            np.testing.assert_array_equal(infos["episode"]["r"], np.where(over, length, 0))
            _, infos = pool.reset(options={"reset_mask": over})
            assert "episode" not in infos
            length[over] = 0
            ended += int(over.sum())
        assert ended > 50


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
def test_first_ready(autoreset: str) -> None:
    """Whatever batches arrive, each environment has the statistics of its own episode."""
    num_envs = 9
    with envpool_py.make(
        "CartPole-v1",
        num_envs=num_envs,
        batch_size=4,
        num_threads=3,
        autoreset_mode=autoreset,
        record_episode_statistics=True,
        seed=1,
    ) as pool:
        pool.async_reset()
        total, length = np.zeros(num_envs), np.zeros(num_envs, np.int64)
        begins = np.ones(num_envs, bool)
        ended = 0
        for _ in range(400):
            _, rewards, terminated, truncated, infos = pool.recv(60)
            ids = infos["env_id"]
            # In NextStep mode, the first row and each row after an episode's last come from resets.
            resets = infos["elapsed_step"] == 0 if autoreset == "NextStep" else begins[ids]
            begins[ids] = False
            total[ids] += rewards
            length[ids] += ~resets
            over = terminated | truncated
            assert ("episode" in infos) == over.any()
            if over.any():
                np.testing.assert_array_equal(infos["_episode"], over)
                np.testing.assert_array_equal(infos["episode"]["r"], np.where(over, total[ids], 0))
                np.testing.assert_array_equal(infos["episode"]["l"], np.where(over, length[ids], 0))
                ended += int(over.sum())
                total[ids[over]] = length[ids[over]] = 0
            pool.send(ids % 2, ids)
        assert ended > 100


def test_a_failed_environment_has_no_episode(make: Make) -> None:
    with make("Failing", num_envs=3, record_episode_statistics=True, max_episode_steps=4) as pool:
        pool.reset()
        for _ in range(3):
            pool.step([0, 0, 0])
        with pytest.raises(envpool_py.errors.EnvironmentFailedError):
            pool.step([0, 1, 0])
        pool.reset(options={"reset_mask": np.array([False, True, False])})


def test_scores_of_atari_games_are_not_clipped() -> None:
    """Scores sum the rewards before `reward_clip`; a lost life does not end an episode."""
    options: dict[str, Any] = {
        "num_envs": 4,
        "seed": 0,
        "reward_clip": True,
        "life_loss_info": True,
        "autoreset_mode": "SameStep",
        "max_episode_steps": 400,
        "record_episode_statistics": True,
    }
    with envpool_py.make("Qbert-v5", **options) as pool:
        pool.reset()
        rng = np.random.default_rng(0)
        total, length = np.zeros(4), np.zeros(4, np.int64)
        lives, episodes, above_one = 0, 0, False
        for _ in range(900):
            _, rewards, terminated, truncated, infos = pool.step(rng.integers(0, 6, 4))
            over = infos.get("_final_obs", np.zeros(4, bool))
            # An episode's last reward is in final_info, because the row belongs to the reset.
            scores = np.where(over, infos.get("final_info", infos)["reward"], infos["reward"])
            above_one |= bool((scores > 1).any())
            assert rewards.max() <= 1
            total += scores
            length += 1
            lives += int((terminated & ~over).sum())
            assert ("episode" in infos) == over.any()
            if over.any():
                np.testing.assert_array_equal(infos["_episode"], over)
                np.testing.assert_array_equal(infos["episode"]["r"], np.where(over, total, 0))
                np.testing.assert_array_equal(infos["episode"]["l"], np.where(over, length, 0))
                assert (terminated | truncated)[over].all()
                total[over] = length[over] = 0
                episodes += int(over.sum())
        assert lives > 3
        assert episodes >= 6
        assert above_one


def test_absent_unless_asked_for() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, max_episode_steps=2) as pool:
        pool.reset()
        pool.step([0, 0])
        *_, truncated, infos = pool.step([0, 0])
        assert truncated.all()
        assert "episode" not in infos


def test_gymnasiums_wrapper_refuses_to_do_it_twice() -> None:
    pool = envpool_py.make(
        "CartPole-v1", num_envs=2, max_episode_steps=2, record_episode_statistics=True
    )
    wrapped = RecordEpisodeStatistics(pool)
    wrapped.reset()
    wrapped.step(np.array([0, 0]))
    with pytest.raises(ValueError, match="already exists"):
        wrapped.step(np.array([0, 0]))
    wrapped.close()


def test_by_make_vec_and_in_the_spec() -> None:
    envs = gymnasium.make_vec(
        "EnvPool/CartPole-v1", num_envs=2, max_episode_steps=1, record_episode_statistics=True
    )
    envs.reset()
    assert envs.step(np.array([0, 1]))[4]["episode"]["l"].tolist() == [1, 1]
    assert envs.spec is not None
    again = gymnasium.make_vec(envs.spec)
    again.reset()
    assert again.step(np.array([0, 1]))[4]["episode"]["r"].tolist() == [1.0, 1.0]
    envs.close()
    again.close()


def test_bad_arguments() -> None:
    with pytest.raises(
        InputTypeError, match="record_episode_statistics: expected a bool, got int 1"
    ):
        envpool_py.make("CartPole-v1", record_episode_statistics=1)  # type: ignore[call-overload]
    with pytest.raises(InputError, match=r"record_episode_statistics: expected False .* 'dm'"):
        envpool_py.make("CartPole-v1", env_type="dm", record_episode_statistics=True)
