"""Tasks like `Pong-v5` with `pipeline="ale_vector"`, compared with ale-py's AtariVectorEnv.

With equal seeds, actions and equivalent options, frames, rewards, flags, lives and frame numbers
are bit-equal. AtariVectorEnv's final_obs is defined only in rows whose episode ended.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from ale_py.vector_env import AtariVectorEnv

import envpool_py
from envpool_py import _atari

from .atari_pair import AtariPair

pytestmark = pytest.mark.foreign_threads  # AtariVectorEnv starts threads

GAMES = _atari.games()
MODES = ("NextStep", "SameStep")
# AtariVectorEnv's names of our options.
NAMES = {
    "img_height": "img_height",
    "img_width": "img_width",
    "gray_scale": "grayscale",
    "stack_num": "stack_num",
    "frame_skip": "frameskip",
    "maxpool": "maxpool",
    "noop_max": "noop_max",
    "terminal_on_life_loss": "episodic_life",
    "life_loss_info": "life_loss_info",
    "reward_clip": "reward_clipping",
    "use_fire_reset": "use_fire_reset",
    "repeat_action_probability": "repeat_action_probability",
    "full_action_space": "full_action_space",
    "continuous": "continuous",
    "continuous_action_threshold": "continuous_action_threshold",
    "max_num_frames_per_episode": "max_num_frames_per_episode",
}


def task_of(game: str) -> str:
    return f"{game.title().replace('_', '')}-v5"


class Pair(AtariPair):
    """Our pool and AtariVectorEnv, stepped alike and compared."""

    def __init__(
        self, game: str, *, autoreset: str = "NextStep", n: int = 2, **options: Any
    ) -> None:
        self.autoreset = autoreset
        self.life_loss_info = options.get("life_loss_info", False)
        defaults = {"reward_clip": False, "max_num_frames_per_episode": 108_000}
        super().__init__(
            f"{game}, {autoreset}, {options}",
            ours=envpool_py.make(
                task_of(game),
                num_envs=n,
                autoreset_mode=autoreset,
                pipeline="ale_vector",
                channel_order="last",
                **options,
            ),
            theirs=AtariVectorEnv(
                game,
                n,
                num_threads=1,
                autoreset_mode=autoreset,
                **{NAMES[name]: value for name, value in (defaults | options).items()},
            ),
        )
        assert self.ours.single_observation_space == self.theirs.single_observation_space
        assert self.ours.single_action_space == self.theirs.single_action_space

    def equal_infos(self, ours: dict[str, Any], theirs: dict[str, Any]) -> None:
        for name in ("env_id", "lives", "frame_number", "episode_frame_number"):
            self.equal(name, ours[name], theirs[name])

    def reset(self, seed: int | np.ndarray | None, mask: np.ndarray | None = None) -> None:
        options = None if mask is None else {"reset_mask": mask}
        theirs = self.theirs.reset(seed=seed, options=options)
        our_seed: Any = seed
        if mask is not None and seed is not None:  # our `reset` takes one seed per environment
            our_seed = [None] * len(mask)
            for env, value in zip(np.flatnonzero(mask), np.ravel(seed), strict=True):
                our_seed[env] = int(value)
        elif isinstance(seed, np.ndarray):
            our_seed = seed.tolist()
        ours = self.ours.reset(seed=our_seed, options=options)
        self.equal("observation", ours[0], theirs[0])
        self.equal_infos(ours[1], theirs[1])

    def act(self, actions: np.ndarray) -> None:
        ours, theirs, over = self.step_both(actions)
        self.equal_infos(ours, theirs)
        if "final_obs" in ours:
            ended = ours["_final_obs"]
            self.equal("final_obs", ours["final_obs"], theirs["final_obs"], ended)
            self.counts["final"] += int(ended.sum())
        if self.autoreset == "SameStep" and not self.life_loss_info:
            assert ("final_obs" in ours) == bool(over.any()), self.where

    def actions(self, rng: np.random.Generator) -> np.ndarray:
        space = self.ours.single_action_space
        count = self.ours.num_envs
        if self.ours.action_space.dtype != np.float32:
            return rng.integers(space.n, size=count)
        return rng.uniform(space.low, space.high, (count, 3)).astype(np.float32)

    def run(self, seed: int, steps: int) -> Counter[str]:
        rng = np.random.default_rng(seed)
        self.reset(seed)
        for _ in range(steps):
            self.act(self.actions(rng))
        self.close()
        return self.counts


OPTIONS: dict[str, tuple[dict[str, Any], str]] = {
    "defaults": ({}, "reward"),
    "colour": ({"gray_scale": False}, ""),
    "one frame": ({"stack_num": 1}, ""),
    "last frame alone": ({"maxpool": False}, ""),
    "last frame alone, cut short": (
        {"maxpool": False, "max_num_frames_per_episode": 20},
        "truncated",
    ),
    "every frame": ({"frame_skip": 1, "max_num_frames_per_episode": 33}, "truncated"),
    "two": ({"frame_skip": 2, "max_num_frames_per_episode": 33}, "truncated"),
    "five": ({"frame_skip": 5, "max_num_frames_per_episode": 34}, "truncated"),
    # The limit is the last frame of a step, whose picture is not taken.
    "whole steps": ({"max_num_frames_per_episode": 32}, "truncated"),
    "whole steps in colour": (
        {"max_num_frames_per_episode": 32, "gray_scale": False, "stack_num": 2},
        "truncated",
    ),
    "the first step": ({"max_num_frames_per_episode": 4}, "truncated"),
    "no idle frames": ({"noop_max": 0}, ""),
    "one idle frame": ({"noop_max": 1}, ""),
    "no fire": ({"use_fire_reset": False}, ""),
    "neither": ({"use_fire_reset": False, "noop_max": 0}, ""),
    "lives": ({"terminal_on_life_loss": True}, "terminated"),
    "lives in colour": ({"terminal_on_life_loss": True, "gray_scale": False}, "terminated"),
    "lives reported": ({"life_loss_info": True}, "terminated"),
    "lives twice": ({"life_loss_info": True, "terminal_on_life_loss": True}, "terminated"),
    "clipped": ({"reward_clip": True}, "reward"),
    "all actions": ({"full_action_space": True}, ""),
    "sticky": ({"repeat_action_probability": 0.25}, "reward"),
    "continuous": ({"continuous": True}, ""),
    "continuous, sticky": (
        {"continuous": True, "continuous_action_threshold": 0.2, "repeat_action_probability": 0.3},
        "",
    ),
    "size": ({"img_height": 100, "img_width": 60}, ""),
    "unchanged": ({"img_height": 210, "img_width": 160}, ""),
}


@pytest.mark.sampled("autoreset")
@pytest.mark.parametrize("autoreset", MODES)
@pytest.mark.parametrize("name", OPTIONS)
def test_options(name: str, autoreset: str) -> None:
    options, what = OPTIONS[name]
    counts = Pair("breakout", autoreset=autoreset, **options).run(7, 70)
    assert not what or counts[what] > 0
    if autoreset == "SameStep" and what in ("terminated", "truncated"):
        assert counts["final"] > 0 or options.get("life_loss_info", False)


@pytest.mark.parametrize("game", ["seaquest", "montezuma_revenge", "kaboom", "tennis"])
def test_other_games(game: str) -> None:
    Pair(game, n=3, repeat_action_probability=0.25, reward_clip=True).run(3, 60)


def test_seeds_and_masks_at_any_reset() -> None:
    pair = Pair("space_invaders", n=3, repeat_action_probability=0.25)
    rng = np.random.default_rng(0)
    mask = np.array([True, False, True])
    calls: list[tuple[Any, Any]] = [
        (5, None),
        (None, None),
        (np.array([0, 3, 2**31 - 1]), None),
        (None, mask),
        (np.array([9, 9]), mask),
        (0, None),
    ]
    for seed, chosen in calls:
        pair.reset(seed, chosen)
        for _ in range(10):
            pair.act(pair.actions(rng))
    pair.close()


def test_the_idle_frames_are_drawn_alike() -> None:
    """Draws far more often than an episode does, with bounds that are powers of two and others."""
    for noop_max in (3, 30, 64, 1000):
        options = {"noop_max": noop_max, "max_num_frames_per_episode": 1, "frame_skip": 1}
        Pair("freeway", n=2, **options).run(noop_max, 12)


def test_seeds_that_atari_vector_env_does_not_take_differ() -> None:
    pool = envpool_py.make("Pong-v5", num_envs=6, pipeline="ale_vector", noop_max=1000)
    numbers = pool.reset(seed=[2**31 + k for k in range(6)])[1]["frame_number"]
    assert len(set(numbers.tolist())) > 3
    assert np.array_equal(
        numbers, pool.reset(seed=[2**31 + k for k in range(6)])[1]["frame_number"]
    )
    pool.close()


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_long_play(game: str) -> None:
    number = GAMES.index(game)
    pair = Pair(
        game,
        autoreset=MODES[number % 2],
        n=2,
        frame_skip=4 if number % 3 else 2 + number % 4,
        gray_scale=number % 4 != 0,
        terminal_on_life_loss=number % 5 == 0,
        life_loss_info=number % 5 == 1,
        repeat_action_probability=0.25 if number % 2 else 0.0,
        max_num_frames_per_episode=(108_000, 1_000, 202)[number % 3],
    )
    pair.run(number, 2_000)
