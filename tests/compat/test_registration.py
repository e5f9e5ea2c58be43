"""The attributes of EnvPool's modules, besides `make`, that programs read."""

from __future__ import annotations

from pathlib import Path

import pytest

import envpool_py.compat.envpool as envpool
from envpool_py.compat.envpool.atari import registration as atari
from envpool_py.compat.envpool.mujoco.gym import registration as mujoco


def test_games_are_those_of_the_ids() -> None:
    ids = {
        f"{''.join(word.capitalize() for word in game.split('_'))}-v5"
        for game in atari.atari_game_list
    }
    assert len(ids) == len(atari.atari_game_list) > 60
    assert ids <= set(envpool.list_all_envs())
    assert "space_invaders" in atari.atari_game_list
    with pytest.raises(AttributeError, match="atari_rom_path"):
        atari.atari_rom_path  # noqa: B018


def test_mujoco_tasks_are_those_of_the_ids() -> None:
    ids = {
        f"{task}-{version}": steps
        for task, versions, steps in mujoco.gym_mujoco_envs
        for version in versions
    }
    assert len(ids) == 21
    for task_id, steps in ids.items():
        assert envpool.make_spec(task_id).config.max_episode_steps == steps


def test_the_package_says_that_it_is_typed() -> None:
    assert envpool.__file__ is not None
    assert Path(envpool.__file__).with_name("py.typed").is_file()
