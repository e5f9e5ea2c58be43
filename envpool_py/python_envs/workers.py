"""The worker processes of one pool."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec

from envpool_py.errors import InputTypeError, WorkerError
from envpool_py.pool.core import PythonCore
from envpool_py.python_envs import pickling
from envpool_py.python_envs.choosing import num_processors
from envpool_py.python_envs.hosting import EnvFn
from envpool_py.python_envs.launching import Launcher, interrupts_held_back, launcher_of
from envpool_py.python_envs.processes import ProcessHandle
from envpool_py.python_envs.program import Program
from envpool_py.python_envs.space_trees import Tree
from envpool_py.python_envs.worker import Environments, WorkerJob

__all__ = ["WorkerSettings", "Workers"]

# Time for which a worker polls for work before it sleeps, if there is a processor for each worker
# and one for the caller.
_SPIN_SECONDS = 50e-6
# How often a thread that waits for the end of workers looks whether one hangs.
_CHECK_SECONDS = 0.05


@dataclass(frozen=True)
class WorkerSettings:
    """How to start workers, and what to do when one dies or hangs.

    Attributes:
        num_workers: number of processes.
        start_method: "forkserver", "spawn" or "fork".
        on_worker_death: "restart" or "raise".
    """

    num_workers: int
    start_method: str = "forkserver"
    on_worker_death: str = "restart"


class Workers:
    """The worker processes of a pool: starts them, replaces those that have died, ends them."""

    def __init__(
        self,
        env_fns: Sequence[EnvFn],
        observation_space: gymnasium.Space[Any],
        action_space: gymnasium.Space[Any],
        settings: WorkerSettings,
    ) -> None:
        self._settings = settings
        self._env_fns = env_fns
        self._spaces = (observation_space, action_space)
        self._launch: Launcher = launcher_of(settings.start_method)
        self._forks = settings.start_method == "fork"
        self._trees: tuple[Tree, Tree | None] = (("tuple", []), None)
        self._core_settings: Mapping[str, Any] = {}
        self._pickled: dict[int, bytes] = {}
        self._processes: dict[int, ProcessHandle] = {}  # the current one of each worker
        self._owner = os.getpid()
        self._starting = threading.Lock()  # held by the thread that starts processes

    @property
    def core_arguments(self) -> dict[str, Any]:
        """What the engine's pool is told about the processes."""
        restarts = self._settings.on_worker_death == "restart"
        return {
            "processes": True,
            "on_dead_workers": self.start_missing if restarts else None,
        }

    def configure(
        self, observation_tree: Tree, action_tree: Tree | None, settings: Mapping[str, Any]
    ) -> None:
        """Stores the arguments of the engine's pool; called before `start_missing`."""
        self._trees = (observation_tree, action_tree)
        self._core_settings = {**settings, "seed": None}

    @property
    def process_ids(self) -> list[int]:
        """Ids of the worker processes, in the order of the workers."""
        # A copy, because another thread may replace or end workers.
        return [process.process_id for _, process in sorted(self._processes.copy().items())]

    def start_missing(self, core: PythonCore) -> None:
        """Starts a process for each worker of the pool that has none, or whose process has died.

        If workers are to be restarted, the engine calls it at the beginning of the call that
        follows the death of a process. Another thread may get here meanwhile; the worker that it
        needs may then still be dead.
        """
        if not self._starting.acquire(blocking=False):
            return
        try:
            for worker in core.dead_workers():
                self._start(worker, core)
        finally:
            self._starting.release()

    def _start(self, worker: int, core: PythonCore) -> None:
        spins = self._settings.num_workers < num_processors()
        job = WorkerJob(
            worker=worker,
            observation_tree=self._trees[0],
            action_tree=self._trees[1],
            settings=self._core_settings,
            environments=self._environments(worker),
            spin_seconds=_SPIN_SECONDS if spins else 0.0,
            path=list(sys.path),
            directory=_directory(),
            variables=dict(os.environ),
            status_offset=core.status_offset(worker),
            program=None if self._forks else Program.of_this_process(_specs()),
        )
        with contextlib.ExitStack() as stack:
            if self._forks:  # the others may wait for the process
                stack.enter_context(interrupts_held_back())
            process = self._launch(job, core.memory_fd)
            stack.enter_context(interrupts_held_back())
            old = self._processes.pop(worker, None)
            if old is not None:
                old.reap()
            try:
                own_fd = fcntl.fcntl(process.fd, fcntl.F_DUPFD_CLOEXEC, 3)
                core.attach(worker, process.process_id, own_fd)
            except OSError as error:
                process.kill()
                raise WorkerError(f"a worker process did not start: {error}") from error
            self._processes[worker] = process

    def _environments(self, worker: int) -> bytes | Environments:
        """Returns the functions and spaces of a worker's environments.

        They are pickled once for all restarts, unless the worker is forked from this process.
        """
        ids = range(worker, len(self._env_fns), self._settings.num_workers)
        environments = {env_id: self._env_fns[env_id] for env_id in ids}, *self._spaces
        if self._forks:
            return environments
        if worker not in self._pickled:
            try:
                self._pickled[worker] = pickling.dumps(environments)
            except Exception as error:
                raise InputTypeError(
                    "env_fns: cloudpickle cannot send the functions and spaces to a worker process "
                    f"(num_workers=0 needs none): {type(error).__name__}: {error}"
                ) from error
        return self._pickled[worker]

    def end(self, timeout: float | None, kill_hanging: Callable[[], None] | None = None) -> None:
        """Waits until the processes have ended. They end after the pool is closed.

        Args:
            timeout: seconds after which processes that still run are killed; None: never.
            kill_hanging: kills those whose step takes too long; called at intervals.
        """
        if os.getpid() != self._owner:
            return  # a forked child, which is not the parent of these workers
        deadline = None if timeout is None else time.monotonic() + timeout
        for worker, process in sorted(self._processes.copy().items()):
            # Another thread, or a signal handler, may end the same workers. The one that takes a
            # process out of the dict reaps it.
            ended = False
            while not ended and worker in self._processes:
                ended = _wait(process, deadline)
                if _is_over(deadline):
                    break
                if not ended and kill_hanging is not None:
                    kill_hanging()
            with interrupts_held_back():
                taken = self._processes.pop(worker, None)
                if taken is None:
                    continue
                if ended and taken is process:
                    taken.reap()
                else:
                    taken.kill()

    def __del__(self) -> None:
        with contextlib.suppress(Exception), interrupts_held_back():
            self.end(0.0)  # those that an interrupted close() or make has left


_pickled_specs: dict[str, tuple[EnvSpec, bytes]] = {}  # of all pools


def _specs() -> dict[str, bytes]:
    """Returns the pickled specs that the program or its packages have registered."""
    specs = {}
    for task_id, spec in list(gymnasium.registry.items()):  # another thread may register
        made_by = spec.entry_point
        if isinstance(made_by, str) and made_by.startswith(("gymnasium.", "envpool_py.")):
            continue  # every process has it
        known = _pickled_specs.get(task_id)
        if known is None or known[0] is not spec:
            try:
                known = spec, pickling.dumps(spec)
            except Exception:  # it cannot be sent
                continue
            _pickled_specs[task_id] = known
        specs[task_id] = known[1]
    return specs


def _directory() -> str:
    """Returns the working directory; "" if it was deleted."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def _wait(process: ProcessHandle, deadline: float | None) -> bool:
    """Waits for a while until a process has ended, and returns whether it has."""
    left = _CHECK_SECONDS if deadline is None else deadline - time.monotonic()
    return process.wait(min(max(left, 0.0), _CHECK_SECONDS))


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline
