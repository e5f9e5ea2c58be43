"""Checks of the form of results, and of the environment to which each row belongs."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool_py.authoring.conformance.kit import NotApplicableError, check, expect
from envpool_py.authoring.conformance.values import (
    Actions,
    assert_equal,
    assert_layout,
    bounds_of,
    leaves,
    rounds_of_recv,
    rows,
)
from envpool_py.tasks.make import make as make_pool
from envpool_py.tasks.spec import TaskSpec, make_spec

__all__ = [
    "a_few_steps",
    "arrays_belong_to_the_caller",
    "assert_inside",
    "layout_and_bounds",
    "results_of_recv",
]

NUM_ENVS = 5
STEPS = 24
SHORT = 6  # longest episode, in steps: a few end in every run


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool of short episodes.

    Raises:
        NotApplicableError: the task has players; `players` checks their rows.
    """
    if make_spec(task_id).players is not None:
        raise NotApplicableError("it has players: players.* checks their rows")
    arguments = {"num_envs": NUM_ENVS, "num_threads": 2, "max_episode_steps": SHORT, **arguments}
    return make_pool(task_id, **arguments)


def assert_inside(space: gymnasium.Space[Any], observations: Any) -> None:
    """Asserts that every element lies within its bounds; names the first that does not."""
    _assert_inside(space, observations, "observation")


def _assert_inside(space: Any, value: Any, place: str) -> None:
    if isinstance(space, gymnasium.spaces.Dict):
        for name, child in space.spaces.items():
            _assert_inside(child, value[name], f"{place}[{name!r}]")
        return
    if isinstance(space, gymnasium.spaces.Tuple):
        for index, child in enumerate(space.spaces):
            _assert_inside(child, value[index], f"{place}[{index}]")
        return
    if isinstance(space, gymnasium.spaces.Text):
        for text in value:
            expect(text in space, f"{place}: expected a text of {space}, got {text!r}")
        return
    low, high = bounds_of(space)
    outside = ~((value >= low) & (value <= high))  # also true of NaN
    if outside.any():
        at = tuple(int(number[0]) for number in np.nonzero(outside))
        expected = f"[{low[at[1:]]}, {high[at[1:]]}]"
        raise AssertionError(f"{place}{list(at)}: expected a value in {expected}, got {value[at]}")


def assert_infos(spec: TaskSpec, infos: dict[str, Any], count: int) -> None:
    """Asserts names, dtypes, shapes and masks of the infos of a batch."""
    fields = {info.name: info for info in spec.infos}
    allowed = {"env_id", "elapsed_step", "final_obs", "final_info", *fields}
    names = {name for name in infos if not name.startswith("_")}
    expect({"env_id", "elapsed_step"} <= names <= allowed, f"infos: {sorted(names)}")
    expect(infos.keys() == names | {"_" + name for name in names}, f"infos: {sorted(infos)}")
    for name in names - {"final_obs", "final_info"}:
        mask, value = infos["_" + name], infos[name]
        assert (mask.dtype, mask.shape) == (np.bool_, (count,)), f"infos[_{name}]: {mask!r}"
        assert mask.any(), f"infos[{name!r}] is there, and no row has it"
        if name in fields:
            field = fields[name]
            expected = (np.dtype(field.dtype), (count, *field.shape))
            expect(
                (value.dtype, value.shape) == expected,
                f"infos[{name!r}]: expected {expected}, got {value.dtype} {value.shape}",
            )
            expect(not value[~mask].any(), f"infos[{name!r}] is not zero where its mask is False")
        else:
            assert (value.dtype, value.shape) == (np.int32, (count,)), f"infos[{name!r}]"
            assert mask.all(), f"infos[{name!r}] lacks a row"


def assert_rewards(rewards: NDArray[Any], count: int) -> None:
    """Asserts that the rewards of a batch are finite float64."""
    assert type(rewards) is np.ndarray
    assert rewards.dtype == np.float64, f"rewards: expected float64, got {rewards.dtype}"
    assert rewards.shape == (count,), f"rewards: expected {(count,)}, got {rewards.shape}"
    expect(np.isfinite(rewards).all(), f"rewards: expected finite numbers, got {rewards}")


@check(every_id="always")
def a_few_steps(task_id: str) -> None:
    """The spaces of a pool are those of the task; a few steps: layout, bounds, rewards, infos."""
    spec = make_spec(task_id)
    with make(task_id, num_envs=2, seed=8) as pool:
        assert isinstance(pool, gymnasium.vector.VectorEnv)
        assert pool.single_observation_space == spec.observation_space
        assert pool.single_action_space == spec.action_space
        assert pool.observation_space == batch_space(spec.observation_space, 2)
        assert pool.action_space == batch_space(spec.action_space, 2)
        assert_layout(spec.observation_space, pool.reset()[0], 2)
        for actions in Actions(task_id, 3, 2):
            observations, rewards, _, _, infos = pool.step(actions)
            assert_layout(spec.observation_space, observations, 2)
            assert_inside(spec.observation_space, observations)
            assert_rewards(rewards, 2)
            assert_infos(spec, infos, 2)


