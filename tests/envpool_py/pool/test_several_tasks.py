"""Pools whose environments are of several tasks."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    InputError,
    InputTypeError,
    OptionError,
    UnknownOptionError,
    UnknownTaskError,
)

from ..trajectories import actions_of, trajectory

GAMES = {"full_action_space": True, "max_episode_steps": 60}
# Tasks whose rows have the same form, with the options of all.
MIXTURES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "Atari": (["Pong-v5", "Breakout-v5", "Seaquest-v5"], GAMES),
    "MiniGrid": (["MiniGrid-Empty-5x5-v0", "MiniGrid-DoorKey-8x8-v0"], {}),
    # Their infos differ.
    "MuJoCo": (["HalfCheetah-v4", "HalfCheetah-v5"], {}),
    # Their bounds differ.
    "toy text": (["FrozenLake-v1", "FrozenLake8x8-v1"], {}),
}
SIZES = {2: [3, 5], 3: [3, 1, 4]}


@pytest.mark.parametrize(
    ("mode", "threads", "batch"),
    [
        ("NextStep", 1, 8),
        ("SameStep", 4, 8),
        ("Disabled", 2, 8),
        ("NextStep", 4, 3),
        ("SameStep", 4, 3),
    ],
)
@pytest.mark.parametrize("mixture", MIXTURES)
def test_each_environment_is_as_in_a_pool_of_its_task(
    mixture: str, mode: str, threads: int, batch: int
) -> None:
    ids, options = MIXTURES[mixture]
    sizes = SIZES[len(ids)]
    arguments: dict[str, Any] = {"autoreset_mode": mode, "max_episode_steps": 20, **options}
    with envpool_py.make(
        ids, num_envs=sizes, batch_size=batch, num_threads=threads, **arguments
    ) as pool:
        assert pool.task_ids == tuple(ids)
        assert pool.num_envs == 8
        actions = actions_of(pool, 50)
        mixed = trajectory(pool, list(range(8)), list(range(10, 18)), actions)
    first = 0
    for task, size in zip(ids, sizes, strict=True):
        envs = list(range(first, first + size))
        first += size
        with envpool_py.make(task, num_envs=size, num_threads=1, **arguments) as alone:
            expected = trajectory(alone, envs, [10 + env for env in envs], actions)
        for env in envs:
            assert len(mixed[env]) > 20
            assert mixed[env] == expected[env][: len(mixed[env])], (task, env)


def test_infos_name_the_task() -> None:
    ids = ["HalfCheetah-v4", "HalfCheetah-v5"]
    with envpool_py.make(ids, num_envs=5, autoreset_mode="SameStep", max_episode_steps=2) as pool:
        _, infos = pool.reset(seed=1)
        assert infos["task"].dtype == np.int32
        assert infos["task"].tolist() == [0, 0, 0, 1, 1]
        assert infos["_task"].all()
        _, infos = pool.reset(options={"reset_mask": np.array([True, False, False, True, False])})
        assert infos["_task"].tolist() == [True, False, False, True, False]
        actions = np.zeros((5, 6), np.float32)
        pool.step(actions)
        infos = pool.step(actions)[4]
        assert infos["final_info"]["task"].tolist() == [0, 0, 0, 1, 1]
        ids = np.array([4, 0])
        infos = pool.step(actions[:2], ids)[4]
        assert infos["task"].tolist() == [1, 0]
        # Only HalfCheetah-v5 has it.
        _, infos = pool.reset(seed=1)
        assert infos["_x_position"].tolist() == [False, False, False, True, True]


def test_each_task_has_its_own_limit_and_seed() -> None:
    ids = ["FrozenLake-v1", "FrozenLake8x8-v1"]
    with envpool_py.make(ids, num_envs=2, seed=[3, None]) as pool:
        pool.reset()
        for _ in range(99):
            pool.step(np.array([0, 0]))  # left: both stay at the edge or slip along it
        truncated = pool.step(np.array([0, 0]))[3]
        assert not truncated[1]
    with envpool_py.make(ids, num_envs=2, max_episode_steps=1) as pool:
        pool.reset()
        assert pool.step(np.array([0, 0]))[3].all()


def test_spaces_are_the_widest() -> None:
    with envpool_py.make(["FrozenLake8x8-v1", "FrozenLake-v1"], num_envs=2) as pool:
        assert pool.single_observation_space == gymnasium.spaces.Discrete(64)
    with envpool_py.make(["FrozenLake-v1", "FrozenLake8x8-v1"], num_envs=2) as pool:
        assert pool.single_observation_space == gymnasium.spaces.Discrete(64)
        assert pool.spec is None


def test_attributes_and_options_are_those_of_the_own_task() -> None:
    ids = ["Pong-v5", "Breakout-v5"]
    with envpool_py.make(
        ids, num_envs=[1, 2], env_options={"mode": [1, 0, 4]}, full_action_space=True
    ) as pool:
        assert pool.get_attr("mode") == (1, 0, 4)
        meanings = pool.call("get_action_meanings")
        assert len(meanings) == 3
        with pytest.raises(OptionError, match=r"environment 1: mode: .* that breakout has"):
            pool.set_env_options({"mode": 1})
        pool.set_env_options({"mode": [8]}, [2])
        pool.reset(seed=0)
        assert [options["mode"] for options in pool.get_env_options()] == [1, 0, 8]


@pytest.mark.parametrize("form", ["pickle", "copy"])
def test_copies(form: str) -> None:
    ids = ["MiniGrid-Empty-5x5-v0", "MiniGrid-Empty-8x8-v0"]
    with envpool_py.make(ids, num_envs=[2, 1], seed=4) as pool:
        twin = pickle.loads(pickle.dumps(pool)) if form == "pickle" else copy.copy(pool)
        with twin:
            assert twin.task_ids == pool.task_ids
            actions = actions_of(pool, 20)
            assert trajectory(twin, [0, 1, 2], [1, 2, 3], actions) == trajectory(
                pool, [0, 1, 2], [1, 2, 3], actions
            )


def test_states() -> None:
    ids = ["Pong-v5", "Breakout-v5"]
    with envpool_py.make(ids, num_envs=2, full_action_space=True) as pool:
        pool.reset(seed=0)
        states = pool.save_states()
        expected = pool.step(np.array([1, 1]))[0]
        pool.load_states(states)
        np.testing.assert_array_equal(pool.step(np.array([1, 1]))[0], expected)
        with pytest.raises(envpool_py.errors.StateError, match="Breakout-v5"):
            pool.load_states(states[::-1])


def test_statistics_and_checks() -> None:
    ids = ["MiniGrid-Empty-5x5-v0", "MiniGrid-Empty-8x8-v0"]
    with envpool_py.make(
        ids,
        num_envs=2,
        check_outputs=True,
        record_episode_statistics=True,
        max_episode_steps=3,
    ) as pool:
        pool.reset(seed=0)
        for _ in range(2):
            pool.step(np.array([0, 1]))
        infos = pool.step(np.array([0, 1]))[4]
        assert infos["episode"]["l"].tolist() == [3, 3]
        assert infos["task"].tolist() == [0, 1]


def test_pictures() -> None:
    pytest.importorskip("pygame")
    for ids, options in MIXTURES["Atari"], MIXTURES["toy text"]:
        with envpool_py.make(ids, num_envs=len(ids), render_mode="rgb_array", **options) as pool:
            pool.reset(seed=[5] * len(ids))
            pictures = pool.render()
            swapped = pool.render(np.arange(len(ids))[::-1])
        for task, picture, other in zip(ids, pictures, swapped[::-1], strict=True):
            with envpool_py.make(task, render_mode="rgb_array", **options) as alone:
                alone.reset(seed=5)
                np.testing.assert_array_equal(picture, alone.render()[0])
            np.testing.assert_array_equal(picture, other)


def test_as_a_dm_env() -> None:
    pytest.importorskip("dm_env")
    ids = ["MiniGrid-Empty-5x5-v0", "MiniGrid-Empty-8x8-v0"]
    with envpool_py.make(ids, "dm", num_envs=2) as pool:
        step = pool.reset()
        assert step.observation.task.tolist() == [0, 1]


WRONG: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    ([], {"num_envs": 2}, InputError, "at least one id"),
    (["Pong-v5", "Nope-v0"], {"num_envs": 2}, UnknownTaskError, "Nope-v0"),
    (["Pong-v5", 3], {"num_envs": 2}, InputTypeError, "task_id: expected a str, got int 3"),
    (["Pong-v5", "Breakout-v5"], {"num_envs": 1}, InputError, "for each of 2 tasks, got 1"),
    (["Pong-v5", "Breakout-v5"], {"num_envs": [1]}, InputError, "for each of 2 tasks, got 1"),
    (["Pong-v5", "Breakout-v5"], {"num_envs": [1, 0]}, InputError, r"num_envs\[1\]"),
    (
        ["Pong-v5", "Breakout-v5"],
        {"num_envs": 2},
        InputError,
        "Pong-v5 and Breakout-v5 cannot be in one pool: action: n 6 and 4",
    ),
    (
        ["CartPole-v1", "MountainCar-v0"],
        {"num_envs": 2},
        InputError,
        r"CartPole-v1 and MountainCar-v0 .*observation: shape \(4,\) and \(2,\)",
    ),
    (
        ["CartPole-v1", "CartPole-v0"],
        {"num_envs": 2, "full_action_space": True},
        UnknownOptionError,
        "full_action_space",
    ),
]


@pytest.mark.parametrize(("ids", "arguments", "error", "message"), WRONG)
def test_wrong_arguments(
    ids: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        envpool_py.make(ids, **arguments)


@pytest.mark.parametrize(
    "ids", [["Testing/Players-v0"], ["CartPole-v1", "Testing/FixedPlayers-v0"]]
)
def test_tasks_with_players_are_refused(ids: list[str], testing: Any) -> None:
    with pytest.raises(InputError, match="cannot be in one pool: players: one of them has several"):
        envpool_py.make(ids, num_envs=len(ids))


def test_a_list_of_one_task() -> None:
    with envpool_py.make(["CartPole-v1"], num_envs=2) as pool:
        _, infos = pool.reset(seed=0)
        assert infos["task"].tolist() == [0, 0]


def test_ids_that_change_during_the_call() -> None:
    """States, and options, are those of the environments that were read first."""
    ids = np.array([0, 1])

    class Changing(list[bytes]):
        def __getitem__(self, index: Any) -> Any:
            ids[:] = [1, 0]
            return super().__getitem__(index)

    tasks = ["MiniGrid-Empty-8x8-v0", "MiniGrid-DoorKey-8x8-v0"]
    with envpool_py.make(tasks, num_envs=[1, 1], seed=0) as pool:
        pool.reset()
        states = pool.save_states()
        _, infos = pool.load_states(Changing(states), ids)
        assert infos["task"].tolist() == [0, 1]
        assert pool.save_states() == states
