"""The program of a worker process."""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import random
import signal
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from envpool_py.pool import core
from envpool_py.python_envs import pickling
from envpool_py.python_envs.hosting import EnvFn, Hosting, describe
from envpool_py.python_envs.processes import FINISHED
from envpool_py.python_envs.program import MainModule, Program
from envpool_py.python_envs.space_trees import Tree

__all__ = ["Environments", "WorkerJob", "run"]


Environments = tuple[dict[int, EnvFn], gymnasium.Space[Any], gymnasium.Space[Any]]

# Functions that the interpreter calls at its exit, in this order. They end or wait for processes
# that were started with these modules.
_EXIT_FUNCTIONS = (
    ("concurrent.futures.process", "_python_exit"),
    ("multiprocessing.util", "_exit_function"),
)
# What these functions know of processes that were started here.
_STARTED = (
    ("concurrent.futures.process", "_threads_wakeups"),
    ("multiprocessing.process", "_children"),
)


@dataclass(frozen=True)
class WorkerJob:
    """The data that a worker process gets at its start.

    Attributes:
        worker: number of the worker.
        observation_tree, action_tree, settings: arguments of the engine's pool.
        environments: tuple of the functions by environment id, the observation space and the
            action space; pickled, unless this process is a fork of the program.
        spin_seconds: time for which the worker polls for work before it sleeps.
        path, directory, variables: `sys.path`, working directory and environment variables.
        status_offset: offset in the shared memory at which the server writes the exit status.
        program: the program; None: this process is a fork of it.
    """

    worker: int
    observation_tree: Tree
    action_tree: Tree | None
    settings: Mapping[str, Any]
    environments: bytes | Environments
    spin_seconds: float
    path: list[str]
    directory: str
    variables: dict[str, str]
    status_offset: int
    program: Program | None


class WorkerHosting(Hosting):
    """Hosting in a worker process; results are pickled."""

    def __init__(self, environments: bytes | Environments) -> None:
        self._given: bytes | Environments = environments
        super().__init__({}, gymnasium.spaces.Discrete(1), gymnasium.spaces.Discrete(1))

    def make(self, env_id: int) -> gymnasium.Env[Any, Any]:
        """Makes and returns the environment with id `env_id`."""
        if not self._env_fns:
            # Unpickles here, so that errors such as a missing module are reported to the pool.
            given = pickle.loads(self._given) if isinstance(self._given, bytes) else self._given
            self._env_fns, self._observation_space, self._action_space = given
            self._given = b""
        return super().make(env_id)

    @staticmethod
    def dump(objects: Any) -> bytes:
        """Returns objects as bytes for the pool's process."""
        # pickle looks up whether the classes of the objects are in the main module.
        MainModule.absent_for = threading.get_ident()
        try:
            if isinstance(objects, tuple) and len(objects) == 2 and objects[0] is False:
                return _dump_error(objects[1])
            return _dump(objects)
        finally:
            MainModule.absent_for = None


def _dump(objects: Any) -> bytes:
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


def run(job: WorkerJob, memory_fd: int, parent_fd: int) -> int:
    """Runs the environments of a worker until the pool is closed.

    Returns the exit code of the process: `FINISHED`, or 1 if its environments could not be made,
    after which what they have started is killed.

    Args:
        job: the data of this worker.
        memory_fd: descriptor of the memory shared with the pool.
        parent_fd: `own_descriptor` of the pool's process; this process ends when that one ends.
    """
    # In a group of its own, so that all that it has started can be killed with it.
    os.setpgid(0, 0)
    # It may write to the terminal nevertheless. If it reads, which it may not, it gets an error.
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGTTIN, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the pool's process handles Ctrl-C
    core.Worker.end_with(parent_fd)
    sys.path[:] = job.path
    os.environ.clear()
    os.environ.update(job.variables)
    with contextlib.suppress(OSError):
        os.chdir(job.directory)
    if job.program is None:
        for module, started in _STARTED:
            getattr(sys.modules.get(module), started, set()).clear()  # by the program
    else:
        MainModule(job.program).install()
        job.program.register()
    # Otherwise all forked processes would have the same state of these generators.
    random.seed()
    np.random.seed()
    try:
        return FINISHED if _host(job, memory_fd) else 1
    finally:
        for module, function in _EXIT_FUNCTIONS:
            if module in sys.modules:
                getattr(sys.modules[module], function)()


def _host(job: WorkerJob, memory_fd: int) -> bool:
    """Returns whether the environments could be made. The engine reports it to the pool."""
    hosting = WorkerHosting(job.environments)
    worker = core.Worker(
        memory_fd, job.worker, job.observation_tree, job.action_tree, hosting, job.settings
    )
    try:
        serves = worker.construct()
    except Exception:
        with contextlib.suppress(Exception):
            hosting.close()
        return False
    try:
        if serves:
            gc.collect()
            worker.run(job.spin_seconds * 1e9)
    finally:
        hosting.close()
    return True
