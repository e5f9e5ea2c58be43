"""Results equal those of `gymnasium.vector.SyncVectorEnv`: values, dtypes, infos."""

from __future__ import annotations

import functools
import sys
import tracemalloc
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputTypeError

from . import awkward
from .comparing import assert_same, compare

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

MODES = ["NextStep", "SameStep", "Disabled"]
AWKWARD = [
    awkward.Nested,
    awkward.ManyInfos,
    awkward.TextObs,
    awkward.SequenceObs,
    awkward.GraphObs,
    awkward.OwnSpaces,
    awkward.OneOfObs,
    awkward.HalfActions,
    awkward.EmptyBox,
    awkward.BigImage,
]
REGISTERED = [
    "CartPole-v1",
    "MountainCarContinuous-v0",
    "Acrobot-v1",
    "FrozenLake-v1",
    "Taxi-v4",
    "Blackjack-v1",
]


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_class", AWKWARD)
def test_awkward_environments(env_class: Any, mode: str, num_workers: int) -> None:
    compare([env_class] * 3, mode, steps=24, num_workers=num_workers)


@pytest.mark.parametrize("num_workers", [1, 2, 5])
@pytest.mark.parametrize("mode", MODES)
def test_any_number_of_workers(mode: str, num_workers: int) -> None:
    compare([awkward.ManyInfos] * 5, mode, steps=24, num_workers=num_workers)


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("mode", MODES)
def test_a_limit_of_steps_is_that_of_gymnasiums_wrapper(mode: str, num_workers: int) -> None:
    limited = functools.partial(limited_to, 4)
    compare(
        [awkward.ManyInfos] * 3,
        mode,
        steps=20,
        reference_fns=[limited] * 3,
        max_episode_steps=4,
        num_workers=num_workers,
    )


def limited_to(steps: int) -> Any:
    return gymnasium.wrappers.TimeLimit(awkward.ManyInfos(), steps)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_episode_statistics_are_those_of_gymnasiums_wrapper(num_workers: int) -> None:
    reference = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        gymnasium.vector.SyncVectorEnv([awkward.Base] * 4)
    )
    with envpool_py.make_python(
        awkward.Base, 4, num_workers=num_workers, record_episode_statistics=True
    ) as pool:
        pool.reset(seed=2)
        reference.reset(seed=2)
        episodes = 0
        for _ in range(60):
            actions = pool.action_space.sample()
            actual, expected = pool.step(actions)[4], reference.step(actions)[4]
            assert ("episode" in actual) == ("episode" in expected)
            if "episode" not in actual:
                continue
            ended = expected["_episode"]
            episodes += ended.sum()
            np.testing.assert_array_equal(actual["_episode"], ended)
            for key in ("r", "l"):
                np.testing.assert_allclose(
                    actual["episode"][key][ended], expected["episode"][key][ended], rtol=1e-12
                )
        assert episodes > 10


class Told(awkward.Base):
    """Its infos have the same types in all steps, so that rows of batches can be compared."""

    def info(self, what: Any) -> dict[str, Any]:
        draw = self.np_random.random()
        text = str(what) if isinstance(what, np.integer) else "reset"
        info: dict[str, Any] = {"draw": draw, "text": text, "array": np.full(2, draw)}
        if draw < 0.5:
            info["count"] = self.steps
        return info


NOT_OF_ROWS = {"env_id", "elapsed_step", "final_obs", "final_info"}


def row_of(infos: dict[str, Any], row: int) -> dict[str, Any]:
    """Returns the infos of a row, without those of ended episodes."""
    return {
        key: infos[key][row]
        for key in infos
        if f"_{key}" in infos and infos[f"_{key}"][row] and key not in NOT_OF_ROWS
    }


