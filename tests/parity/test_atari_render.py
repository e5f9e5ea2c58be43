"""Pictures of Atari pools, compared with those of ale-py's environments in Gymnasium's pool.

With equal seeds and actions, pictures are bit-equal after every reset and step.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import ale_py
import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import AtariPreprocessing, FrameStackObservation

import envpool_py

gymnasium.register_envs(ale_py)

# Both television formats, every height of the picture, paddles, flickering games, many episodes.
GAMES = [
    "AirRaid", "Breakout", "Carnival", "Earthworld", "JourneyEscape", "Klax", "MontezumaRevenge",
    "Pong", "Seaquest", "SpaceInvaders",
]  # fmt: skip
MODES = ["NextStep", "SameStep", "Disabled"]
NUM_ENVS = 2


def assert_same_pictures(ours: Any, theirs: Any, where: str) -> None:
    assert isinstance(theirs, tuple)
    assert isinstance(ours, tuple)
    assert len(ours) == len(theirs)
    for env, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        layout = (mine.dtype, mine.shape)
        assert layout == (other.dtype, other.shape), where
        rows = np.flatnonzero((mine != other).any(axis=(1, 2)))
        assert not rows.size, f"{where}, environment {env}: rows {rows} differ"


def play(ours: Any, theirs: Any, steps: int, seed: int) -> int:
    """Compares the pictures; returns how many episodes ended."""
    rng = np.random.default_rng(seed)
    ours.reset(seed=seed)
    theirs.reset(seed=seed)
    assert_same_pictures(ours.render(), theirs.render(), "after the reset")
    ends = 0
    for step in range(steps):
        actions = rng.integers(theirs.single_action_space.n, size=NUM_ENVS)
        _, _, terminated, truncated, _ = ours.step(actions)
        _, _, *flags, _ = theirs.step(actions)
        np.testing.assert_array_equal([terminated, truncated], flags)
        pictures = theirs.render()
        assert_same_pictures(ours.render(), pictures, f"step {step}")
        assert_same_pictures(ours.render([1]), pictures[1:], f"step {step}, one")
        ended = terminated | truncated
        ends += int(ended.sum())
        if ended.any() and ours.autoreset_mode is gymnasium.vector.AutoresetMode.DISABLED:
            for pool in (ours, theirs):
                pool.reset(options={"reset_mask": ended.copy()})
            assert_same_pictures(ours.render(), theirs.render(), f"step {step}, reset")
    return ends


def play_raw(parity: SimpleNamespace, game: str, steps: int, mode: str, **options: Any) -> int:
    task_id = f"ALE/{game}-v5"
    shared: dict[str, Any] = {"num_envs": NUM_ENVS, "autoreset_mode": mode, **options}
    theirs = parity.make_reference(task_id, render_mode="rgb_array", **shared)
    ours = envpool_py.make(task_id, num_threads=2, render_mode="rgb_array", **shared)
    try:
        assert ours.metadata["render_fps"] == theirs.metadata["render_fps"]
        return play(ours, theirs, steps, seed=3)
    finally:
        ours.close()
        theirs.close()


@pytest.mark.parametrize("game", GAMES)
def test_raw_ids(game: str, parity: SimpleNamespace) -> None:
    number = GAMES.index(game)
    obs_type = ("rgb", "grayscale", "ram")[number % 3]
    frameskip = (4, (2, 5), 1)[number // 3 % 3]
    play_raw(parity, game, 60, MODES[number % 3], obs_type=obs_type, frameskip=frameskip)


@pytest.mark.parametrize(
    ("mode", "obs_type"),
    [("NextStep", "rgb"), ("SameStep", "grayscale"), ("Disabled", "ram")],
)
def test_raw_ids_at_the_ends_of_episodes(mode: str, obs_type: str, parity: SimpleNamespace) -> None:
    # The skip is so long that the game ends within it, a few frames before its end.
    options = {"obs_type": obs_type, "frameskip": 50}
    assert play_raw(parity, "Breakout", 40, mode, **options) >= 2


def play_preprocessed(game: str, steps: int, mode: str, **options: Any) -> int:
    def make_one() -> Any:
        env = gymnasium.make(
            f"ALE/{game}-v5",
            frameskip=1,
            repeat_action_probability=0.0,
            render_mode="rgb_array",
        )
        wrapped = AtariPreprocessing(
            env,
            noop_max=options.get("noop_max", 30),
            frame_skip=options.get("frame_skip", 4),
            terminal_on_life_loss=options.get("terminal_on_life_loss", False),
        )
        return FrameStackObservation(wrapped, 4)

    theirs = gymnasium.vector.SyncVectorEnv([make_one] * NUM_ENVS, autoreset_mode=mode)
    ours = envpool_py.make(
        f"{game}-v5",
        num_envs=NUM_ENVS,
        num_threads=2,
        autoreset_mode=mode,
        render_mode="rgb_array",
        use_fire_reset=False,
        **options,
    )
    try:
        assert ours.metadata["render_fps"] == theirs.metadata["render_fps"]
        return play(ours, theirs, steps, seed=5)
    finally:
        ours.close()
        theirs.close()


@pytest.mark.parametrize("game", GAMES)
def test_preprocessed_ids_render_the_whole_screen(game: str) -> None:
    play_preprocessed(game, 50, MODES[GAMES.index(game) % 3])


@pytest.mark.parametrize("mode", MODES)
def test_preprocessed_ids_at_the_ends_of_episodes(mode: str) -> None:
    # The skip is so long that a life and the game end within it, before the frames that are
    # observed.
    for new_games, steps in ((False, 40), (True, 16)):
        options = {"frame_skip": 50, "terminal_on_life_loss": new_games, "noop_max": 0}
        assert play_preprocessed("Breakout", steps, mode, **options) >= 2


@pytest.mark.parametrize("task_id", ["Pong-v5", "ALE/Pong-v5"])
def test_rendering_changes_nothing_else(task_id: str, parity: SimpleNamespace) -> None:
    options: dict[str, Any] = {"num_envs": NUM_ENVS, "num_threads": 1, "seed": 11}
    if task_id.startswith("ALE/"):
        options["obs_type"] = "ram"
    rng = np.random.default_rng(0)
    with (
        envpool_py.make(task_id, **options) as blind,
        envpool_py.make(task_id, render_mode="rgb_array", **options) as seen,
    ):
        results = [blind.reset(), seen.reset()]
        for step in range(80):
            for ours, theirs in zip(results[1], results[0], strict=True):
                if isinstance(ours, np.ndarray):
                    parity.assert_same(ours, theirs, f"step {step}", "result")
            if step % 3 == 0:
                seen.render()
            actions = rng.integers(6, size=NUM_ENVS)
            results = [blind.step(actions), seen.step(actions)]
