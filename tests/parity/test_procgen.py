"""Procgen's games beside the very library that is loaded, pixels included."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import OptionError, StateError
from envpool_py.tasks.families.procgen.manifest import PACKAGE
from envpool_py.tasks.families.procgen.tasks import TASKS
from tools.procgen_library import Games, SingleGames

pytestmark = [
    pytest.mark.numbers,
    pytest.mark.skipif(
        importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"
    ),
]

NUM_ENVS = 2
# Games whose episodes end early if the agent moves at random.
SHORT_EPISODES = ["BigfishEasy-v0", "LeaperHard-v0", "StarpilotExtreme-v0"]


@contextmanager
def both(
    task_id: str,
    num_envs: int = NUM_ENVS,
    seed: int = 11,
    *,
    together: bool = False,
    **options: Any,
) -> Iterator[tuple[Any, Any]]:
    """Yields a pool and the games of the library, which are not reset yet."""
    arguments = {
        key: options.pop(key) for key in ("autoreset_mode", "max_episode_steps") if key in options
    }
    kind: Any = Games if together else SingleGames
    games = kind(task_id, num_envs, seed, **options)
    if together:
        options["seeding"] = "procgen"
    with envpool_py.make(
        task_id, num_envs=num_envs, num_threads=2, seed=seed, **arguments, **options
    ) as pool:
        yield pool, games
    games.close()


def assert_levels(infos: dict[str, Any], games: Any, where: str) -> None:
    for name in ("prev_level_seed", "prev_level_complete", "level_seed"):
        expected = getattr(games, name)
        assert infos[name].dtype == expected.dtype
        np.testing.assert_array_equal(infos[name], expected, f"{where}, {name}")
        assert infos[f"_{name}"].all()


def assert_step(result: tuple[Any, ...], games: Any, where: str) -> None:
    """Asserts that the result of a step is that of the library."""
    observations, rewards, terminated, truncated, infos = result
    np.testing.assert_array_equal(observations, games.rgb, where)
    np.testing.assert_array_equal(rewards, games.reward.astype(float), where)
    np.testing.assert_array_equal(terminated, games.first != 0, where)
    assert not truncated.any()
    assert_levels(infos, games, where)


def compare(task_id: str, steps: int, **options: Any) -> int:
    """Steps both in Disabled mode; returns the number of episodes that ended."""
    rng = np.random.default_rng(3)
    ends = 0
    with both(task_id, autoreset_mode="Disabled", **options) as (pool, games):
        observations, infos = pool.reset()
        np.testing.assert_array_equal(observations, games.rgb, "reset")
        assert_levels(infos, games, "reset")
        for step in range(steps):
            actions = rng.integers(0, 15, pool.num_envs)
            result = pool.step(actions)
            games.act(actions)
            where = f"{task_id}, step {step}"
            assert_step(result, games, where)
            ended = result[2]
            if ended.any():
                ends += int(ended.sum())
                # The library has reset them already.
                observations, infos = pool.reset(options={"reset_mask": ended})
                np.testing.assert_array_equal(observations, games.rgb, where)
                for name in ("level_seed", "prev_level_complete"):
                    np.testing.assert_array_equal(infos[name][ended], getattr(games, name)[ended])
    return ends


def test_there_are_sixteen_games() -> None:
    names = {task_id.removesuffix("-v0") for task_id in TASKS}
    assert sum(name.endswith("Hard") for name in names) == 16
    assert {f"{name[:-4]}Easy" for name in names if name.endswith("Hard")} <= names
    assert len(names) == 50


@pytest.mark.parametrize("task_id", TASKS)
def test_steps_are_those_of_the_library(task_id: str) -> None:
    compare(task_id, 100)


@pytest.mark.long
@pytest.mark.parametrize("task_id", TASKS)
def test_a_thousand_steps(task_id: str) -> None:
    compare(task_id, 1000, num_envs=4, seed=2**32 - 4)


@pytest.mark.parametrize("task_id", SHORT_EPISODES)
def test_episodes_end_where_the_library_says_first(task_id: str) -> None:
    assert compare(task_id, 300, num_envs=4) >= 2


@pytest.mark.parametrize("task_id", SHORT_EPISODES)
def test_next_step_resets_nothing(task_id: str) -> None:
    """The step after an end has the same observation, and the library takes no step."""
    rng = np.random.default_rng(4)
    ended = np.zeros(4, bool)
    resets = 0
    with both(task_id, 4) as (pool, games):
        pool.reset()
        for step in range(300):
            actions = rng.integers(0, 15, 4)
            result = pool.step(actions)
            games.act([None if end else action for end, action in zip(ended, actions, strict=True)])
            np.testing.assert_array_equal(result[0], games.rgb, f"{task_id}, step {step}")
            np.testing.assert_array_equal(result[1], np.where(ended, 0.0, games.reward))
            np.testing.assert_array_equal(result[2], ~ended & (games.first != 0))
            np.testing.assert_array_equal(result[4]["elapsed_step"] == 0, ended)
            assert_levels(result[4], games, f"{task_id}, step {step}")
            resets += int(ended.sum())
            ended = result[2]
    assert resets >= 2


@pytest.mark.parametrize("task_id", SHORT_EPISODES)
def test_same_step_is_what_the_library_does(task_id: str) -> None:
    rng = np.random.default_rng(5)
    ends = 0
    with both(task_id, 4, autoreset_mode="SameStep") as (pool, games):
        pool.reset()
        for step in range(300):
            actions = rng.integers(0, 15, 4)
            result = pool.step(actions)
            games.act(actions)
            assert_step(result, games, f"{task_id}, step {step}")
            terminated, infos = result[2], result[4]
            assert ("final_obs" in infos) == terminated.any()
            if terminated.any():
                ends += int(terminated.sum())
                # The last picture of an episode does not exist, and none is made up.
                assert not infos["_final_obs"].any()
                assert not infos["final_obs"].any()
                np.testing.assert_array_equal(infos["_final_info"], terminated)
                final = infos["final_info"]
                seeds = final["prev_level_seed"][terminated]
                np.testing.assert_array_equal(seeds, games.prev_level_seed[terminated])
                assert (final["elapsed_step"][terminated] >= 1).all()
    assert ends >= 2


def test_a_truncated_episode_has_its_last_observation() -> None:
    """The step limit is the engine's; the level is then ended by the library's action -1."""
    limit = 7
    with both("MazeHard-v0", 2, autoreset_mode="SameStep", max_episode_steps=limit) as (
        pool,
        games,
    ):
        pool.reset()
        for step in range(1, 40):
            result = pool.step(np.full(2, 4))
            games.act([4, 4])
            assert not result[2].any()
            if step % limit:
                np.testing.assert_array_equal(result[0], games.rgb)
                continue
            assert result[3].all()
            assert result[4]["_final_obs"].all()
            np.testing.assert_array_equal(result[4]["final_obs"], games.rgb)
            before = games.level_seed
            games.act([-1, -1])
            assert (games.level_seed != before).all()
            np.testing.assert_array_equal(result[0], games.rgb)
            np.testing.assert_array_equal(result[4]["level_seed"], games.level_seed)


def test_a_reset_ends_the_level_unless_it_has_just_begun() -> None:
    with both("ChaserExtreme-v0", 2) as (pool, games):
        first, _ = pool.reset()
        again, _ = pool.reset()
        np.testing.assert_array_equal(again, first)
        pool.step([7, 1])
        games.act([7, 1])
        games.act([-1, -1])
        for _ in range(2):
            observations, infos = pool.reset()
            np.testing.assert_array_equal(observations, games.rgb)
            assert_levels(infos, games, "reset")
        np.testing.assert_array_equal(pool.reset(seed=11)[0], first)


@pytest.mark.parametrize("task_id", ["CoinrunHard-v0", "DodgeballMemory-v0", "HeistExploration-v0"])
def test_seeding_of_games_that_are_made_together(task_id: str) -> None:
    compare(task_id, 150, num_envs=5, seed=21, together=True)
    with envpool_py.make(task_id, num_envs=5, seeding="procgen") as pool:
        for seed in (21, 4, 4):  # the pool makes the games of a seed anew
            games = Games(task_id, 5, seed)
            observations, infos = pool.reset(seed=seed)
            np.testing.assert_array_equal(observations, games.rgb)
            assert_levels(infos, games, f"seed {seed}")
            mask = np.arange(5) == 3
            again, _ = pool.reset(seed=seed, options={"reset_mask": mask})
            np.testing.assert_array_equal(again, games.rgb)
            games.close()


def test_game_0_is_a_single_game_of_the_seed() -> None:
    with envpool_py.make("NinjaEasy-v0", num_envs=2, seed=7) as single:
        alone = single.reset()[1]["level_seed"]
    with envpool_py.make("NinjaEasy-v0", num_envs=2, seed=7, seeding="procgen") as together:
        games = together.reset()[1]["level_seed"]
    assert alone[0] == games[0]
    assert alone[1] != games[1]


OPTIONS: list[dict[str, Any]] = [
    {"center_agent": False},
    {"use_backgrounds": False},
    {"use_monochrome_assets": True},
    {"restrict_themes": True},
    {"use_generated_assets": True},
    {"paint_vel_info": True},
    {"debug_mode": -3},
    {"num_levels": 2, "start_level": 2**31 - 3},
    {"num_levels": 1, "start_level": 17, "use_sequential_levels": True},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options)))
def test_options(options: dict[str, Any]) -> None:
    for task_id in ("CoinrunEasy-v0", "CaveflyerHard-v0", "MinerEasy-v0"):
        compare(task_id, 60, **options)


@pytest.mark.long
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: next(iter(options)))
@pytest.mark.parametrize("task_id", [task_id for task_id in TASKS if "Exploration" not in task_id])
def test_options_of_every_game(task_id: str, options: dict[str, Any]) -> None:
    compare(task_id, 300, **options)


def test_the_mode_is_an_option_too() -> None:
    for mode, task_id in (("memory", "MazeMemory-v0"), ("exploration", "MazeExploration-v0")):
        games = SingleGames(task_id, 2, 3)
        with envpool_py.make("MazeEasy-v0", num_envs=2, seed=3, distribution_mode=mode) as pool:
            np.testing.assert_array_equal(pool.reset()[0], games.rgb)
        games.close()


def test_the_ids_of_procgens_packages() -> None:
    for alias in ("procgen-coinrun-v0", "procgen_gym/procgen-coinrun-v0"):
        assert envpool_py.make_spec(alias).id == "CoinrunHard-v0"


def test_channels_first() -> None:
    with (
        envpool_py.make("PlunderEasy-v0", num_envs=2, seed=1) as last,
        envpool_py.make("PlunderEasy-v0", num_envs=2, seed=1, channels_first=True) as first,
    ):
        assert first.single_observation_space.shape == (3, 64, 64)
        np.testing.assert_array_equal(first.reset()[0], last.reset()[0].transpose(0, 3, 1, 2))


@pytest.mark.parametrize("task_id", ["CoinrunEasy-v0", "BossfightHard-v0", "JumperMemory-v0"])
def test_pictures(task_id: str) -> None:
    """Pictures are the library's, and drawing them changes nothing."""
    rng = np.random.default_rng(6)
    games = SingleGames(task_id, 2, 5, draws=True)
    with (
        envpool_py.make(task_id, num_envs=2, seed=5, render_mode="rgb_array") as drawn,
        envpool_py.make(task_id, num_envs=2, seed=5) as other,
    ):
        assert drawn.metadata["render_fps"] == 15
        np.testing.assert_array_equal(drawn.reset()[0], other.reset()[0])
        for step in range(60):
            if step % 3 == 0:
                np.testing.assert_array_equal(np.stack(drawn.render()), games.draw())
            actions = rng.integers(0, 15, 2)
            ours, plain = drawn.step(actions), other.step(actions)
            np.testing.assert_equal(ours, plain)
            games.act(list(actions))
            if ours[2].any():
                break
    games.close()


