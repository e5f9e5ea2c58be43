"""Every id: the contract of `dm_env.Environment`, as `dm_env.test_utils` checks it, in batches.

Two things that dm_env has for one environment have no place in a batch, whose rows are at different
points of their episodes: a first step's reward and discount are None there and 0.0 and 1.0 here,
and step types are integers.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import dm_env
import numpy as np
import pytest
import tree
from dm_env import specs

import envpool_py
from envpool_py.errors import ResetNeededError

NUM_ENVS = 4
STEPS = 30
SHORT = 6  # longest episode, in steps

FIRST, MID, LAST = (int(kind) for kind in dm_env.StepType)


def make(task_id: str, **arguments: Any) -> Any:
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": 11,
        **arguments,
    }
    return envpool_py.make_dm(task_id, **arguments)


def without_bounds(spec: specs.Array) -> specs.Array:
    return specs.Array(spec.shape, spec.dtype, spec.name)


def with_rows(spec: specs.Array, rows: int) -> specs.Array:
    if isinstance(spec, specs.BoundedArray):
        # The bounds are those of a row.
        return specs.BoundedArray(
            (rows, *spec.shape[1:]), spec.dtype, spec.minimum, spec.maximum, spec.name
        )
    return specs.Array((rows, *spec.shape[1:]), spec.dtype, spec.name)


class Checked:
    """A pool whose time steps are checked as they come."""

    def __init__(self, task_id: str, tools: SimpleNamespace, **arguments: Any) -> None:
        self.pool = make(task_id, **arguments)
        observation = self.pool.observation_spec()
        if task_id in tools.first_observation_outside:
            observation = tree.map_structure(without_bounds, observation)
        self.spec = self.pool.step_spec()._replace(observation=observation)

    def check(self, step: Any, rows: int = NUM_ENVS) -> Any:
        assert type(step) is dm_env.TimeStep
        spec = tree.map_structure(lambda each: with_rows(each, rows), self.spec)
        tree.assert_same_structure(step, spec)
        tree.map_structure(lambda each, value: each.validate(value), spec, step)
        first = step.step_type == FIRST
        np.testing.assert_array_equal(step.first(), first)
        np.testing.assert_array_equal(step.mid(), step.step_type == MID)
        np.testing.assert_array_equal(step.last(), step.step_type == LAST)
        assert not step.reward[first].any()
        assert (step.discount[step.step_type != LAST] == 1.0).all()
        assert np.isin(step.discount, [0.0, 1.0]).all()
        np.testing.assert_array_equal(first, step.observation.elapsed_step == 0)
        return step

    def reset(self) -> Any:
        step = self.check(self.pool.reset())
        assert (step.step_type == FIRST).all()
        return step

    def step(self, actions: Any) -> Any:
        return self.check(self.pool.step(actions))


@pytest.mark.every_id
def test_specs_have_names_and_conform(task_id: str) -> None:
    with make(task_id) as pool:
        step = pool.step_spec()
        assert step.step_type == pool.step_type_spec()
        assert step.reward == pool.reward_spec()
        assert step.discount == pool.discount_spec()
        leaves = tree.flatten((step, pool.action_spec()))
        assert all(spec.name for spec in leaves)
        names = [spec.name for spec in tree.flatten(step.observation)]
        assert len(set(names)) == len(names)
        for spec in leaves:
            assert spec.shape[0] == NUM_ENVS
            if isinstance(spec, specs.BoundedArray):
                assert (spec.minimum <= spec.maximum).all()
        task = envpool_py.make_spec(task_id)
        row = tree.flatten(task.observation_spec())
        batch = tree.flatten(pool.observation_spec().obs)
        assert [spec.name for spec in row] == [spec.name for spec in batch]
        for one, many in zip(row, batch, strict=True):
            assert (many.shape, many.dtype) == ((NUM_ENVS, *one.shape), one.dtype)


@pytest.mark.every_id
def test_reset_twice_and_steps_after_it(task_id: str, tools: SimpleNamespace) -> None:
    checked = Checked(task_id, tools)
    with checked.pool:
        for actions in tools.actions(task_id, 2, NUM_ENVS):
            checked.reset()
            assert (checked.step(actions).step_type != FIRST).all()


@pytest.mark.every_id
def test_a_step_of_a_new_pool_is_a_reset(task_id: str, tools: SimpleNamespace) -> None:
    checked, twin = Checked(task_id, tools), Checked(task_id, tools)
    with checked.pool, twin.pool:
        expected = twin.reset()
        one, two = tools.actions(task_id, 2, NUM_ENVS)
        step = checked.step(one)
        assert (step.step_type == FIRST).all()
        tools.assert_equal(step.observation, expected.observation)  # the action is ignored
        assert (checked.step(two).step_type != FIRST).all()


@pytest.mark.every_id
def test_first_after_last_and_only_there(task_id: str, tools: SimpleNamespace) -> None:
    checked = Checked(task_id, tools)
    with checked.pool:
        for _ in range(2):  # a reset in the midst of episodes as well
            before = checked.reset()
            ends = np.zeros(NUM_ENVS, int)
            for actions in tools.actions(task_id, STEPS, NUM_ENVS):
                step = checked.step(actions)
                np.testing.assert_array_equal(step.first(), before.last())
                ends += step.last()
                before = step
            assert ends.min() >= STEPS // (SHORT + 1)


@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_bounds_of_actions_are_inclusive(task_id: str, end: str, tools: SimpleNamespace) -> None:
    checked = Checked(task_id, tools)
    with checked.pool:
        checked.reset()
        spec = checked.pool.action_spec()

        def bound_of(leaf: Any) -> Any:
            bound = getattr(leaf, end)
            if leaf.dtype.kind == "f":  # there may be none
                bound = np.clip(bound, -1e6, 1e6)
            actions = np.broadcast_to(bound, leaf.shape).astype(leaf.dtype)
            leaf.validate(actions)
            return actions

        actions = tree.map_structure(bound_of, spec)
        for _ in range(SHORT + 2):
            checked.step(actions)


def test_time_steps_of_recv(task_id: str, tools: SimpleNamespace) -> None:
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    checked = Checked(task_id, tools, batch_size=3)
    was_last = np.zeros(NUM_ENVS, bool)
    seen = np.zeros(NUM_ENVS, int)
    with checked.pool as pool:
        pool.async_reset()
        for _ in range(STEPS):
            step = checked.check(pool.recv(), rows=3)
            ids = step.observation.env_id
            np.testing.assert_array_equal(step.first(), was_last[ids] | (seen[ids] == 0))
            was_last[ids] = step.last()
            pool.send(actions[seen[ids], ids], ids)
            seen[ids] += 1
    assert seen.min() >= 1


def test_without_autoreset_a_last_step_needs_a_reset(task_id: str, tools: SimpleNamespace) -> None:
    checked = Checked(task_id, tools, autoreset_mode="Disabled")
    with checked.pool as pool:
        checked.reset()
        for actions in tools.actions(task_id, SHORT + 1, NUM_ENVS):
            step = checked.step(actions)
            if step.last().any():
                break
        assert step.last().any()
        ended = np.flatnonzero(step.last())
        with pytest.raises(ResetNeededError):
            pool.step(actions)
        again = checked.check(pool.reset(ended), rows=len(ended))
        assert (again.step_type == FIRST).all()
        assert (checked.step(actions).step_type != FIRST).all()
