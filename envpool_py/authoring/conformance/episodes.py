"""Checks that every way of stepping gives the same episodes, in the three autoreset modes.

The oracle is a pool without autoreset whose environments are stepped and reset one event at a time;
every other way of stepping must give each environment the same events.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from envpool_py.authoring.conformance.kit import NotApplicableError, check, expect
from envpool_py.authoring.conformance.pools import make as make_pool
from envpool_py.authoring.conformance.values import Actions, assert_equal, info_row, row
from envpool_py.tasks.spec import make_spec

__all__ = [
    "NUM_ENVS",
    "STEPS",
    "Event",
    "assert_prefix",
    "default_step_limit",
    "make",
    "next_step",
    "one_at_a_time",
    "reset_by_mask_or_id_leaves_the_others",
    "reset_event",
    "same_step",
    "send_and_recv",
    "step_event",
    "steps_of_subsets",
]

NUM_ENVS = 7
STEPS = 40
SHORT = 8  # longest episode, in steps


class Event(NamedTuple):
    """One reset or step of an environment, as digests and numbers that can be compared."""

    kind: str  # "reset" or "step"
    observation: bytes
    infos: bytes
    reward: float = 0.0
    terminated: bool = False
    truncated: bool = False
    elapsed: int = 0


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool of short episodes."""
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": 40,
        **arguments,
    }
    return make_pool(task_id, **arguments)


def _digest(parts: Iterable[bytes]) -> bytes:
    """Returns a short digest, so that all events of a task can be kept."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _digests(observations: Any, infos: dict[str, Any], index: int) -> tuple[bytes, bytes]:
    said = info_row(infos, index)
    return (
        _digest(row(observations, index)),
        _digest(part for name, value in said for part in (name.encode(), value)),
    )


def step_event(result: tuple[Any, ...], index: int) -> Event:
    """Returns the event of a row of a step's result."""
    observations, rewards, terminated, truncated, infos = result
    return Event(
        "step",
        *_digests(observations, infos, index),
        float(rewards[index]),
        bool(terminated[index]),
        bool(truncated[index]),
        int(infos["elapsed_step"][index]),
    )


def reset_event(observations: Any, infos: dict[str, Any], index: int) -> Event:
    """Returns the event of a row of a reset's result."""
    return Event("reset", *_digests(observations, infos, index))


@functools.lru_cache(maxsize=256)
def oracle(task_id: str) -> list[list[Event]]:
    """Returns the events of every environment, each with its own stream of actions.

    The result is cached, because all checks of a task use the same events.
    """
    actions = Actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    with make(task_id, autoreset_mode="Disabled", num_threads=1) as pool:
        for env in range(NUM_ENVS):
            needs_reset = True
            for step in range(STEPS):
                if needs_reset:
                    observations, infos = pool.reset([env])
                    assert infos["elapsed_step"][0] == 0
                    events[env].append(reset_event(observations, infos, 0))
                event = step_event(pool.step(actions[step, env : env + 1], [env]), 0)
                events[env].append(event)
                needs_reset = event.terminated or event.truncated
    return events


def assert_prefix(mine: list[list[Event]], theirs: list[list[Event]], least: int) -> None:
    """Asserts that each environment's events agree to the end of the shorter list.

    Each list has at least `least` events.
    """
    for env, (left, right) in enumerate(zip(mine, theirs, strict=True)):
        count = min(len(left), len(right))
        expect(count >= least, f"environment {env}: {count} events, expected at least {least}")
        for number, (a, b) in enumerate(zip(left[:count], right[:count], strict=True)):
            if a == b:
                continue
            differing = [name for name in Event._fields if getattr(a, name) != getattr(b, name)]
            raise AssertionError(
                f"environment {env}, event {number}: {', '.join(differing)} differ from those of "
                f"the same environment stepped alone ({a.kind} with elapsed_step {a.elapsed}, "
                f"{b.kind} with {b.elapsed}); its results depend on something other than its seed "
                "and its actions, such as another environment, a thread or uninitialised memory"
            )


