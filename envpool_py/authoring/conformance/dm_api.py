"""The contract of `dm_env.Environment`, as `dm_env.test_utils` checks it, in batches.

Batches differ from dm_env in two points, because their rows are at different points of their
episodes. In a first step, reward and discount are 0.0 and 1.0 instead of None. Step types are
integers.
"""

from __future__ import annotations

from typing import Any

import dm_env
import numpy as np
import tree
from dm_env import specs

from envpool_py.authoring.conformance import episodes
from envpool_py.authoring.conformance.kit import NotApplicableError, check, expect, raises
from envpool_py.authoring.conformance.values import (
    Actions,
    assert_equal,
    rounds_of_recv,
    with_characters,
)
from envpool_py.errors import ResetNeededError
from envpool_py.tasks.make import make_dm
from envpool_py.tasks.spec import make_spec

__all__ = [
    "a_step_of_a_new_pool_is_a_reset",
    "agrees_with_gymnasium",
    "bounds_of_actions_are_inclusive",
    "first_after_last_and_only_there",
    "reset_twice_and_steps_after_it",
    "specs_have_names_and_conform",
    "time_steps_of_recv",
    "without_autoreset_a_last_step_needs_a_reset",
]

NUM_ENVS = 4
STEPS = 30
SHORT = 6  # longest episode, in steps
# Replaces the bounds of unbounded boxes.
_WIDEST = 1e6

