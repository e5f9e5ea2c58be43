"""Starts worker processes: forked by a server, as new interpreters, or forked by this process."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import socket
import subprocess
import sys
import threading
from typing import Protocol

from envpool_py.errors import WorkerError
from envpool_py.python_envs.server import ANSWER, REQUEST
from envpool_py.python_envs.worker import WorkerJob, run

__all__ = ["START_METHODS", "Launcher", "launcher_of", "prepare", "reap", "run_spawned"]

START_METHODS = ("forkserver", "spawn", "fork")


class Launcher(Protocol):
    """Starts the process of a worker and returns its id and a pidfd, which the caller owns."""

    def __call__(self, job: WorkerJob, memory_fd: int) -> tuple[int, int]:
        """Starts the process."""


def launcher_of(start_method: str) -> Launcher:
    """Returns the launcher for that start method."""
    return {"forkserver": _by_server, "spawn": _spawn, "fork": _fork}[start_method]


def reap(process_id: int) -> None:
    """Reaps a process that has ended, if it is a child of this one."""
    process = _spawned.pop(process_id, None)
    if process is not None:
        process.wait()
        return
    with contextlib.suppress(ChildProcessError):
        os.waitpid(process_id, 0)


def _python(module: str, function: str, fds: list[int], *, stdin: int) -> subprocess.Popen[bytes]:
    """Calls a function of this package in a new interpreter, with file descriptors as arguments."""
    code = (
        "import sys; sys.path[:] = eval(sys.argv[1]); "
        f"from envpool_py.python_envs.{module} import {function}; "
        f"{function}(*map(int, sys.argv[2:]))"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code, repr(sys.path), *map(str, fds)], stdin=stdin, pass_fds=fds
    )


_spawned: dict[int, subprocess.Popen[bytes]] = {}  # by process id


class _Server:
    """The connection to the process of `server.py`."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        pidfd = os.pidfd_open(os.getpid())
        try:
            self.process = _python(
                "server", "serve", [theirs.fileno(), pidfd], stdin=subprocess.DEVNULL
            )
        except BaseException as error:  # after Ctrl-C, too
            ours.close()
            if not isinstance(error, OSError):
                raise
            raise WorkerError(f"the server of worker processes did not start: {error}") from error
        finally:
            theirs.close()
            os.close(pidfd)
        self.connection = ours
        self.process_id = os.getpid()
        atexit.register(self.end)

    def end(self) -> None:
        """Ends the server. Does nothing in a forked child, which is not the server's parent."""
        if self.process_id == os.getpid():
            # Closing is not enough: processes that this one has forked have the connection, too.
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)
            self.connection.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5.0)

    def start(self, data: bytes, memory_fd: int, status_offset: int) -> tuple[int, int]:
        request = REQUEST.pack(len(data), status_offset)
        socket.send_fds(self.connection, [request], [memory_fd])
        self.connection.sendall(data)
        answer, fds, _, _ = socket.recv_fds(self.connection, ANSWER.size, 1)
        if len(answer) < ANSWER.size or not fds:
            raise ConnectionResetError("the server of worker processes has ended")
        return ANSWER.unpack(answer)[0], fds[0]


_server: _Server | None = None
_server_lock = threading.Lock()


def prepare(start_method: str) -> None:
    """Starts the server in advance, if there is none, because its start takes a while.

    Returns at once. If the start fails, starting the first worker raises the error.
    """
    if start_method == "forkserver":
        with _server_lock, contextlib.suppress(WorkerError):
            _running_server()


def _running_server() -> _Server:
    """Returns the server, and starts it if there is none. The caller holds `_server_lock`."""
    global _server
    # A forked child inherits its parent's connection, and must not use it.
    if _server is None or _server.process_id != os.getpid():
        _server = _Server()
    return _server


def _by_server(job: WorkerJob, memory_fd: int) -> tuple[int, int]:
    global _server
    data = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
    with _server_lock:
        for attempt in range(2):
            server = _running_server()
            try:
                return server.start(data, memory_fd, job.status_offset)
            except BaseException as error:
                # After Ctrl-C, too: the next request would get the answer to this one.
                atexit.unregister(server.end)
                _server = None
                server.end()
                if not isinstance(error, OSError):
                    raise
                if attempt == 1:
                    raise WorkerError(f"a worker process did not start: {error}") from error
    raise AssertionError("unreachable")


def _spawn(job: WorkerJob, memory_fd: int) -> tuple[int, int]:
    data = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
    pidfd = os.pidfd_open(os.getpid())
    try:
        process = _python("launching", "run_spawned", [memory_fd, pidfd], stdin=subprocess.PIPE)
    except OSError as error:
        raise WorkerError(f"a worker process did not start: {error}") from error
    finally:
        os.close(pidfd)
    assert process.stdin is not None
    try:
        with process.stdin as stdin, contextlib.suppress(BrokenPipeError):
            stdin.write(data)
        started = process.pid, os.pidfd_open(process.pid)
    except BaseException:  # after Ctrl-C, too
        process.kill()
        process.wait()
        raise
    _spawned[process.pid] = process
    return started


def run_spawned(memory_fd: int, parent_pidfd: int) -> None:
    """Runs the worker of the pickled job in standard input; called in a new interpreter."""
    run(pickle.loads(sys.stdin.buffer.read()), memory_fd, parent_pidfd)


def _fork(job: WorkerJob, memory_fd: int) -> tuple[int, int]:
    parent_pidfd = os.pidfd_open(os.getpid())
    # The worker closes its descriptor after mapping it; the parent needs its own descriptor.
    own_fd = os.dup(memory_fd)
    _flush()  # the worker must not write it again
    process_id = os.fork()
    if process_id == 0:
        code = 1
        try:
            run(job, own_fd, parent_pidfd)
            code = 0
        finally:
            _flush()
            os._exit(code)
    os.close(own_fd)
    os.close(parent_pidfd)
    return process_id, os.pidfd_open(process_id)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