@check()
def one_at_a_time(task_id: str) -> None:
    """Elapsed steps count up, and the step limit truncates."""
    for env, events in enumerate(oracle(task_id)):
        elapsed = 0
        for event in events:
            if event.kind == "reset":
                elapsed = 0
                continue
            elapsed += 1
            assert event.elapsed == elapsed, f"environment {env}: elapsed_step {event.elapsed}"
            at_limit = elapsed == SHORT
            expect(
                event.truncated or not at_limit, f"environment {env} is not truncated at the limit"
            )
        assert sum(event.kind == "reset" for event in events) >= STEPS // SHORT


@check(num_threads=[1, 2, 7])
def next_step(task_id: str, num_threads: int) -> None:
    """NextStep mode gives the events of the oracle, on any number of threads."""
    with make(task_id, num_threads=num_threads) as pool:
        events = _run_next_step(pool, task_id)
    assert_prefix(events, oracle(task_id), STEPS // 2)


def _run_next_step(pool: Any, task_id: str) -> list[list[Event]]:
    actions = Actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    taken = np.zeros(NUM_ENVS, int)
    everyone = range(NUM_ENVS)
    observations, infos = pool.reset()
    for env in everyone:
        events[env].append(reset_event(observations, infos, env))
    ended = np.zeros(NUM_ENVS, bool)
    while taken.max() < STEPS:
        result = pool.step(actions[taken, everyone])
        _, rewards, terminated, truncated, infos = result
        for env in everyone:
            if ended[env]:  # this step reset it; the action was ignored
                events[env].append(reset_event(result[0], infos, env))
                assert rewards[env] == 0.0, f"the reward of a reset is {rewards[env]}"
                assert not terminated[env]
                assert not truncated[env]
                assert infos["elapsed_step"][env] == 0
            else:
                events[env].append(step_event(result, env))
                taken[env] += 1
        ended = terminated | truncated
    return events


@check(num_threads=[1, 2, 7])
def same_step(task_id: str, num_threads: int) -> None:
    """SameStep mode gives the events of the oracle, on any number of threads."""
    actions = Actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    with make(task_id, autoreset_mode="SameStep", num_threads=num_threads) as pool:
        observations, infos = pool.reset()
        for env in range(NUM_ENVS):
            events[env].append(reset_event(observations, infos, env))
        for step in range(STEPS):
            result = pool.step(actions[step])
            observations, rewards, terminated, truncated, infos = result
            ended = terminated | truncated
            for env in range(NUM_ENVS):
                if not ended[env]:
                    events[env].append(step_event(result, env))
                    continue
                assert infos["elapsed_step"][env] == 0
                # Without one, the step observes the next episode in the other modes, too.
                final_obs = infos["final_obs"] if infos["_final_obs"][env] else observations
                final = (final_obs, rewards, terminated, truncated, infos["final_info"])
                events[env].append(step_event(final, env))
                events[env].append(reset_event(observations, infos, env))
    assert_prefix(events, oracle(task_id), STEPS)


@check(every_id="long", batch_and_threads=[(1, 1), (3, 2), (2, 7), (7, 3)])
def send_and_recv(task_id: str, batch_and_threads: tuple[int, int]) -> None:
    """`send` and `recv` give the events of the oracle, for any batch size."""
    batch_size, num_threads = batch_and_threads
    actions = Actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    taken = np.zeros(NUM_ENVS, int)
    fresh = np.ones(NUM_ENVS, bool)
    with make(task_id, batch_size=batch_size, num_threads=num_threads) as pool:
        pool.async_reset()
        # The system schedules the threads, so an environment may finish rarely; but each of them
        # must finish a second event in the end.
        while taken.max() < STEPS or min(map(len, events)) < 2:
            assert taken.max() < 10_000 * STEPS, "an environment starves"
            result = pool.recv()
            ids = result[4]["env_id"]
            _append(events, result, fresh, taken)
            pool.send(actions[taken[ids] % STEPS, ids], ids)
    assert_prefix(events, oracle(task_id), 2)


def _append(events: list[list[Event]], result: tuple[Any, ...], fresh: Any, taken: Any) -> None:
    """Appends the events of a result.

    `fresh` marks the environments whose next result is a reset. `taken` counts their steps. Both
    are updated.
    """
    for index, env in enumerate(result[4]["env_id"]):
        if fresh[env]:
            events[env].append(reset_event(result[0], result[4], index))
        else:
            events[env].append(step_event(result, index))
            taken[env] += 1
        fresh[env] = result[2][index] or result[3][index]


@check(every_id="long")
def steps_of_subsets(task_id: str) -> None:
    """Steps of any subset, in any order, give the events of the oracle."""
    rng = np.random.default_rng(5)
    actions = Actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    taken = np.zeros(NUM_ENVS, int)
    fresh = np.zeros(NUM_ENVS, bool)
    with make(task_id, num_threads=3) as pool:
        observations, infos = pool.reset()
        for env in range(NUM_ENVS):
            events[env].append(reset_event(observations, infos, env))
        while taken.max() < STEPS:
            ids = rng.permutation(NUM_ENVS)[: rng.integers(1, NUM_ENVS, endpoint=True)]
            result = pool.step(actions[taken[ids], ids], ids)
            np.testing.assert_array_equal(result[4]["env_id"], ids)
            _append(events, result, fresh, taken)
    assert_prefix(events, oracle(task_id), STEPS // 4)


@check()
def default_step_limit(task_id: str) -> None:
    """The task's own step limit truncates."""
    limit = make_spec(task_id).max_episode_steps
    if limit is None or limit > 1000:
        raise NotApplicableError("no limit that is reached quickly")
    with make(task_id, num_envs=2, max_episode_steps=None, autoreset_mode="SameStep") as pool:
        pool.reset()
        for actions in Actions(task_id, limit + 5, 2):
            _, _, terminated, truncated, infos = pool.step(actions)
            ended = terminated | truncated
            if ended.any():
                lengths = infos["final_info"]["elapsed_step"]
                assert truncated[lengths == limit].all(), "no truncation at the step limit"
                assert (lengths[ended] <= limit).all(), f"an episode of {lengths.max()} steps"
            assert infos["elapsed_step"].max() < limit


@check(every_id="long")
def reset_by_mask_or_id_leaves_the_others(task_id: str) -> None:
    """A reset of some environments, by mask or ids, does not touch the others."""
    actions = Actions(task_id, STEPS, NUM_ENVS)
    mask = np.arange(NUM_ENVS) % 3 == 0
    chosen, others = np.flatnonzero(mask), np.flatnonzero(~mask)
    with (
        make(task_id, autoreset_mode="Disabled", max_episode_steps=-1) as by_mask,
        make(task_id, autoreset_mode="Disabled", max_episode_steps=-1) as by_id,
        make(task_id, autoreset_mode="Disabled", max_episode_steps=-1) as untouched,
    ):
        pools = (by_mask, by_id, untouched)
        for pool in pools:
            pool.reset()
            results = pool.step(actions[0])
        if (results[2] | results[3]).any():
            raise NotApplicableError("its first step can end an episode")
        masked, masked_infos = by_mask.reset(options={"reset_mask": mask})
        some, some_infos = by_id.reset(chosen)
        np.testing.assert_array_equal(masked_infos["env_id"], np.arange(NUM_ENVS))
        np.testing.assert_array_equal(some_infos["env_id"], chosen)
        for index, env in enumerate(chosen):
            assert row(masked, env) == row(some, index), f"environment {env}: mask and id differ"
            assert info_row(masked_infos, env) == info_row(some_infos, index)
            assert masked_infos["elapsed_step"][env] == 0
        for env in others:
            expect(
                row(masked, env) == row(results[0], env),
                f"environment {env}: a reset of others changed its observation",
            )
            assert masked_infos["elapsed_step"][env] == 1
        second = [pool.step(actions[1]) for pool in pools]
        assert_equal(second[0], second[1], "steps after a reset by mask and by ids")
        for env in others:
            expect(
                row(second[0][:4], env) == row(second[2][:4], env),
                f"environment {env}: a reset of others changed its next step",
            )
