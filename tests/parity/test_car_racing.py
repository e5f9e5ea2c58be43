"""CarRacing against Gymnasium: with equal seeds and actions, pictures and results are bit-equal."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py

pytestmark = pytest.mark.numbers

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # from SWIG, which wraps the reference's engine
    pytest.importorskip("Box2D")

TASK = "CarRacing-v3"
MODES = ["NextStep", "SameStep", "Disabled"]


class Drivers:
    """A policy: environment i drives in style i % 4, to cover all kinds of driving."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self, observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        self.steps += 1
        actions = np.zeros((len(observations), 3), np.float32)
        for i in range(len(actions)):
            if i % 4 == 0:  # along the visible road
                actions[i] = self.along(observations[i])
            elif i % 4 == 1:  # at random, also out of bounds
                actions[i] = rng.uniform([-1.5, -0.5, -0.5], [1.5, 1.5, 1.2])
            elif i % 4 == 2:  # straight on, off the road
                actions[i] = (0.02 * np.sin(self.steps / 40), 1.0, 0.0)
            else:  # skidding
                actions[i] = (1.0 if self.steps % 60 < 30 else -1.0, 1.0, rng.random() < 0.05)
        return actions

    @staticmethod
    def along(picture: np.ndarray) -> tuple[float, float, float]:
        """Steers towards the grey road ahead of the car, which is at (70, 48)."""
        row = picture[56].astype(np.int64)
        grey = np.flatnonzero(np.ptp(row, axis=1) < 20)
        steering = 0.0 if not grey.size else float(np.clip((grey.mean() - 47.5) / 12.0, -1, 1))
        return steering, 0.25 if abs(steering) < 0.4 else 0.05, 0.0


def choose(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Returns actions of the discrete space: mostly gas."""
    return rng.choice(5, len(observations), p=[0.1, 0.2, 0.2, 0.45, 0.05])


def test_specs(parity: SimpleNamespace) -> None:
    parity.assert_same_limits(TASK)


@pytest.mark.parametrize("continuous", [True, False])
def test_spaces(continuous: bool, parity: SimpleNamespace) -> None:
    with parity.Lockstep(TASK, num_envs=1, continuous=continuous) as pair:
        pair.check_spaces()


@pytest.mark.parametrize("mode", MODES)
def test_trajectories(mode: str, parity: SimpleNamespace) -> None:
    with parity.Lockstep(TASK, autoreset_mode=mode, num_envs=4, max_episode_steps=18) as pair:
        counts = pair.run(Drivers(), 3, 25)
    assert counts["truncated"] > 0


def test_discrete_actions(parity: SimpleNamespace) -> None:
    with parity.Lockstep(TASK, num_envs=2, continuous=False) as pair:
        pair.run(choose, 11, 30)


def test_domain_randomization(parity: SimpleNamespace) -> None:
    with parity.Lockstep(
        TASK, num_envs=2, domain_randomize=True, max_episode_steps=15, continuous=False
    ) as pair:
        pair.run(choose, 5, 20)


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_actions_of_other_types(dtype: Any, parity: SimpleNamespace) -> None:
    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rng.uniform(-2.0, 2.0, (len(observations), 3)).astype(dtype)

    with parity.Lockstep(TASK, num_envs=2) as pair:
        pair.run(policy, 2, 12)


def test_extreme_actions(parity: SimpleNamespace) -> None:
    values = np.array([0.0, -0.0, 1e-40, -1e-20, 0.5, -0.5, 1.0, -1.0, 1e30, -np.inf, np.inf])

    def policy(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rng.choice(values, (len(observations), 3)).astype(np.float32)

    with parity.Lockstep(TASK, num_envs=2) as pair:
        pair.run(policy, 2, 15)


@pytest.mark.parametrize("percent", [0.0, 0.01])
def test_a_lap_that_ends_early(percent: float, parity: SimpleNamespace) -> None:
    """After enough of the road has been visited, reaching the start ends the lap."""

    def ahead(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.tile(np.array([0.0, 0.3, 0.0], np.float32), (len(observations), 1))

    with parity.Lockstep(TASK, num_envs=2, lap_complete_percent=percent) as pair:
        counts = pair.run(ahead, 8, 30)
    assert (counts["terminated"] > 0) == (percent == 0.0)


def test_the_end_of_the_playfield(parity: SimpleNamespace) -> None:
    """Driving straight on off the playfield ends the episode with a reward of -100 and the info."""

    def away(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return np.tile(np.array([0.0, 1.0, 0.0], np.float32), (len(observations), 1))

    with parity.Lockstep(TASK, num_envs=1) as pair:
        counts = pair.run(away, 36, 170)
    assert counts["terminated"] > 0


def test_a_wide_gap_between_the_ends_of_the_lap(parity: SimpleNamespace) -> None:
    """In this road, the tile that closes the lap is longer than others and only partly visible."""
    steps = iter(range(59))

    def skid(observations: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        step = next(steps)
        action = np.array([1.0 if step < 29 else -1.0, 1.0, step == 51], np.float32)
        return np.tile(action, (len(observations), 1))

    with parity.Lockstep(TASK, num_envs=1) as pair:
        pair.run(skid, 3, 59)


def test_colors_stay_if_told_so() -> None:
    """Uses the reset option `randomize` after an episode."""
    theirs = gymnasium.make(TASK, domain_randomize=True)
    with envpool_py.make(TASK, domain_randomize=True) as ours:
        for seed, options in [(1, None), (2, {"randomize": False}), (3, {"randomize": True})]:
            mine, _ = ours.reset(seed=seed, options=options)
            other, _ = theirs.reset(seed=seed, options=options)
            assert np.array_equal(mine[0], other), f"seed {seed}, options {options}"
    theirs.close()


def test_video_with_skid_marks() -> None:
    """`render` has another size, and shows the skid marks and the score after the step."""
    theirs = gymnasium.make(TASK, render_mode="rgb_array")
    with envpool_py.make(TASK, render_mode="rgb_array") as ours:
        ours.reset(seed=4)
        theirs.reset(seed=4)
        for step in range(70):
            action = np.array([1.0 if step % 40 < 20 else -1.0, 1.0, 0.0], np.float32)
            ours.step(action[None])
            theirs.step(action)
            if step % 6 == 0 or step > 62:
                (mine,) = ours.render()
                assert np.array_equal(mine, theirs.render()), f"step {step}"
    theirs.close()


@pytest.mark.long
@pytest.mark.parametrize("mode", MODES)
def test_trajectories_long(mode: str, parity: SimpleNamespace) -> None:
    """Runs more than 100,000 steps over all modes and seeds, with many episodes per environment."""
    with parity.Lockstep(TASK, autoreset_mode=mode, num_envs=8) as pair:
        for seed in (0, 1, 2**63):
            counts = pair.run(Drivers(), seed, 1100)
    # Each environment ends once for each seed; few cars leave the playfield earlier.
    assert counts["terminated"] + counts["truncated"] >= 24


@pytest.mark.long
def test_discrete_trajectories_long(parity: SimpleNamespace) -> None:
    with parity.Lockstep(TASK, num_envs=8, continuous=False, domain_randomize=True) as pair:
        pair.run(choose, 9, 2600)


@pytest.mark.long
def test_first_pictures_of_many_roads(parity: SimpleNamespace) -> None:
    """Compares 600 roads; the first picture shows much of each."""
    with parity.Lockstep(TASK, num_envs=4) as pair:
        for seed in range(0, 600, 4):
            pair.run(Drivers(), seed, 3)
