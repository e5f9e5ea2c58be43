"""`make(..., step_timeout=)`: a step that does not end fails its environment and nothing else."""

from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InputError, InputTypeError

N = 4
LIMIT = 0.06  # seconds
PATIENT = 1000.0
FAST, STUCK = 0, 1  # actions of Testing/Gate-v0: 1 waits at gate 1
WAITS = [
    "Testing/MultiField-v0",
    "Testing/BoxAction-v0",
    "Testing/MultiDiscreteAction-v0",
    "Testing/Seeded-v0",
    "Testing/Picture-v0",
    "Testing/Heavy-v0",
]
"""Tasks that are watched, because their classes do not say that they never wait."""


@pytest.fixture
def gates(testing: Any) -> Iterator[Any]:
    """The test environments; all steps that still wait at gate 1 or 2 go on after the test."""
    testing.close_gate(1)
    testing.close_gate(2)
    overlaps = testing.overlaps()
    yield testing
    testing.open_gate(1)
    testing.open_gate(2)
    assert testing.await_gate_waiting(0)
    assert testing.overlaps() == overlaps


def gate_pool(**arguments: Any) -> Any:
    settings = {"num_envs": N, "num_threads": 2, "seed": 5, "step_timeout": LIMIT}
    return envpool_py.make("Testing/Gate-v0", **{**settings, **arguments})


def pair_of(task: str, **arguments: Any) -> tuple[Any, Any]:
    """Two pools, of which one is watched."""
    options = {"num_envs": N, "num_threads": 2, "seed": 3, **arguments}
    return envpool_py.make(task, step_timeout=PATIENT, **options), envpool_py.make(task, **options)


def actions_of(pool: Any, steps: int) -> list[Any]:
    pool.action_space.seed(7)
    return [pool.action_space.sample() for _ in range(steps)]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("task", WAITS)
def test_results_are_those_of_other_pools(
    testing: Any, assert_equal: Callable[..., None], task: str, mode: str
) -> None:
    ours, other = pair_of(
        task,
        autoreset_mode=mode,
        max_episode_steps=6,
        record_episode_statistics=True,
        on_error="reset",
        max_failures=1000,  # an action of Testing/Seeded-v0 throws
    )

    def both(call: Callable[[Any], Any]) -> Any:
        left, right = call(ours), call(other)
        for infos in (left[-1], right[-1]):
            for each in (infos, infos.get("final_info", {})):
                each.get("episode", {}).pop("t", None)
        assert_equal(left, right)
        return left

    with ours, other:
        both(lambda pool: pool.reset())
        for k, actions in enumerate(actions_of(ours, 20)):
            result = both(lambda pool, actions=actions: pool.step(actions))
            ended = result[2] | result[3]
            if mode == "Disabled" and ended.any():
                both(lambda pool, ended=ended: pool.reset(options={"reset_mask": ended}))
            if k == 9:
                both(lambda pool: pool.reset(seed=[None, 8, None, 9]))
        if mode != "Disabled":
            first_two = actions_of(ours, 1)[0][:2]
            both(lambda pool: pool.step(first_two, [2, 0]))
            both(lambda pool: pool.reset([3, 1]))
        ours.async_reset()
        other.async_reset()
        both(lambda pool: pool.recv())


def test_first_ready_results_are_those_of_other_pools(testing: Any) -> None:
    def trajectories(pool: Any) -> dict[int, list[Any]]:
        found: dict[int, list[Any]] = {env: [] for env in range(N)}
        pool.async_reset()
        while min(map(len, found.values())) < 30:
            obs, rewards, terminated, truncated, infos = pool.recv()
            for row, env in enumerate(infos["env_id"]):
                found[int(env)].append((*obs[row], rewards[row], terminated[row], truncated[row]))
            pool.send(infos["elapsed_step"] % 2, infos["env_id"])
        return {env: rows[:30] for env, rows in found.items()}

    with_limit, without = pair_of("Testing/Heavy-v0", batch_size=2, work=1000, episode_length=9)
    with with_limit, without:
        assert trajectories(with_limit) == trajectories(without)