@pytest.mark.parametrize("batch_size", [1, 2, 5])
@pytest.mark.parametrize("num_workers", [0, 2, 5])
@pytest.mark.parametrize("mode", MODES)
def test_first_ready(mode: str, num_workers: int, batch_size: int) -> None:
    steps = 20
    actions = np.random.default_rng(1).integers(0, 3, (steps, 5))
    reference = gymnasium.vector.SyncVectorEnv([Told] * 5, autoreset_mode=mode)
    expected: list[list[Any]] = [[] for _ in range(5)]
    observations, infos = reference.reset(seed=4)
    for env in range(5):
        expected[env].append((observations[env], row_of(infos, env)))
    ended = np.zeros(5, bool)
    for step in range(steps):
        if mode == "Disabled" and ended.any():
            observations, infos = reference.reset(options={"reset_mask": ended})
            for env in np.flatnonzero(ended):
                expected[env].append((observations[env], row_of(infos, env)))
        result = reference.step(actions[step])
        for env in range(5):
            final = {}
            if "final_info" in result[4] and result[4]["_final_info"][env]:
                final = row_of(result[4]["final_info"], env)
                final["obs"] = result[4]["final_obs"][env]
            row = [*(part[env] for part in result[:4]), row_of(result[4], env), final]
            expected[env].append(tuple(row))
        ended = result[2] | result[3]

    lengths = list(map(len, expected))
    actual = first_ready_rows(
        actions, lengths, mode, batch_size=batch_size, num_workers=num_workers
    )
    for env in range(5):
        seen = actual[env][: lengths[env]]
        assert_same(tuple(seen), tuple(expected[env]), f"environment {env}")


def first_ready_rows(
    actions: Any, lengths: list[int], mode: str, **settings: Any
) -> list[list[Any]]:
    """Returns each environment's rows, received in first-ready mode.

    All environments continue until each has at least as many rows as `lengths` states.
    """
    steps, num_envs = actions.shape
    rows: list[list[Any]] = [[] for _ in range(num_envs)]
    taken = np.zeros(num_envs, int)
    resets = np.ones(num_envs, bool)  # whether the environment's next row comes from a reset
    with envpool_py.make_python(Told, num_envs, autoreset_mode=mode, seed=4, **settings) as pool:
        pool.async_reset()
        while any(len(rows[env]) < lengths[env] for env in range(num_envs)):
            *parts, infos = pool.recv()
            for row, env in enumerate(infos["env_id"]):
                if resets[env]:
                    rows[env].append((parts[0][row], row_of(infos, row)))
                    resets[env] = False
                    ended = False
                else:
                    final = {}
                    if "final_info" in infos and infos["_final_info"][row]:
                        final = row_of(infos["final_info"], row)
                        final["obs"] = infos["final_obs"][row]
                    shown = (part[row] for part in parts)
                    rows[env].append((*shown, row_of(infos, row), final))
                    ended = bool(parts[2][row] | parts[3][row])
                if ended and mode == "Disabled":
                    resets[env] = True
                    pool.async_reset(np.array([env]))
                else:
                    pool.send(actions[taken[env] % steps, [env]], np.array([env]))
                    taken[env] += 1
    return rows


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", REGISTERED)
def test_registered_environments(env_id: str, mode: str, num_workers: int) -> None:
    if env_id == "Taxi-v4" and env_id not in gymnasium.registry:
        env_id = "Taxi-v3"
    make = functools.partial(gymnasium.make, env_id)
    compare([make] * 3, mode, steps=120, num_workers=num_workers)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_class", [awkward.Nested, awkward.ManyInfos, awkward.TextObs])
def test_threads(env_class: Any, mode: str) -> None:
    compare([env_class] * 4, mode, steps=24, num_workers=3, workers="threads")


@pytest.mark.unsanitized
def test_object_actions_of_all_numbers_of_rows_keep_no_memory() -> None:
    with envpool_py.make_python(awkward.TextObs, 64, num_workers=0) as pool:
        pool.reset()
        pool.step(["a"] * 64)
        tracemalloc.start()
        for rows in range(1, 64):
            pool.step(["a"] * rows, np.arange(rows))
        kept = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        assert kept < 500_000


class Swapped(gymnasium.Env[Any, Any]):
    """Has a space of the other byte order, and returns native arrays."""

    observation_space = gymnasium.spaces.Box(-9, 9, (2,), np.dtype(np.float32).newbyteorder())
    action_space = gymnasium.spaces.Box(-1, 1, (2,))

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.array([1, 2], np.float32), {}

    def step(self, action: Any) -> Any:
        return np.array([3, 4], np.float32), 0.0, False, False, {}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("num_workers", [0, 1])
def test_spaces_of_another_byte_order(num_workers: int) -> None:
    with envpool_py.make_python(Swapped, 2, num_workers=num_workers) as pool:
        assert pool.reset()[0].tolist() == [[1, 2], [1, 2]]
        assert pool.step(np.zeros((2, 2)))[0].tolist() == [[3, 4], [3, 4]]
        with pytest.raises(InputTypeError, match="actions: expected an array, got list"):
            pool.step([[1, 2], [1]])
