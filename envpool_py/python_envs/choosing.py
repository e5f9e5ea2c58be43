"""How many worker processes are worthwhile, found by measuring."""

from __future__ import annotations

import os
import time
from typing import Any

import gymnasium

# Additional time per batch if workers step it: the caller wakes them, and they wake the caller.
# Measured on two processors of 2.5 GHz.
_HANDING_OVER_SECONDS = 40e-6
# The measurement ends after this time or this many steps.
_LONGEST_SECONDS = 0.05
_MOST_STEPS = 200


def choose_num_workers(env: gymnasium.Env[Any, Any], num_envs: int) -> int:
    """Returns the number of workers for `num_envs` environments like this one.

    Steps the environment with random actions, and does not reset it afterwards.
    """
    processors = len(os.sched_getaffinity(0))
    most = min(processors, num_envs)
    if most < 2 and _waits_never(env):
        return 0
    step_seconds = measure_step(env)
    alone = step_seconds * num_envs
    shared = alone / most + _HANDING_OVER_SECONDS
    return most if shared < alone else 0


def _waits_never(env: gymnasium.Env[Any, Any]) -> bool:
    """Returns whether a step computes all the time: whether it uses as much CPU time as time."""
    processor_start, start = time.process_time(), time.perf_counter()
    measure_step(env)
    took = time.perf_counter() - start
    return time.process_time() - processor_start > 0.8 * took


def measure_step(env: gymnasium.Env[Any, Any]) -> float:
    """Returns the seconds that a step of the environment takes, resets included."""
    env.action_space.seed(0)
    env.reset()
    env.step(env.action_space.sample())  # the first steps may compile or load something
    start = time.perf_counter()
    seconds = 0.0
    steps = 0
    ended = True
    while steps < _MOST_STEPS and time.perf_counter() - start < _LONGEST_SECONDS:
        action = env.action_space.sample()
        began = time.perf_counter()
        if ended:
            env.reset()
        _, _, terminated, truncated, _ = env.step(action)
        ended = bool(terminated or truncated)
        seconds += time.perf_counter() - began
        steps += 1
    return seconds / max(steps, 1)