def test_states_pictures_and_runs(
    testing: Any, assert_equal: Callable[..., None], tmp_path: Path
) -> None:
    if importlib.util.find_spec("procgen") is None:
        pytest.skip("needs a Procgen package, whose environments are watched and save states")
    ours, other = pair_of("CoinrunEasy-v0")
    with ours, other:
        ours.reset()
        other.reset()
        for actions in actions_of(ours, 5):
            assert_equal(ours.step(actions), other.step(actions))
        states = ours.save_states()
        assert states == other.save_states()
        later = actions_of(ours, 5)
        expected = tuple(ours.step(actions) for actions in later)
        ours.save(tmp_path / "run")
        assert_equal(ours.load_states(states)[0], other.load_states(states)[0])
        assert_equal(tuple(ours.step(actions) for actions in later), expected)
        loaded, _ = envpool_py.load(tmp_path / "run")
        with loaded:
            assert loaded.step(later[0])[0].tolist() == ours.step(later[0])[0].tolist()
    ours, other = pair_of("Testing/Picture-v0", render_mode="rgb_array")
    with ours, other:
        for pool in (ours, other):
            pool.reset()
            pool.step(np.zeros(N, int))
        assert_equal(ours.render(), other.render())


def test_the_other_rows_are_delivered(gates: Any) -> None:
    with gate_pool() as pool:
        pool.reset()
        pool.step(np.full(N, FAST))
        with pytest.raises(EnvironmentFailedError) as raised:
            pool.step(np.array([FAST, FAST, STUCK, FAST]))
        assert raised.value.env_ids == [2]
        assert (
            "step 2 of its episode has taken longer than step_timeout=0.06 seconds, seed 7"
            in str(raised.value)
        )
        obs, _, _, _, infos = raised.value.batch
        assert obs[:, 0].tolist() == [2, 2, 0, 2]
        assert infos["elapsed_step"].tolist() == [2, 2, 1, 2]
        assert pool.step(np.full(3, FAST), [0, 1, 3])[0][:, 0].tolist() == [3, 3, 3]
        assert pool.health()["state"].tolist() == ["idle", "idle", "failed", "idle"]
        assert pool.reset([2])[0].tolist() == [[0]]
        assert pool.step(np.full(N, FAST))[0][:, 0].tolist() == [4, 4, 1, 4]
        assert gates.gate_instances() == N + 1
        gates.open_gate(1)
        assert gates.await_gate_waiting(0)
        assert pool.step(np.full(N, STUCK))[0][:, 0].tolist() == [5, 5, 2, 5]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_on_error_reset(
    gates: Any, caplog: pytest.LogCaptureFixture, mode: str, threads: int
) -> None:
    with (
        caplog.at_level(logging.WARNING, "envpool_py"),
        gate_pool(num_threads=threads, autoreset_mode=mode, on_error="reset") as pool,
    ):
        pool.reset()
        for k in range(1, 4):
            obs, _, terminated, truncated, infos = pool.step(np.array([FAST, STUCK, STUCK, FAST]))
            assert infos["_error"].tolist() == [False, True, True, False]
            assert truncated.tolist() == [False, True, True, False]
            assert not terminated.any()
            assert obs[:, 0].tolist() == [2 * k - 1, 0, 0, 2 * k - 1]
            obs, *_, infos = pool.step(np.full(N, FAST))  # new environments
            assert "error" not in infos
            assert obs[:, 0].tolist() == [2 * k, 0, 0, 2 * k]
        assert pool.health()["failures"].tolist() == [0, 3, 3, 0]
    assert "environment 1 (seed 6) failed: step 1 of its episode" in caplog.messages[0]


