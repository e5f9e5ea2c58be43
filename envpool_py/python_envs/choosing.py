"""Chooses the number of worker processes by measuring an environment."""

from __future__ import annotations

import copy
import math
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from envpool_py.pool import core

__all__ = [
    "StepCost",
    "choose_num_workers",
    "measure_step",
    "num_processors",
    "num_workers_for",
    "seconds_without_processor",
]

# Additional time of a batch if workers step it: they and the caller must be woken. Measured on two
# processors of 2.5 GHz.
_HANDING_OVER_SECONDS = 40e-6
# Environments that wait benefit from more processes than processors, up to this many. The limit
# exists because each process needs tens of megabytes.
_MOST_PER_PROCESSOR = 32
# The measurement ends after this time or this many steps.
_LONGEST_SECONDS = 0.05
_MOST_STEPS = 200

Clock = Callable[[], float]


@dataclass(frozen=True)
class StepCost:
    """The mean cost of a step of an environment.

    Attributes:
        seconds: duration, without the time in which the step waits for a processor that other
            programs use.
        processor_seconds: processor time. Much less than `seconds` if the step waits, for example
            for the network or for another process.
    """

    seconds: float
    processor_seconds: float


def choose_num_workers(env: gymnasium.Env[Any, Any], num_envs: int) -> int:
    """Returns the number of workers for `num_envs` environments like this one.

    Steps the environment with random actions, and does not reset it afterwards. The generators of
    `random` and `numpy.random` continue as if no environment had used them.
    """
    states = random.getstate(), np.random.get_state()
    try:
        return num_workers_for(measure_step(env), num_envs, num_processors())
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


def num_processors() -> int:
    """Returns the number of processors that this process may use.

    It is also the default number of threads of a pool: the number of processors, or the CPU quota
    of the control group, rounded down, if that is smaller.
    """
    number: int = core.system_info()["default_num_threads"]
    return number


def num_workers_for(cost: StepCost, num_envs: int, processors: int) -> int:
    """Returns the number of workers expected to be fastest; 0: the calling thread steps."""
    if cost.seconds <= 0.0:
        return 0
    # Each worker uses a processor for this share of the time. `max_workers` of them use all
    # processors.
    share = min(max(cost.processor_seconds / cost.seconds, 0.01), 1.0)
    max_workers = min(num_envs, math.ceil(processors / share), _MOST_PER_PROCESSOR * processors)
    if share > 0.75:  # the environment does not wait; the difference from 1 is noise
        max_workers = min(num_envs, processors)
    alone = cost.seconds * num_envs
    shared = cost.seconds * math.ceil(num_envs / max_workers) + _HANDING_OVER_SECONDS
    return max_workers if max_workers > 1 and shared < alone else 0


def seconds_without_processor() -> float:
    """Returns the total time that this thread was runnable but not running; 0.0 if unknown."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return 0.0


def measure_step(
    env: gymnasium.Env[Any, Any],
    clock: Clock = time.perf_counter,
    processor_clock: Clock = time.process_time,
    delay_clock: Clock = seconds_without_processor,
) -> StepCost:
    """Measures steps with random actions, resets included."""
    # A copy: the pool uses the environment's own space, whose generator belongs to the user.
    actions = copy.deepcopy(env.action_space)
    actions.seed(0)
    env.reset()
    env.step(actions.sample())  # the first steps may compile or load something
    start = clock()
    delayed = delay_clock()
    seconds = processor_seconds = 0.0
    steps = 0
    ended = True
    while steps < _MOST_STEPS and clock() - start < _LONGEST_SECONDS:
        action = actions.sample()
        processor_began, began = processor_clock(), clock()
        if ended:
            env.reset()
        result: Any = env.step(action)
        if not isinstance(result, tuple) or len(result) != 5:
            break  # the pool's first step fails, and says why
        ended = bool(result[2] or result[3])
        seconds += clock() - began
        processor_seconds += processor_clock() - processor_began
        steps += 1
    # Without this correction, an environment that computes would seem to wait if other programs
    # run.
    seconds = max(seconds - (delay_clock() - delayed), processor_seconds)
    return StepCost(seconds / max(steps, 1), processor_seconds / max(steps, 1))
