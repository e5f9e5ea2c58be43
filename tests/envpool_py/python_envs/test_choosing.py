"""The number of workers that a pool chooses."""

from __future__ import annotations

import sys
import time
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.pool import core
from envpool_py.python_envs import launching, workers
from envpool_py.python_envs.choosing import (
    StepCost,
    choose_num_workers,
    measure_step,
    num_workers_for,
    seconds_without_processor,
)
from envpool_py.python_envs.worker import WorkerJob

from ..at_once import needs_gil

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def computing(seconds: float) -> StepCost:
    return StepCost(seconds, seconds)


@pytest.mark.parametrize(
    ("cost", "num_envs", "processors", "expected"),
    [
        (computing(5e-6), 8, 2, 0),  # a batch takes less time than waking two processes
        (computing(5e-6), 64, 2, 2),
        (computing(0.3e-6), 64, 2, 0),
        (computing(1e-3), 1, 2, 0),
        (computing(1e-3), 3, 16, 3),
        (computing(1e-3), 64, 16, 16),
        (computing(1e-3), 64, 1, 0),
        (StepCost(1e-3, 0.8e-3), 64, 2, 2),  # another program was using the processor
        (StepCost(1e-3, 0.5e-3), 64, 2, 4),
        (StepCost(1e-3, 30e-6), 100, 2, 64),  # the environment mostly waits
        (StepCost(1e-3, 30e-6), 8, 1, 8),
        (StepCost(1e-3, 0.0), 1000, 4, 128),
        (StepCost(10e-6, 1e-6), 2, 2, 0),
        (StepCost(0.0, 0.0), 64, 2, 0),
    ],
)
def test_the_number(cost: StepCost, num_envs: int, processors: int, expected: int) -> None:
    assert num_workers_for(cost, num_envs, processors) == expected


class Timed(gymnasium.Env[Any, Any]):
    """Advances fake clocks: a step takes 2 us, 1 us of it on a processor, a reset 10 us."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self) -> None:
        self.now = self.used = 0.0
        self.steps = 0

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self.now += 10e-6
        self.used += 10e-6
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> Any:
        self.steps += 1
        self.now += 2e-6
        self.used += 1e-6
        return np.zeros(1, np.float32), 0.0, self.steps % 10 == 0, False, {}


def test_steps_and_resets_are_measured_with_both_clocks() -> None:
    env = Timed()
    cost = measure_step(env, lambda: env.now, lambda: env.used, lambda: 0.0)
    assert env.steps == 201
    # 200 steps and 21 resets: one at the start, one after each tenth step.
    assert cost.seconds == pytest.approx((200 * 2e-6 + 21 * 10e-6) / 200)
    assert cost.processor_seconds == pytest.approx((200 * 1e-6 + 21 * 10e-6) / 200)


def test_time_in_which_other_programs_had_the_processor_does_not_count() -> None:
    env = Timed()
    # Other programs take a fifth of the time that the environment is off the processor, and
    # then all of it.
    waits = measure_step(env, lambda: env.now, lambda: env.used, lambda: 0.2 * (env.now - env.used))
    assert waits.seconds == pytest.approx(waits.processor_seconds + 0.8e-6)
    env = Timed()
    computes = measure_step(env, lambda: env.now, lambda: env.used, lambda: env.now - env.used)
    assert computes.seconds == pytest.approx(computes.processor_seconds)
    assert seconds_without_processor() >= 0.0


def test_measuring_leaves_the_generator_of_the_actions_alone() -> None:
    env = Timed()
    env.action_space.seed(5)
    expected = [env.action_space.sample() for _ in range(50)]
    env.action_space.seed(5)
    measure_step(env, lambda: env.now, lambda: env.used, lambda: 0.0)
    assert [env.action_space.sample() for _ in range(50)] == expected


class Slow(Timed):
    """A step takes a millisecond of processor time."""

    def step(self, action: Any) -> Any:
        end = time.process_time() + 1e-3
        while time.process_time() < end:
            pass
        return super().step(action)


@needs_gil  # without one, threads step environments of this kind as fast
@pytest.mark.unsanitized
def test_the_cpu_quota_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the number of workers, and for whether they spin."""
    spin_seconds: list[float] = []

    def record(job: WorkerJob, memory_fd: int) -> Any:
        spin_seconds.append(job.spin_seconds)
        return launch(job, memory_fd)

    launch = launching.launcher_of("forkserver")
    monkeypatch.setattr(workers, "launcher_of", lambda method: record)
    for processors in (1, 2):
        info = {**core.system_info(), "default_num_threads": processors}
        monkeypatch.setattr(core, "system_info", lambda info=info: info)
        assert choose_num_workers(Slow(), 2) == (0 if processors == 1 else 2)
        envpool_py.make_python(Timed, 2, num_workers=1).close()
    assert spin_seconds[0] == 0.0
    assert spin_seconds[1] > 0.0


def test_a_pool_chooses() -> None:
    with envpool_py.make_python(Timed, 4) as pool:
        assert pool.num_workers == 0


def test_a_step_without_five_results_is_reported_by_the_pool() -> None:
    class Old(Timed):
        def step(self, action: Any) -> Any:
            return super().step(action)[:4]

    with envpool_py.make_python(Old, 2) as pool:
        pool.reset()
        with pytest.raises(envpool_py.EnvironmentFailedError, match="got a tuple of 4 items"):
            pool.step(np.zeros(2, int))
