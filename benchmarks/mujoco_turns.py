"""Turns of a first-ready pool that repeats the steps of a tape (`mujoco_tape`).

An environment's states depend only on its seed and its own actions, not on the order in which
environments finish. Each environment gets its own next action, looked up by `env_id`, and thereby
repeats its steps on the tape. The look-up is in C++ (`limits/next_actions.h`), because with NumPy
it took 3 microseconds per batch, one percent of the time of a batch of eight HalfCheetahs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envpool_py.cli.bench.case import Case


class FirstReadyTurns:
    """The turns of a pool, each starting with a reset.

    Args:
        file: the library of `mujoco_limit.build`.
        env: the pool of `case`, without environments in flight.
        case: a first-ready case whose batch size divides the number of environments.
        actions: as passed to `mujoco_tape.record`: arrays with one action per environment, used
            cyclically.
    """

    def __init__(self, file: Path, env: Any, case: Case, actions: Sequence[Any]) -> None:
        # PyDLL keeps the GIL. Releasing it would take longer than these calls of 50 nanoseconds.
        self._functions = ctypes.PyDLL(str(file))
        self._functions.next_actions_make.restype = ctypes.c_void_p
        self._env = env
        self._case = case
        # Row `step * num_envs + env_id` is the action of an environment in a step.
        self._actions = np.concatenate([np.asarray(batch) for batch in actions])
        self._env_id = np.zeros(case.batch_size, np.int32)
        self._batch = np.zeros_like(self._actions[: case.batch_size])
        self._next_actions = ctypes.c_void_p(
            self._functions.next_actions_make(
                self._actions.ctypes.data_as(ctypes.c_void_p),
                ctypes.c_size_t(len(self._actions)),
                ctypes.c_size_t(self._actions.strides[0]),
                ctypes.c_size_t(case.num_envs),
                self._env_id.ctypes.data_as(ctypes.c_void_p),
                ctypes.c_size_t(case.batch_size),
                self._batch.ctypes.data_as(ctypes.c_void_p),
            )
        )
        self._in_flight = False

    def begin(self) -> None:
        """Resets all environments and sends each its first action."""
        calls = self._case.num_envs // self._case.batch_size
        if self._in_flight:
            for _ in range(calls):
                self._env.recv()
        self._in_flight = True
        self._functions.next_actions_restart(self._next_actions)
        self._env.async_reset(seed=self._case.seed)
        self.advance(calls)

    def advance(self, calls: int) -> None:
        """Receives a batch and sends its actions, this many times."""
        recv, send = self._env.recv, self._env.send
        look_up, next_actions = self._functions.next_actions_look_up, self._next_actions
        env_ids, batch = self._env_id, self._batch
        for _ in range(calls):
            env_id = recv()[4]["env_id"]
            env_ids[:] = env_id
            look_up(next_actions)
            send(batch, env_id)

    def close(self) -> None:
        """Frees the memory of the C++ part; the pool stays open."""
        self._functions.next_actions_delete(self._next_actions)
