"""Restarts of workers that fail, and processes that the pool has lost."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py.errors import EnvironmentFailedError, WorkerError
from envpool_py.pool import core
from envpool_py.python_envs import launching
from envpool_py.python_envs.processes import ProcessHandle
from envpool_py.python_envs.worker import WorkerJob

from . import awkward

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SANITIZED = "ENVPOOL_SANITIZER" in os.environ
# ThreadSanitizer ends a forked process that starts threads if its parent has threads.
START_METHODS = ["forkserver", "spawn", *(() if SANITIZED else ["fork"])]
GUARD = 30.0  # seconds


class Counting(awkward.Base):
    """Reports its process and the number of steps, which one process alone counts right."""

    action_space = spaces.Discrete(2)

    def __init__(self) -> None:
        super().__init__(ends=0.0)

    def info(self, what: Any) -> dict[str, Any]:
        return {"process": os.getpid(), "steps": self.steps}


def kill_worker(pool: Any) -> None:
    """Kills the worker 0; returns when the pool knows it."""
    os.kill(pool.worker_pids[0], signal.SIGKILL)
    with pytest.raises(EnvironmentFailedError):
        pool.step(np.zeros(pool.num_envs, int))


def expect_one_process(pool: Any) -> None:
    pool.reset()
    for step in range(1, 1001):
        infos = pool.step(np.zeros(pool.num_envs, int))[4]
        assert set(infos["process"].tolist()) == set(pool.worker_pids)
        assert set(infos["steps"].tolist()) == {step}


@pytest.mark.parametrize("start_method", START_METHODS)
def test_a_process_that_was_lost_serves_no_environment(start_method: str) -> None:
    with envpool_py.make_python(Counting, 4, num_workers=1, start_method=start_method) as pool:
        pool.reset()
        workers = pool._processes
        launch = workers._launch
        lost: list[ProcessHandle] = []

        def lose(job: WorkerJob, memory_fd: int) -> ProcessHandle:
            lost.append(launch(job, memory_fd))
            raise WorkerError("lost")

        kill_worker(pool)
        workers._launch = lose
        for _ in range(2):
            with pytest.raises(WorkerError, match="lost"):
                pool.reset()
        workers._launch = launch
        expect_one_process(pool)
        for handle in lost:
            assert handle.wait(GUARD)
            handle.reap()


@pytest.mark.skipif(core.os_layer != "linux", reason="limits of another process are Linux's")
def test_the_server_goes_on_without_descriptors() -> None:
    import resource

    with envpool_py.make_python(Counting, 4, num_workers=1) as pool:
        pool.reset()
        server = launching._server
        assert server is not None
        own, limit = server.handle.process_id, resource.RLIMIT_NOFILE
        before = resource.prlimit(own, limit)
        assert before[0] == before[1]  # it may open as many files as the system allows
        kill_worker(pool)
        for allowed in range(3):  # none for the memory, for its page, for the handle
            used = {int(path.name) for path in Path(f"/proc/{own}/fd").iterdir()}
            lowest = itertools.islice((fd for fd in itertools.count() if fd not in used), 3)
            resource.prlimit(own, limit, (list(lowest)[allowed], before[1]))
            with pytest.raises(WorkerError, match="Too many open files"):
                pool.reset()
        resource.prlimit(own, limit, before)
        expect_one_process(pool)
        assert launching._server is server


class Helped(awkward.Base):
    """Starts a program that holds a pipe; cannot be made if there is the file `refuses`.

    In the process `program`, which looks at the spaces, it starts nothing.
    """

    def __init__(self, program: int, pipe: Path, refuses: Path | None) -> None:
        super().__init__()
        if refuses is not None and refuses.exists():
            raise ValueError("no licence")
        if refuses is None and os.getpid() != program:
            with pipe.open("wb") as held:
                self.helper = subprocess.Popen(["sleep", "1000"], stdout=held)
        self.pipe = pipe

    def close(self) -> None:
        self.pipe.with_suffix(".closed").touch()


@pytest.mark.parametrize("start_method", START_METHODS)
def test_what_was_started_ends_if_environments_cannot_be_made(
    start_method: str, tmp_path: Path
) -> None:
    pipe, refuses = tmp_path / "pipe", tmp_path / "refuses"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    program = os.getpid()
    makers: list[Callable[[], Any]] = [
        lambda: Helped(program, pipe, None),
        lambda: Helped(program, pipe, refuses),
    ]
    with envpool_py.make_python(makers, num_workers=1, start_method=start_method) as pool:
        pool.reset()
        refuses.touch()
        kill_worker(pool)
        for _ in range(2):
            with pytest.raises((EnvironmentFailedError, WorkerError), match="no licence"):
                pool.reset()
        poller = select.poll()
        poller.register(reading, 0)
        # The last one ends when its worker is reaped, at the latest with the next start.
        with contextlib.suppress(EnvironmentFailedError, WorkerError):
            pool.reset()
        refuses.unlink()
    assert poller.poll(GUARD * 1e3)
    assert pipe.with_suffix(".closed").exists()
    os.close(reading)


def test_the_terminal_does_not_stop_a_worker() -> None:
    class Asks(awkward.Base):
        def disposition(self) -> bool:
            return signal.getsignal(signal.SIGTTIN) == signal.SIG_IGN

    with envpool_py.make_python(Asks, 1, num_workers=1) as pool:
        assert pool.call("disposition") == (True,)