@check(every_id="long", mode=["NextStep", "SameStep"])
def layout_and_bounds(task_id: str, mode: str) -> None:
    """Structure, dtypes, shapes and bounds of all results, over several episodes."""
    spec = make_spec(task_id)
    space = spec.observation_space
    ends = 0
    with make(task_id, autoreset_mode=mode) as pool:
        observations, infos = pool.reset(seed=3)
        assert_layout(space, observations, NUM_ENVS)
        assert_inside(space, observations)
        expect(observations in pool.observation_space, "the first observation is not in its space")
        assert_infos(spec, infos, NUM_ENVS)
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            observations, rewards, terminated, truncated, infos = pool.step(actions)
            assert_layout(space, observations, NUM_ENVS)
            assert_inside(space, observations)
            expect(observations in pool.observation_space, "an observation is not in its space")
            assert_rewards(rewards, NUM_ENVS)
            for flags in (terminated, truncated):
                assert type(flags) is np.ndarray
                assert (flags.dtype, flags.shape) == (np.bool_, (NUM_ENVS,)), f"flags: {flags!r}"
            assert_infos(spec, infos, NUM_ENVS)
            np.testing.assert_array_equal(infos["env_id"], np.arange(NUM_ENVS))
            ended = terminated | truncated
            ends += int(ended.sum())
            assert ("final_obs" in infos) == (mode == "SameStep" and bool(ended.any()))
            if "final_obs" in infos:
                _assert_final(space, infos, terminated, truncated)
    expect(ends >= NUM_ENVS, f"only {ends} episodes ended, of at most {SHORT} steps each")


def _assert_final(
    space: gymnasium.Space[Any],
    infos: dict[str, Any],
    terminated: NDArray[Any],
    truncated: NDArray[Any],
) -> None:
    ended = terminated | truncated
    assert_layout(space, infos["final_obs"], NUM_ENVS)
    seen = infos["_final_obs"]
    # Some classes have no observation of the state that terminates an episode.
    if (seen != ended).any():
        np.testing.assert_array_equal(seen, ended & ~terminated)
    np.testing.assert_array_equal(infos["_final_info"], ended)
    assert infos["final_info"]["elapsed_step"][ended].min() >= 1
    for place, leaf in leaves(infos["final_obs"]).items():
        assert not leaf[~seen].any(), f"final_obs{place} is not zero where no episode ended"
    if seen.any():
        assert_inside(space, rows(infos["final_obs"], seen))


def _arrays(result: tuple[Any, ...]) -> list[NDArray[Any]]:
    return [leaf for part in result for leaf in leaves(part, texts=False).values()]


@check(every_id="long", mode=["NextStep", "SameStep"])
def arrays_belong_to_the_caller(task_id: str, mode: str) -> None:
    """Arrays of results are writable, aligned, disjoint, and never written again."""
    with (
        make(task_id, autoreset_mode=mode, seed=1) as pool,
        make(task_id, autoreset_mode=mode, seed=1) as twin,
    ):
        held: list[tuple[NDArray[Any], NDArray[Any]]] = []
        results = [pool.reset()]
        assert_equal(results[0], twin.reset(), "reset of two pools with one seed")
        for actions in Actions(task_id, STEPS, NUM_ENVS):
            result = pool.step(actions)
            # Writes of the caller into earlier arrays must not reach the environments.
            assert_equal(result, twin.step(actions), "step after writing into earlier results")
            results.append(result)
            for array in _arrays(results[-2]):
                _assert_free(array)
                array.view(np.uint8).fill(0x5A)
                held.append((array, array.copy()))
        for array, copy in held:
            np.testing.assert_array_equal(array.view(np.uint8), copy.view(np.uint8))
        arrays = [array for array, _ in held if array.nbytes]
        spans = sorted(
            (array.ctypes.data, array.ctypes.data + array.nbytes)
            for array in {id(array): array for array in arrays}.values()
        )
        assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


def _assert_free(array: NDArray[Any]) -> None:
    assert array.flags.writeable
    assert array.flags.c_contiguous
    assert array.flags.aligned
    assert array.ctypes.data % 64 == 0


@check(every_id="long")
def results_of_recv(task_id: str) -> None:
    """Results of `recv` have the form of those of `step`."""
    spec = make_spec(task_id)
    actions = Actions(task_id, STEPS, NUM_ENVS)
    with make(task_id, batch_size=2) as pool:
        pool.async_reset(seed=2)
        steps = np.zeros(NUM_ENVS, int)
        for _ in rounds_of_recv(STEPS, steps):
            result = pool.recv()
            observations, rewards, terminated, truncated, infos = result
            assert_layout(spec.observation_space, observations, 2)
            assert rewards.shape == terminated.shape == truncated.shape == (2,)
            assert_infos(spec, infos, 2)
            for array in _arrays(result):
                assert array.flags.writeable
                assert array.ctypes.data % 64 == 0
            ids = infos["env_id"]
            pool.send(actions[steps[ids] % STEPS, ids], ids)
            steps[ids] += 1
        assert steps.min() >= 1, f"steps of each environment: {steps}"
