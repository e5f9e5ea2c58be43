"""Starts worker processes: forked by a server, as new interpreters, or forked by this process."""

from __future__ import annotations

import atexit
import contextlib
import errno
import fcntl
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import NoReturn, Protocol

from envpool_py.errors import WorkerError
from envpool_py.python_envs.processes import (
    Lifeline,
    ProcessHandle,
    above_standard,
    fork,
    hold,
    own_descriptor,
)
from envpool_py.python_envs.server import ANSWER, REQUEST, open_standard_descriptors
from envpool_py.python_envs.worker import WorkerJob, run

__all__ = [
    "START_METHODS",
    "Launcher",
    "interrupts_held_back",
    "launcher_of",
    "prepare",
    "run_spawned",
]

START_METHODS = ("forkserver", "spawn", "fork")

# The server imports the package before it answers for the first time, which takes a second or two.
# Later answers take milliseconds.
_LONGEST_ANSWER_SECONDS = 60.0


class Launcher(Protocol):
    """Starts the process of a worker and returns its handle, which the caller owns.

    Raises WorkerError if it cannot be started.
    """

    def __call__(self, job: WorkerJob, memory_fd: int) -> ProcessHandle:
        """Starts the process."""


def launcher_of(start_method: str) -> Launcher:
    """Returns the launcher for that start method."""
    start: Launcher = {"forkserver": _by_server, "spawn": _spawn, "fork": _fork}[start_method]

    def launch(job: WorkerJob, memory_fd: int) -> ProcessHandle:
        try:
            return start(job, memory_fd)
        except OSError as error:  # such as too many open files
            raise WorkerError(f"a worker process did not start: {error}") from error

    return launch


@contextlib.contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Delays Ctrl-C, which is raised in the main thread, to the end of the block."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    arrived = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: arrived.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if arrived.is_set():
            signal.raise_signal(signal.SIGINT)


def _python(
    module: str, function: str, fds: list[int], *, stdin: int
) -> tuple[subprocess.Popen[bytes], ProcessHandle]:
    """Calls a function of this package in a new interpreter, with file descriptors as arguments.

    Those of its lifeline come last. The process is to be waited for by its handle only.
    """
    code = (
        "import sys; sys.path[:] = eval(sys.argv[1]); "
        f"from envpool_py.python_envs.{module} import {function}; "
        f"{function}(*map(int, sys.argv[2:]))"
    )
    # Imports ignore other entries, such as a pathlib.Path.
    path = [str(entry) for entry in sys.path if isinstance(entry, str)]
    with contextlib.ExitStack() as stack:
        passed = []
        for fd in fds:
            # The descriptors 0 to 2 are those of the new process.
            passed.append(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3))
            stack.callback(os.close, passed[-1])
        lifeline = Lifeline()
        passed += lifeline.passed
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", code, repr(path), *map(str, passed)],
                stdin=stdin,
                pass_fds=passed,
            )
        except BaseException:
            lifeline.give_up()
            raise
    process.returncode = 0  # `Popen` must not wait for it by its id
    return process, lifeline.handle_of(process.pid)


class _ForkError(OSError):
    """The server could not fork; it goes on."""


