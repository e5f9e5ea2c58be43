"""Checks that a loaded state continues like the saved one, for tasks that can save states."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool_py.authoring.conformance.episodes import (
    NUM_ENVS,
    STEPS,
    Event,
    make,
    reset_event,
    step_event,
)
from envpool_py.authoring.conformance.kit import NotApplicableError, check, expect
from envpool_py.authoring.conformance.values import Actions, row
from envpool_py.errors import StateError

__all__ = ["a_loaded_state_continues", "states_are_complete"]

_FIRST = 11  # steps before a state is saved, so that environments are in the middle of episodes


def _save(pool: Any) -> list[bytes]:
    try:
        return list(pool.save_states())
    except StateError as error:
        raise NotApplicableError("its class has no Save and Load") from error


def _advance(pool: Any, actions: Any, order: Any) -> list[list[Event]]:
    """Steps all environments with each batch of actions; returns the events of each."""
    events: list[list[Event]] = [[] for _ in order]
    ended = np.zeros(len(order), bool)
    for batch in actions:
        result = pool.step(batch)
        for index in range(len(order)):
            if ended[index] and pool.autoreset_mode.value == "NextStep":
                events[index].append(reset_event(result[0], result[4], index))
            else:
                events[index].append(step_event(result, index))
        ended = result[2] | result[3]
    return events


@check(every_id="long", mode=["NextStep", "SameStep"])
def a_loaded_state_continues(task_id: str, mode: str) -> None:
    """A state continues in another environment, also of another pool, as where it was saved."""
    actions = Actions(task_id, _FIRST + STEPS, NUM_ENVS)
    order = np.arange(NUM_ENVS)[::-1]
    with (
        make(task_id, autoreset_mode=mode) as pool,
        make(task_id, autoreset_mode=mode, seed=1000, num_threads=1) as other,
    ):
        pool.reset()
        for step in range(_FIRST):
            last = pool.step(actions[step])
        states = _save(pool)
        seen, _ = other.load_states([states[env] for env in order])
        for index, env in enumerate(order):
            expect(
                row(seen, index) == row(last[0], env),
                f"environment {env}: the observation of its loaded state differs",
            )
        later = range(_FIRST, _FIRST + STEPS)
        first = _advance(pool, (actions[step] for step in later), range(NUM_ENVS))
        there = _advance(other, (actions[step, order] for step in later), order)
        pool.load_states(states)
        again = _advance(pool, (actions[step] for step in later), range(NUM_ENVS))
    for env in range(NUM_ENVS):
        _assert_same(first[env], again[env], env, "in its own environment")
        _assert_same(first[env], there[order[env]], env, "in an environment of another pool")


def _assert_same(first: list[Event], second: list[Event], env: int, where: str) -> None:
    for number, (a, b) in enumerate(zip(first, second, strict=True)):
        differing = [name for name in Event._fields if getattr(a, name) != getattr(b, name)]
        expect(
            not differing,
            f"environment {env}, loaded {where}: {', '.join(differing)} of step {number + 1} after "
            "the state was saved differ from those without loading; Save or Load leaves something "
            "out",
        )


@check(every_id="long")
def states_are_complete(task_id: str) -> None:
    """Saving changes nothing, and saving a loaded state returns as many bytes."""
    with make(task_id) as pool, make(task_id, seed=77) as other:
        pool.reset()
        for actions in Actions(task_id, 5, NUM_ENVS):
            pool.step(actions)
        states = _save(pool)
        expect(_save(pool) == states, "two states of one environment, saved at once, differ")
        other.load_states(states)
        # The bytes may differ: those of padding have no value.
        sizes = [len(state) for state in states]
        expect(
            [len(state) for state in _save(other)] == sizes,
            "saving a loaded state returns another number of bytes",
        )
