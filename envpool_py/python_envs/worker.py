"""The program of a worker process."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import random
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np

from envpool_py.pool import core
from envpool_py.python_envs import pickling
from envpool_py.python_envs.hosting import Hosting, describe
from envpool_py.python_envs.space_trees import Tree

__all__ = ["WorkerJob", "run"]


@dataclass(frozen=True)
class WorkerJob:
    """The data that a worker process gets at its start.

    Attributes:
        worker: number of the worker.
        observation_tree, action_tree, settings: arguments of the engine's pool.
        environments: pickled tuple of the functions by environment id, the observation space and
            the action space.
        spin_seconds: time for which the worker polls for work before it sleeps.
        path, directory, variables: `sys.path`, working directory and environment variables.
        status_offset: offset in the shared memory at which the server writes the exit status.
        specs: pickled specs, by id, that the worker adds to Gymnasium's registry if it lacks them.
    """

    worker: int
    observation_tree: Tree
    action_tree: Tree | None
    settings: Mapping[str, Any]
    environments: bytes
    spin_seconds: float
    path: list[str]
    directory: str
    variables: dict[str, str]
    status_offset: int
    specs: Mapping[str, bytes] = field(default_factory=dict)


class WorkerHosting(Hosting):
    """Hosting in a worker process; results are pickled."""

    def __init__(self, environments: bytes) -> None:
        self._pickled = environments
        super().__init__({}, gymnasium.spaces.Discrete(1), gymnasium.spaces.Discrete(1))

    def make(self, env_id: int) -> gymnasium.Env[Any, Any]:
        """Makes and returns the environment with id `env_id`."""
        if not self._env_fns:
            # Unpickles here, so that errors such as a missing module are reported to the pool.
            fns, self._observation_space, self._action_space = pickle.loads(self._pickled)
            self._env_fns = fns
            self._pickled = b""
        return super().make(env_id)

    @staticmethod
    def dump(objects: Any) -> bytes:
        """Returns objects as bytes for the pool's process."""
        if isinstance(objects, tuple) and len(objects) == 2 and objects[0] is False:
            return _dump_error(objects[1])
        try:
            return pickle.dumps(objects, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception:
            # A class that was sent to this process by value has no module here, so pickle fails.
            return pickling.dumps(objects)


def _dump_error(error: Any) -> bytes:
    # An exception that cannot be unpickled in another process is sent as text. pickle cannot dump
    # classes that were sent to this process by value.
    if isinstance(error, BaseException):
        for dumps in (pickle.dumps, pickling.dumps):
            with contextlib.suppress(Exception):
                dumped: bytes = dumps((False, error))
                pickle.loads(dumped)
                return dumped
        error = describe(error)
    return pickle.dumps((False, error), protocol=pickle.HIGHEST_PROTOCOL)


def run(job: WorkerJob, memory_fd: int, parent_pidfd: int) -> None:
    """Runs the environments of a worker until the pool is closed.

    Args:
        job: the data of this worker.
        memory_fd: descriptor of the memory shared with the pool.
        parent_pidfd: pidfd of the pool's process; this process ends when that process ends.
    """
    # All processes of a terminal receive Ctrl-C; only the pool's process handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    core.Worker.end_with(parent_pidfd)
    sys.path[:] = job.path
    os.environ.clear()
    os.environ.update(job.variables)
    with contextlib.suppress(OSError):
        os.chdir(job.directory)
    for task_id, spec in job.specs.items():
        if task_id not in gymnasium.registry:
            with contextlib.suppress(Exception):  # a function may need what this process lacks
                gymnasium.registry[task_id] = pickle.loads(spec)
    # Otherwise all forked processes would have the same state of these generators.
    random.seed()
    np.random.seed()
    hosting = WorkerHosting(job.environments)
    worker = core.Worker(
        memory_fd, job.worker, job.observation_tree, job.action_tree, hosting, job.settings
    )
    try:
        worker.construct()
    except Exception:
        return  # the engine has reported the error to the pool
    gc.collect()
    try:
        worker.run(job.spin_seconds * 1e9)
    finally:
        hosting.close()