FIRST, MID, LAST = (int(kind) for kind in dm_env.StepType)


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a dm pool of short episodes.

    Raises:
        NotApplicableError: the task has players; `players` checks their time steps.
    """
    if make_spec(task_id).players is not None:
        raise NotApplicableError("it has players: players.* checks their rows")
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": 11,
        **arguments,
    }
    return make_dm(task_id, **arguments)


def with_rows(spec: specs.Array, rows: int) -> specs.Array:
    """Returns the spec with another number of rows."""
    if isinstance(spec, specs.BoundedArray):
        # The bounds are equal in all rows, so the bounds of one row broadcast.
        return specs.BoundedArray(
            (rows, *spec.shape[1:]), spec.dtype, spec.minimum, spec.maximum, spec.name
        )
    return specs.Array((rows, *spec.shape[1:]), spec.dtype, spec.name)


class Checked:
    """A pool that checks each of its time steps."""

    def __init__(self, task_id: str, **arguments: Any) -> None:
        self.pool = make(task_id, **arguments)
        self.spec = self.pool.step_spec()

    def check(self, step: Any, rows: int = NUM_ENVS) -> Any:
        """Checks a time step against the specs, and returns it."""
        assert type(step) is dm_env.TimeStep
        spec = tree.map_structure(lambda each: with_rows(each, rows), self.spec)
        tree.assert_same_structure(step, spec)
        tree.map_structure(lambda each, value: each.validate(value), spec, step)
        first = step.step_type == FIRST
        np.testing.assert_array_equal(step.first(), first)
        np.testing.assert_array_equal(step.mid(), step.step_type == MID)
        np.testing.assert_array_equal(step.last(), step.step_type == LAST)
        assert not step.reward[first].any(), "the reward of a first step is not 0"
        assert (step.discount[step.step_type != LAST] == 1.0).all()
        assert np.isin(step.discount, [0.0, 1.0]).all()
        np.testing.assert_array_equal(first, step.observation.elapsed_step == 0)
        return step

    def reset(self) -> Any:
        """Resets all environments."""
        step = self.check(self.pool.reset())
        assert (step.step_type == FIRST).all()
        return step

    def step(self, actions: Any) -> Any:
        """Steps all environments."""
        return self.check(self.pool.step(actions))


@check(every_id="long")
def specs_have_names_and_conform(task_id: str) -> None:
    """Specs have names, and those of a batch are those of the task with rows."""
    with make(task_id) as pool:
        step = pool.step_spec()
        assert step.step_type == pool.step_type_spec()
        assert step.reward == pool.reward_spec()
        assert step.discount == pool.discount_spec()
        flat = tree.flatten((step, pool.action_spec()))
        assert all(spec.name for spec in flat)
        # The names of specs in a dict of observations are its keys; an info may have the same name.
        obs, *others = step.observation
        for part in (obs, others):
            names = [spec.name for spec in tree.flatten(part)]
            assert len(set(names)) == len(names), f"two specs of one name: {sorted(names)}"
        for spec in flat:
            assert spec.shape[0] == NUM_ENVS
            if isinstance(spec, specs.BoundedArray):
                assert (spec.minimum <= spec.maximum).all()
        task = make_spec(task_id)
        row = tree.flatten(task.observation_spec())
        batch = tree.flatten(pool.observation_spec().obs)
        assert [spec.name for spec in row] == [spec.name for spec in batch]
        for one, many in zip(row, batch, strict=True):
            assert (many.shape, many.dtype) == ((NUM_ENVS, *one.shape), one.dtype)


@check(every_id="long")
def reset_twice_and_steps_after_it(task_id: str) -> None:
    """A reset may follow a reset."""
    checked = Checked(task_id)
    with checked.pool:
        for actions in Actions(task_id, 2, NUM_ENVS):
            checked.reset()
            assert (checked.step(actions).step_type != FIRST).all()


@check(every_id="long")
def a_step_of_a_new_pool_is_a_reset(task_id: str) -> None:
    """The first step of a new pool resets it and ignores its action."""
    checked, twin = Checked(task_id), Checked(task_id)
    with checked.pool, twin.pool:
        expected = twin.reset()
        one, two = Actions(task_id, 2, NUM_ENVS)
        step = checked.step(one)
        assert (step.step_type == FIRST).all()
        assert_equal(step.observation, expected.observation, "a first step and a reset")
        assert (checked.step(two).step_type != FIRST).all()


@check(every_id="long")
def first_after_last_and_only_there(task_id: str) -> None:
    """A first step follows each last step, and no other."""
    checked = Checked(task_id)
    with checked.pool:
        for _ in range(2):  # the second reset comes during episodes
            before = checked.reset()
            ends = np.zeros(NUM_ENVS, int)
            for actions in Actions(task_id, STEPS, NUM_ENVS):
                step = checked.step(actions)
                np.testing.assert_array_equal(step.first(), before.last())
                ends += step.last()
                before = step
            assert ends.min() >= STEPS // (SHORT + 1), f"episodes of each environment: {ends}"


@check(end=["minimum", "maximum"])
def bounds_of_actions_are_inclusive(task_id: str, end: str) -> None:
    """Actions at the bounds of the action space are accepted."""

    def bound_of(leaf: Any) -> Any:
        bound = getattr(leaf, end)
        if leaf.dtype.kind == "f":  # bounds may be infinite
            bound = np.clip(bound, -_WIDEST, _WIDEST)
        actions = np.broadcast_to(bound, leaf.shape).astype(leaf.dtype)
        leaf.validate(actions)
        return actions

    checked = Checked(task_id)
    with checked.pool:
        checked.reset()
        actions = tree.map_structure(bound_of, checked.pool.action_spec())
        for _ in range(SHORT + 2):
            checked.step(actions)


@check()
def time_steps_of_recv(task_id: str) -> None:
    """Time steps of `recv` conform as well."""
    actions = Actions(task_id, STEPS, NUM_ENVS)
    checked = Checked(task_id, batch_size=3)
    was_last = np.zeros(NUM_ENVS, bool)
    seen = np.zeros(NUM_ENVS, int)
    with checked.pool as pool:
        pool.async_reset()
        for _ in rounds_of_recv(STEPS, seen):
            step = checked.check(pool.recv(), rows=3)
            ids = step.observation.env_id
            np.testing.assert_array_equal(step.first(), was_last[ids] | (seen[ids] == 0))
            was_last[ids] = step.last()
            pool.send(actions[seen[ids] % STEPS, ids], ids)
            seen[ids] += 1
    assert seen.min() >= 1, f"steps of each environment: {seen}"


@check()
def without_autoreset_a_last_step_needs_a_reset(task_id: str) -> None:
    """In Disabled mode, a step after an episode's end is refused until a reset."""
    checked = Checked(task_id, autoreset_mode="Disabled")
    with checked.pool as pool:
        checked.reset()
        for actions in Actions(task_id, SHORT + 1, NUM_ENVS):
            step = checked.step(actions)
            if step.last().any():
                break
        expect(step.last().any(), f"no episode ended in {SHORT} steps")
        ended = np.flatnonzero(step.last())
        with raises(ResetNeededError, "a step after the end of an episode"):
            pool.step(actions)
        again = checked.check(pool.reset(ended), rows=len(ended))
        assert (again.step_type == FIRST).all()
        assert (checked.step(actions).step_type != FIRST).all()


@check(every_id="long")
def agrees_with_gymnasium(task_id: str) -> None:
    """Both APIs give the same numbers."""
    if make_spec(task_id).players is not None:
        raise NotApplicableError("it has players: players.agrees_with_dm checks that")
    actions = Actions(task_id, episodes.STEPS, episodes.NUM_ENVS)
    with episodes.make(task_id) as pool, episodes.make(task_id, env_type="dm") as dm_pool:
        space = pool.single_observation_space
        step = dm_pool.reset()
        first = with_characters(space, pool.reset()[0])
        assert_equal(step.observation.obs, first, "resets of both APIs")
        assert (step.step_type == FIRST).all()
        for each in actions:
            result = pool.step(each)
            step = dm_pool.step(each)
            observations, rewards, terminated, truncated, infos = result
            same = with_characters(space, observations)
            assert_equal(step.observation.obs, same, "observations of both APIs")
            np.testing.assert_array_equal(step.reward, rewards)
            np.testing.assert_array_equal(step.discount, np.where(terminated, 0.0, 1.0))
            np.testing.assert_array_equal(step.step_type == LAST, terminated | truncated)
            np.testing.assert_array_equal(step.step_type == FIRST, infos["elapsed_step"] == 0)
            np.testing.assert_array_equal(step.observation.elapsed_step, infos["elapsed_step"])
