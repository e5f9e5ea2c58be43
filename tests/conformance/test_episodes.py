"""Every id: the same episodes however they are stepped, and the three autoreset modes.

The oracle is a pool without autoreset whose environments are stepped and reset one event at a
time; every other way of stepping must give each environment the same events.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import envpool_py

NUM_ENVS = 7
STEPS = 60
SHORT = 8  # longest episode, in steps

# One event of an environment: ("reset", observation, infos) or
# ("step", observation, infos, reward, terminated, truncated, elapsed steps).
Event = tuple[Any, ...]


def make(task_id: str, **arguments: Any) -> Any:
    arguments = {
        "num_envs": NUM_ENVS,
        "num_threads": 2,
        "max_episode_steps": SHORT,
        "seed": 40,
        **arguments,
    }
    return envpool_py.make(task_id, **arguments)


def step_event(result: tuple[Any, ...], row: int, tools: SimpleNamespace) -> Event:
    observations, rewards, terminated, truncated, infos = result
    return (
        "step",
        tools.row(observations, row),
        tools.info_row(infos, row),
        float(rewards[row]),
        bool(terminated[row]),
        bool(truncated[row]),
        int(infos["elapsed_step"][row]),
    )


def reset_event(
    observations: Any, infos: dict[str, Any], row: int, tools: SimpleNamespace
) -> Event:
    return ("reset", tools.row(observations, row), tools.info_row(infos, row))


def oracle(task_id: str, tools: SimpleNamespace, **arguments: Any) -> list[list[Event]]:
    """Returns the events of every environment, each with its own stream of actions."""
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    with make(task_id, autoreset_mode="Disabled", num_threads=1, **arguments) as pool:
        for env in range(NUM_ENVS):
            needs_reset = True
            for step in range(STEPS):
                if needs_reset:
                    observations, infos = pool.reset([env])
                    assert infos["elapsed_step"][0] == 0
                    events[env].append(reset_event(observations, infos, 0, tools))
                event = step_event(pool.step(actions[step, env : env + 1], [env]), 0, tools)
                events[env].append(event)
                needs_reset = event[4] or event[5]
    return events


def assert_prefix(mine: list[list[Event]], theirs: list[list[Event]], least: int) -> None:
    for env, (left, right) in enumerate(zip(mine, theirs, strict=True)):
        count = min(len(left), len(right))
        assert count >= least
        assert left[:count] == right[:count], f"environment {env}"


def test_oracle_has_what_it_should(task_id: str, tools: SimpleNamespace) -> None:
    for events in oracle(task_id, tools):
        elapsed = 0
        for event in events:
            if event[0] == "reset":
                elapsed = 0
                continue
            elapsed += 1
            assert event[6] == elapsed
            assert event[5] == (elapsed == SHORT)  # truncated exactly at the limit
        assert sum(event[0] == "reset" for event in events) >= STEPS // SHORT


def run_next_step(pool: Any, task_id: str, tools: SimpleNamespace) -> list[list[Event]]:
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    taken = np.zeros(NUM_ENVS, int)
    everyone = range(NUM_ENVS)
    observations, infos = pool.reset()
    for env in everyone:
        events[env].append(reset_event(observations, infos, env, tools))
    ended = np.zeros(NUM_ENVS, bool)
    while taken.max() < STEPS:
        result = pool.step(actions[taken, everyone])
        _, rewards, terminated, truncated, infos = result
        for env in everyone:
            if ended[env]:  # this step reset it; the action was ignored
                events[env].append(reset_event(result[0], infos, env, tools))
                assert rewards[env] == 0.0
                assert not terminated[env]
                assert not truncated[env]
                assert infos["elapsed_step"][env] == 0
            else:
                events[env].append(step_event(result, env, tools))
                taken[env] += 1
        ended = terminated | truncated
    return events


@pytest.mark.parametrize("num_threads", [1, 2, 7])
def test_next_step(task_id: str, num_threads: int, tools: SimpleNamespace) -> None:
    with make(task_id, num_threads=num_threads) as pool:
        events = run_next_step(pool, task_id, tools)
    assert_prefix(events, oracle(task_id, tools), STEPS // 2)


@pytest.mark.parametrize("num_threads", [1, 2, 7])
def test_same_step(task_id: str, num_threads: int, tools: SimpleNamespace) -> None:
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    with make(task_id, autoreset_mode="SameStep", num_threads=num_threads) as pool:
        observations, infos = pool.reset()
        for env in range(NUM_ENVS):
            events[env].append(reset_event(observations, infos, env, tools))
        for step in range(STEPS):
            result = pool.step(actions[step])
            observations, rewards, terminated, truncated, infos = result
            ended = terminated | truncated
            for env in range(NUM_ENVS):
                if not ended[env]:
                    events[env].append(step_event(result, env, tools))
                    continue
                assert infos["elapsed_step"][env] == 0
                final = (infos["final_obs"], rewards, terminated, truncated, infos["final_info"])
                events[env].append(step_event(final, env, tools))
                events[env].append(reset_event(observations, infos, env, tools))
    assert_prefix(events, oracle(task_id, tools), STEPS)


@pytest.mark.every_id
@pytest.mark.parametrize(("batch_size", "num_threads"), [(1, 1), (3, 2), (2, 7), (7, 3)])
def test_send_and_recv(
    task_id: str, batch_size: int, num_threads: int, tools: SimpleNamespace
) -> None:
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    taken = np.zeros(NUM_ENVS, int)
    fresh = np.ones(NUM_ENVS, bool)
    with make(task_id, batch_size=batch_size, num_threads=num_threads) as pool:
        pool.async_reset()
        # How often each comes is up to the system, which may stop a thread that steps one; in the
        # end each does.
        while taken.max() < STEPS or min(map(len, events)) < 2:
            assert taken.max() < 10_000 * STEPS, "an environment starves"
            result = pool.recv()
            ids = result[4]["env_id"]
            for row, env in enumerate(ids):
                if fresh[env]:
                    events[env].append(reset_event(result[0], result[4], row, tools))
                else:
                    events[env].append(step_event(result, row, tools))
                    taken[env] += 1
                fresh[env] = result[2][row] or result[3][row]
            pool.send(actions[taken[ids] % STEPS, ids], ids)
    assert_prefix(events, oracle(task_id, tools), 2)


@pytest.mark.every_id
def test_steps_of_subsets(task_id: str, tools: SimpleNamespace) -> None:
    rng = np.random.default_rng(5)
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    events: list[list[Event]] = [[] for _ in range(NUM_ENVS)]
    taken = np.zeros(NUM_ENVS, int)
    fresh = np.zeros(NUM_ENVS, bool)
    with make(task_id, num_threads=3) as pool:
        observations, infos = pool.reset()
        for env in range(NUM_ENVS):
            events[env].append(reset_event(observations, infos, env, tools))
        while taken.max() < STEPS:
            ids = rng.permutation(NUM_ENVS)[: rng.integers(1, NUM_ENVS, endpoint=True)]
            result = pool.step(actions[taken[ids], ids], ids)
            np.testing.assert_array_equal(result[4]["env_id"], ids)
            for row, env in enumerate(ids):
                if fresh[env]:
                    events[env].append(reset_event(result[0], result[4], row, tools))
                else:
                    events[env].append(step_event(result, row, tools))
                    taken[env] += 1
                fresh[env] = result[2][row] or result[3][row]
    assert_prefix(events, oracle(task_id, tools), STEPS // 4)


def test_default_step_limit(task_id: str, tools: SimpleNamespace) -> None:
    limit = envpool_py.make_spec(task_id).max_episode_steps
    if limit is None or limit > 1000:
        pytest.skip("no limit that is reached quickly")
    with make(task_id, max_episode_steps=None, autoreset_mode="SameStep") as pool:
        pool.reset()
        for actions in tools.actions(task_id, limit + 5, NUM_ENVS):
            _, _, terminated, truncated, infos = pool.step(actions)
            ended = terminated | truncated
            if ended.any():
                lengths = infos["final_info"]["elapsed_step"]
                np.testing.assert_array_equal(truncated[ended], lengths[ended] == limit)
            assert infos["elapsed_step"].max() < limit


@pytest.mark.every_id
def test_one_seed_means_one_after_the_other(task_id: str, tools: SimpleNamespace) -> None:
    with make(task_id, seed=None) as pool:
        one = pool.reset(seed=123)
        tools.assert_equal(pool.reset(seed=[123 + env for env in range(NUM_ENVS)]), one)
        for env in range(NUM_ENVS):
            alone = pool.reset([env], seed=[123 + env])
            assert tools.row(alone[0], 0) == tools.row(one[0], env)
    with make(task_id, seed=123) as pool:
        tools.assert_equal(pool.reset(), one)
    with make(task_id, num_envs=1, seed=123 + 4) as pool:
        assert tools.row(pool.reset()[0], 0) == tools.row(one[0], 4)


@pytest.mark.every_id
def test_same_seed_same_future(task_id: str, tools: SimpleNamespace) -> None:
    actions = tools.actions(task_id, 2 * STEPS, NUM_ENVS)
    with make(task_id, num_threads=1) as pool, make(task_id, num_threads=4) as twin:
        pool.reset()
        for step in range(11):  # an episode that nobody remembers
            pool.step(actions[step])
        tools.assert_equal(pool.reset(seed=7), twin.reset(seed=7))
        for step in range(STEPS):
            tools.assert_equal(pool.step(actions[step]), twin.step(actions[step]))


@pytest.mark.every_id
def test_reset_by_mask_or_id_leaves_the_others(task_id: str, tools: SimpleNamespace) -> None:
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
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
            pytest.skip("its first step can end an episode")
        masked, masked_infos = by_mask.reset(options={"reset_mask": mask})
        some, some_infos = by_id.reset(chosen)
        np.testing.assert_array_equal(masked_infos["env_id"], np.arange(NUM_ENVS))
        np.testing.assert_array_equal(some_infos["env_id"], chosen)
        for row, env in enumerate(chosen):
            assert tools.row(masked, env) == tools.row(some, row)
            assert tools.info_row(masked_infos, env) == tools.info_row(some_infos, row)
            assert masked_infos["elapsed_step"][env] == 0
        for env in others:
            assert tools.row(masked, env) == tools.row(results[0], env)
            assert masked_infos["elapsed_step"][env] == 1
        second = [pool.step(actions[1]) for pool in pools]
        tools.assert_equal(second[0], second[1])
        for env in others:
            assert tools.row(second[0][:4], env) == tools.row(second[2][:4], env)


@pytest.mark.every_id
def test_dm_api_agrees(task_id: str, tools: SimpleNamespace) -> None:
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    with make(task_id) as pool, make(task_id, env_type="dm") as dm_pool:
        step = dm_pool.reset()
        tools.assert_equal(step.observation.obs, pool.reset()[0])
        assert (step.step_type == 0).all()
        for each in actions:
            result = pool.step(each)
            step = dm_pool.step(each)
            observations, rewards, terminated, truncated, infos = result
            tools.assert_equal(step.observation.obs, observations)
            np.testing.assert_array_equal(step.reward, rewards)
            np.testing.assert_array_equal(step.discount, np.where(terminated, 0.0, 1.0))
            np.testing.assert_array_equal(step.step_type == 2, terminated | truncated)
            np.testing.assert_array_equal(step.step_type == 0, infos["elapsed_step"] == 0)
            np.testing.assert_array_equal(step.observation.elapsed_step, infos["elapsed_step"])
