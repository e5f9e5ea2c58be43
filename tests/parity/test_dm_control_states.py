"""Saved states of the suite's tasks: results after a loaded state are bit-equal to those after the
saved one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import StateError
from envpool_py.tasks.families.dm_control.tasks import TASKS

pytest.importorskip("mujoco")
pytest.importorskip("dm_control")
pytest.importorskip("envpool_py._mujoco")

from .suite_pair import actions_of, assert_bits

pytestmark = pytest.mark.numbers

TASK_IDS = sorted(TASKS)
# A task that changes its model for a seed, two that do at a reset (terrain, target); tasks with
# touch sensors, contacts and Runge-Kutta; one whose rewards depend on the start of the episode.
SHORT = (
    "LqrLqr21-v1",
    "QuadrupedEscape-v1",
    "FishSwim-v1",
    "FingerTurnHard-v1",
    "ManipulatorInsertPeg-v1",
    "CartpoleThreePoles-v1",
    "DogFetch-v1",
)
ROWS = 2
LIMIT = 12


def make(task_id: str, seed: int, **options: Any) -> Any:
    options.setdefault("max_episode_steps", LIMIT)
    return envpool_py.make(task_id, num_envs=ROWS, seed=seed, **options)


def steps(pool: Any, actions: np.ndarray) -> list[Any]:
    return [pool.step(action) for action in actions]


def assert_equal(ours: Any, theirs: Any, where: str) -> None:
    """Asserts that two nested structures of arrays have the same bits."""
    if isinstance(ours, dict):
        assert list(ours) == list(theirs), where
        for key in ours:
            assert_equal(ours[key], theirs[key], f"{where}, {key}")
    elif isinstance(ours, tuple | list):
        for index, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(one, other, f"{where}, {index}")
    else:
        assert_bits(ours, theirs, where)


def check_states(task_id: str, count: int, **options: Any) -> None:
    """Saves after a reset, within an episode and at its end; loads into running episodes."""
    actions = actions_of(task_id, np.random.default_rng(3), count * ROWS)
    actions = actions.reshape(count, ROWS, *actions.shape[1:])
    with make(task_id, 1, **options) as pool, make(task_id, 50, **options) as other:
        other.reset()
        steps(other, actions[:3])
        last: Any = pool.reset()
        for begin in (0, 5, LIMIT):
            if begin > 0:
                pool.reset(seed=begin)
                last = steps(pool, actions[:begin])[-1]
            states = pool.save_states()
            followed = steps(pool, actions[begin:])
            for again in (other, pool):
                observations, infos = again.load_states(states)
                where = f"{task_id}, saved after {begin} steps"
                assert_equal(observations, last[0], where)
                assert_equal(infos["elapsed_step"], last[-1]["elapsed_step"], where)
                assert_equal(steps(again, actions[begin:]), followed, where)


@pytest.mark.parametrize("task_id", SHORT)
def test_a_loaded_state_continues(task_id: str) -> None:
    check_states(task_id, LIMIT + 4)


@pytest.mark.long
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_a_loaded_state_continues_long(task_id: str) -> None:
    """Checks every task, over several episodes."""
    check_states(task_id, 5 * LIMIT)


@pytest.mark.parametrize(
    ("task_id", "options"),
    [
        ("HopperHop-v1", {"legacy_step": False}),
        ("CartpoleSwingup-v1", {"legacy_step": False}),
        ("AcrobotSwingup-v1", {"legacy_step": False, "frame_skip": 3}),
        ("WalkerWalk-v1", {"frame_stack": 3}),
        ("ReacherHard-v1", {"flat_observation": True}),
        ("StackerStack2-v1", {"fully_observable": False}),
    ],
)
def test_options(task_id: str, options: dict[str, Any]) -> None:
    check_states(task_id, LIMIT + 4, **options)


def test_states_of_other_options_are_refused() -> None:
    with make("WalkerWalk-v1", 0) as pool, make("WalkerWalk-v1", 0, legacy_step=False) as other:
        pool.reset()
        other.reset()
        with pytest.raises(StateError, match="legacy_step"):
            other.load_states(pool.save_states())


def test_a_failed_environment_is_replaced() -> None:
    """A state can be loaded into an environment whose simulation has diverged."""
    with envpool_py.make("LqrLqr21-v1", num_envs=2, seed=4) as pool:
        pool.reset()
        states = pool.save_states()
        followed = pool.step(np.ones((2, 1)))
        with pytest.raises(envpool_py.errors.EnvironmentFailedError):
            pool.step(np.full((2, 1), 1e11))
        pool.load_states(states)
        assert_equal(pool.step(np.ones((2, 1))), followed, "after a failure")
