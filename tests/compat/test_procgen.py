"""EnvPool's tasks of Procgen. The settings and numbers were read from EnvPool 1.2.7."""

from __future__ import annotations

import importlib.util
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
import envpool_py.compat.envpool as envpool
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.tasks.families.procgen.manifest import PACKAGE
from envpool_py.tasks.families.procgen.tasks import TASKS

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"
)


def test_the_fifty_ids() -> None:
    assert set(ENVPOOL_CLASSES["Procgen"].ids) == TASKS.keys()
    assert set(envpool.list_all_envs()) >= TASKS.keys()
    for task_id in TASKS:
        spec = envpool.make_spec(task_id)
        assert type(spec).__name__ == "ProcgenEnvSpec"
        game = spec.config.env_name
        assert task_id.lower().startswith(game)


def test_classes_by_name() -> None:
    from envpool_py.compat.envpool import procgen

    ends = ("GymnasiumEnvPool", "DMEnvPool", "EnvSpec")
    assert procgen.__all__ == [f"Procgen{end}" for end in ends]
    spec = procgen.ProcgenEnvSpec(procgen.ProcgenEnvSpec.gen_config(num_envs=2, seed=3))
    pool = procgen.ProcgenGymnasiumEnvPool(spec)
    same = envpool.make_gymnasium("BigfishHard-v0", num_envs=2, seed=3)
    assert pool.config["env_name"] == "bigfish"
    np.testing.assert_array_equal(pool.reset()[0], same.reset()[0])
    pool.close()
    same.close()


@pytest.mark.parametrize(
    ("task_id", "limit", "mode"),
    [
        ("BigfishEasy-v0", 6000, 0),
        ("BossfightHard-v0", 4000, 1),
        ("ChaserExtreme-v0", 1000, 2),
        ("CaveflyerMemory-v0", 1000, 10),
        ("LeaperExploration-v0", 500, 20),
    ],
)
def test_settings(task_id: str, limit: int, mode: int) -> None:
    config = envpool.make_spec(task_id).config._asdict()
    common = {
        "num_envs", "batch_size", "num_threads", "max_num_players", "thread_affinity_offset",
        "base_path", "seed", "env_seed", "gym_reset_return_info",
    }  # fmt: skip
    assert {name: value for name, value in config.items() if name not in common} == {
        "max_episode_steps": limit,
        "env_name": next(name for name in ("bigfish", "bossfight", "chaser", "caveflyer", "leaper")
                         if task_id.lower().startswith(name)),
        "channel_first": True,
        "num_levels": 0,
        "start_level": 0,
        "use_sequential_levels": False,
        "center_agent": True,
        "use_backgrounds": True,
        "use_monochrome_assets": False,
        "restrict_themes": False,
        "use_generated_assets": False,
        "paint_vel_info": False,
        "use_easy_jump": False,
        "distribution_mode": mode,
    }  # fmt: skip


def test_spaces_and_infos() -> None:
    spec = envpool.make_spec("CoinrunEasy-v0")
    assert spec.observation_space == gymnasium.spaces.Box(0, 255, (3, 64, 64), np.uint8)
    assert spec.action_space == gymnasium.spaces.Discrete(15)
    pool = envpool.make_gymnasium("CoinrunEasy-v0", num_envs=2, seed=5)
    observations, infos = pool.reset()
    assert (observations.dtype, observations.shape) == (np.uint8, (2, 3, 64, 64))
    for name in ("prev_level_seed", "prev_level_complete", "level_seed"):
        assert (infos[name].dtype, infos[name].shape) == (np.int32, (2,))
    # The first levels are EnvPool's.
    np.testing.assert_array_equal(infos["level_seed"], [1228472244, 1538648557])
    pool.close()


def test_levels_that_time_out_are_truncated() -> None:
    pool = envpool.make_gymnasium("MazeMemory-v0", num_envs=1, seed=1)
    pool.reset()
    for step in range(1, 501):
        _, _, terminated, truncated, _ = pool.step(np.array([4]))
        assert not terminated[0]
        assert truncated[0] == (step == 500)
    pool.close()


@pytest.mark.parametrize(("number", "mode"), [(0, "easy"), (1, "hard"), (10, "memory")])
def test_modes_by_number(number: int, mode: str) -> None:
    given = envpool.make_spec("HeistExploration-v0", distribution_mode=number)
    assert given.engine_arguments["distribution_mode"] == mode
    assert "distribution_mode" not in envpool.make_spec("HeistExploration-v0").engine_arguments


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"env_name": "maze"}, '"env_name" can only be'),
        ({"distribution_mode": 3}, '"distribution_mode" can only be'),
    ],
)
def test_refused_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        envpool.make_spec("CoinrunEasy-v0", **settings)


def test_generated_pictures() -> None:
    """Their games save no states, so their levels are those of single games."""
    pool = envpool.make_gymnasium("MinerEasy-v0", num_envs=2, use_generated_assets=True, seed=3)
    with envpool_py.make("MinerEasy-v0", num_envs=2, use_generated_assets=True, seed=3) as own:
        np.testing.assert_array_equal(pool.reset()[0].transpose(0, 2, 3, 1), own.reset()[0])
    pool.close()


def test_settings_reach_the_library() -> None:
    settings: dict[str, Any] = {"num_levels": 3, "start_level": 40, "use_easy_jump": True}
    pool = envpool.make_gymnasium("NinjaEasy-v0", num_envs=4, channel_first=False, **settings)
    observations, infos = pool.reset()
    assert observations.shape == (4, 64, 64, 3)
    assert set(infos["level_seed"]) <= {40, 41, 42}
    pool.close()
    del settings["use_easy_jump"]
    with envpool_py.make("NinjaEasy-v0", num_envs=4, seed=42, seeding="procgen", **settings) as own:
        np.testing.assert_array_equal(own.reset()[0], observations)