def test_generated_pictures_have_no_states() -> None:
    with envpool_py.make("MinerEasy-v0", use_generated_assets=True, seed=0) as pool:
        pool.reset()
        with pytest.raises(StateError, match="use_generated_assets: the library saves no states"):
            pool.save_states()
        pool.step([4])


@pytest.mark.parametrize(
    ("task_id", "options", "message"),
    [
        (
            "CoinrunEasy-v0",
            {"num_levels": 2, "start_level": 2**31 - 2},
            r"num_levels: expected start_level \+ num_levels <= 2147483647",
        ),
        ("CoinrunEasy-v0", {"num_levels": -1}, "num_levels"),
        ("CoinrunEasy-v0", {"start_level": 2**31}, "start_level"),
        ("CoinrunEasy-v0", {"debug_mode": 2**31}, "debug_mode"),
        ("CoinrunEasy-v0", {"distribution_mode": "memory"}, "distribution_mode"),
        (
            "CoinrunExploration-v0",
            {"num_levels": 3},
            'expected 0 with distribution_mode="exploration"',
        ),
        (
            "MinerHard-v0",
            {"seeding": "procgen", "use_generated_assets": True},
            'seeding: expected "single" with use_generated_assets',
        ),
    ],
)
def test_options_that_the_library_would_not_survive(
    task_id: str, options: dict[str, Any], message: str
) -> None:
    for function in (envpool_py.make, envpool_py.make_spec):
        with pytest.raises(OptionError, match=message):
            function(task_id, **options)
