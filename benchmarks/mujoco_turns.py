"""Turns of a pool of first-ready batches that does what a tape says (`mujoco_tape`).

An environment's states follow from its seed and its own actions alone, whoever is ready first. So
each gets its own next action, looked up by `env_id`, and does the very steps of the tape. C++ looks
them up (`limits/next_actions.h`): with NumPy it took 3 microseconds a batch, a hundredth of a batch
of eight HalfCheetahs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from envpool_py.bench.case import Case


class FirstReadyTurns:
    """A pool's turns, each from a reset on.

    Args:
        file: the library of `mujoco_limit.build`.
        env: the pool of `case`; nothing is in flight.
        case: of first-ready batches, whose size divides the number of environments.
        actions: what `mujoco_tape.record` gets, one row per environment each; repeated.
    """

    def __init__(self, file: Path, env: Any, case: Case, actions: Sequence[Any]) -> None:
        # Not CDLL: to give up the GIL for 50 nanoseconds of work takes longer than that.
        self._functions = ctypes.PyDLL(str(file))
        self._functions.next_actions_make.restype = ctypes.c_void_p
        self._env = env
        self._case = case
        # Row `step * num_envs + env_id`.
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
        """Receives a batch and answers it, so many times."""
        recv, send = self._env.recv, self._env.send
        look_up, next_actions = self._functions.next_actions_look_up, self._next_actions
        env_ids, batch = self._env_id, self._batch
        for _ in range(calls):
            env_id = recv()[4]["env_id"]
            env_ids[:] = env_id
            look_up(next_actions)
            send(batch, env_id)

    def close(self) -> None:
        """Frees what C++ holds; the pool stays."""
        self._functions.next_actions_delete(self._next_actions)