def test_first_ready(gates: Any) -> None:
    with gate_pool(batch_size=2, on_error="reset") as pool:
        pool.async_reset()
        rows = np.zeros(N, int)
        errors: list[int] = []
        while not errors or rows.min() < 5:
            _, _, _, _, infos = pool.recv()
            ids = infos["env_id"]
            rows[ids] += 1
            errors += ids[infos.get("_error", np.zeros(2, bool))].tolist()
            pool.send(np.where((ids == 3) & (rows[ids] == 3), STUCK, FAST), ids)
        assert errors == [3]


def test_options_of_environments(gates: Any) -> None:
    """A new environment has the options that the old one had, or those that were set since."""
    options = [{"reset_gate": 0}, {"reset_gate": 0, "work": 1}, {"reset_gate": 0}]
    with gate_pool(num_envs=3, env_options=options, on_error="reset") as pool:
        pool.reset()
        pool.step(np.array([FAST, STUCK, FAST]))
        assert pool.get_env_options()[1]["work"] == 1
        pool.step(np.full(3, FAST))
        assert pool.get_env_options()[1]["work"] == 1
        pool.set_env_options([{"reset_gate": 2}], [1])
        pool.step(np.array([FAST, STUCK, FAST]))
        with pytest.raises(EnvironmentFailedError, match="its reset has taken longer"):
            pool.reset([1])
        gates.open_gate(2)
        assert gates.await_gate_waiting(2)  # the two steps at gate 1
        pool.reset([1])
        assert pool.get_env_options()[1]["reset_gate"] == 2
        assert pool.step(np.full(3, FAST))[0][:, 0].tolist() == [4, 1, 4]


def test_several_tasks_and_checked_outputs(gates: Any) -> None:
    for arguments in ({}, {"check_outputs": True}):
        with envpool_py.make(
            ["Testing/Gate-v0", "Testing/Gate-v0"],
            num_envs=N,
            step_timeout=LIMIT,
            on_error="reset",
            **arguments,
        ) as pool:
            pool.reset()
            _, _, _, truncated, infos = pool.step(np.array([FAST, STUCK, FAST, STUCK]))
            assert truncated.tolist() == [False, True, False, True]
            assert infos["_error"].tolist() == [False, True, False, True]
            obs, *_, infos = pool.step(np.full(N, FAST))
            assert obs[:, 0].tolist() == [2, 0, 2, 0]
            assert infos["task"].tolist() == [0, 0, 1, 1]
            assert pool.step(np.full(N, FAST))[0][:, 0].tolist() == [3, 1, 3, 1]


def test_closing_does_not_wait(gates: Any) -> None:
    pool = gate_pool()
    pool.reset()
    pool.send(np.array([STUCK, FAST, STUCK, FAST]))
    assert gates.await_gate_waiting(2)
    pool.close()
    assert gates.gate_waiting() == 2
    gates.open_gate(1)


def test_a_program_with_a_stuck_step_ends(testing: Any) -> None:
    program = """
        import numpy as np, envpool_py, envpool_py._testing
        pool = envpool_py.make("Testing/Gate-v0", num_envs=4, step_timeout=0.06, on_error="reset")
        pool.reset()
        pool.step(np.array([0, 1, 0, 0]))
        print(pool.step(np.zeros(4, int))[0][:, 0].tolist())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.strip() == "[2, 0, 2, 2]"


def test_tasks_that_never_wait_are_not_watched(assert_equal: Callable[..., None]) -> None:
    ours, other = pair_of("CartPole-v1")
    with ours, other:
        ours.reset()
        other.reset()
        assert_equal(ours.step(np.zeros(N, int)), other.step(np.zeros(N, int)))


def test_bad_arguments(testing: Any) -> None:
    with pytest.raises(InputError, match="step_timeout: expected None or seconds greater than 0"):
        envpool_py.make("CartPole-v1", step_timeout=0)
    with pytest.raises(InputTypeError, match="step_timeout: expected None or seconds as a number"):
        envpool_py.make("CartPole-v1", step_timeout="1")
    with (
        gate_pool() as pool,
        pytest.raises(InputError, match="it has a step_timeout"),
        pool.profile(),
    ):
        pass