class _Server:
    """The connection to the process of `server.py`."""

    def __init__(self) -> None:
        with contextlib.ExitStack() as stack:
            near, theirs = socket.socketpair()
            stack.callback(near.close)
            stack.callback(theirs.close)
            # If standard descriptors are closed, `near` may have the number of one, and get what is
            # printed.
            ours = socket.socket(fileno=fcntl.fcntl(near, fcntl.F_DUPFD_CLOEXEC, 3))
            on_error = stack.enter_context(contextlib.ExitStack())
            on_error.callback(ours.close)
            parent = own_descriptor()
            stack.callback(os.close, parent)
            fds = [theirs.fileno(), parent]
            self.process, self.handle = _python("server", "serve", fds, stdin=subprocess.DEVNULL)
            on_error.pop_all()
        ours.settimeout(_LONGEST_ANSWER_SECONDS)
        self.connection = ours
        atexit.register(self.end)

    def end(self, timeout: float = 5.0) -> None:
        """Ends the server; kills it after `timeout` seconds."""
        atexit.unregister(self.end)
        # Closing is not enough: processes that this one has forked have the connection, too.
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        if self.handle.wait(timeout):
            self.handle.reap()
        else:
            self.handle.kill()

    def leave(self) -> None:
        """Closes the descriptors in a forked child, which is not the server's parent."""
        atexit.unregister(self.end)
        self.connection.close()
        os.close(self.handle.fd)

    def start(self, data: bytes, memory_fd: int, status_offset: int) -> ProcessHandle:
        request = REQUEST.pack(len(data), status_offset)
        try:
            socket.send_fds(self.connection, [request], [memory_fd])
            self.connection.sendall(data)
            answer, fds, _, _ = socket.recv_fds(self.connection, ANSWER.size, 1)
        except TimeoutError:
            raise TimeoutError(
                f"the server of worker processes (process {self.process.pid}) did not answer "
                f"within {self.connection.gettimeout():g} s"
            ) from None
        if len(answer) < ANSWER.size:
            raise ConnectionResetError("the server of worker processes has ended")
        process_id, error = ANSWER.unpack(answer)
        if error != 0:
            raise _ForkError(error, os.strerror(error))
        if not fds:  # this process could not receive it
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return ProcessHandle(process_id, above_standard(fds[0]), is_child=False)


_server: _Server | None = None
_server_lock = threading.Lock()


def _forget_server() -> None:
    """Called in a forked child. Another thread of the parent may have held the lock."""
    global _server, _server_lock
    _server_lock = threading.Lock()
    if _server is not None:
        _server.leave()
        _server = None


os.register_at_fork(after_in_child=_forget_server)


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
    if _server is None:
        try:
            with interrupts_held_back():
                _server = _Server()
        except OSError as error:
            raise WorkerError(f"the server of worker processes did not start: {error}") from error
    return _server


def _by_server(job: WorkerJob, memory_fd: int) -> ProcessHandle:
    global _server
    data = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
    with _server_lock:
        for attempt in range(2):
            server = _running_server()
            try:
                return server.start(data, memory_fd, job.status_offset)
            except _ForkError:
                raise
            except BaseException as error:
                # After Ctrl-C, too: the next request would get the answer to this one. A worker
                # that was forked meanwhile ends, because it is not attached.
                with interrupts_held_back():
                    _server = None
                    server.end(timeout=0.0)
                if not isinstance(error, (ConnectionError, TimeoutError)) or attempt == 1:
                    raise
    raise AssertionError("unreachable")


def _spawn(job: WorkerJob, memory_fd: int) -> ProcessHandle:
    data = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
    parent = own_descriptor()
    process = None
    try:
        with interrupts_held_back():
            fds = [memory_fd, parent]
            process, handle = _python("launching", "run_spawned", fds, stdin=subprocess.PIPE)
        assert process.stdin is not None
        with process.stdin as stdin, contextlib.suppress(BrokenPipeError):
            stdin.write(data)
    except BaseException:  # after Ctrl-C, too
        if process is not None:
            with interrupts_held_back():
                handle.kill()
            assert process.stdin is not None
            process.stdin.close()
        raise
    finally:
        os.close(parent)
    return handle


def run_spawned(memory_fd: int, parent_fd: int, *held: int) -> None:
    """Runs the worker of the pickled job in standard input; called in a new interpreter."""
    open_standard_descriptors()
    hold(*held)
    # Not to the end of the input: processes that the program has forked may hold the pipe.
    sys.exit(run(pickle.load(sys.stdin.buffer), memory_fd, parent_fd))


def _fork(job: WorkerJob, memory_fd: int) -> ProcessHandle:
    with contextlib.ExitStack() as stack:
        # The worker closes its descriptor after mapping it; the parent needs its own descriptor.
        own_fd = fcntl.fcntl(memory_fd, fcntl.F_DUPFD_CLOEXEC, 3)
        stack.callback(os.close, own_fd)
        parent = own_descriptor()
        stack.callback(os.close, parent)
        _flush()  # the worker must not write it again
        handle = fork()
        if handle is None:
            _work(job, own_fd, parent)
        return handle


def _work(job: WorkerJob, memory_fd: int, parent_fd: int) -> NoReturn:
    code = 1
    try:
        code = run(job, memory_fd, parent_fd)
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(code)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
