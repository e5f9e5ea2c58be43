"""Pools of the tasks with several players, and their models, for the tests of players."""

from __future__ import annotations

from typing import Any

import numpy as np

import envpool_py
from tests.envpool_py.players_model import Autoreset, Model, assert_players

NUM_ENVS = 7
SEED = 100
MODES = ("NextStep", "SameStep", "Disabled")


def task_of(vary: bool) -> str:
    return "Testing/Players-v0" if vary else "Testing/FixedPlayers-v0"


def make(vary: bool, **arguments: Any) -> Any:
    arguments = {"num_envs": NUM_ENVS, "seed": SEED, "num_threads": 2, **arguments}
    return envpool_py.make(task_of(vary), **arguments)


def models(vary: bool, mode: str, **options: Any) -> list[Autoreset]:
    return [Autoreset(Model(env, SEED + env, vary, **options), mode) for env in range(NUM_ENVS)]


def actions_of(chosen: list[Autoreset]) -> tuple[Any, list[list[int]]]:
    """Returns the same actions for the pool and for each model."""
    each = [model.actions() for model in chosen]
    return np.array([action for row in each for action in row], np.int64), each


def step_idly(pool: Any, steps: int) -> None:
    """Resets a pool and steps it with action 0 for all players."""
    result = pool.reset()
    for _ in range(steps):
        result = pool.step(np.zeros(len(result[-1]["players"]["id"]), int))


def reset_ended(pool: Any, result: Any, every: list[Autoreset]) -> None:
    """In Disabled mode, resets the environments of a result whose episodes have ended."""
    ids = result[4]["env_id"][result[2] | result[3]]
    if not len(ids):
        return
    observations, infos = pool.reset(ids)
    frames = [every[env].reset().frame for env in ids]
    assert_players(observations, infos["players"], frames, "reset")
    assert not infos["players"]["terminated"].any()
