"""The process from which worker processes are forked: one per program, started when first needed.

The server has imported the modules that workers need, and has no threads. Forking it is therefore
quick and safe, unlike forking a program that has threads or uses a GPU. It does not import the
program's main module.

Each request consists of `REQUEST`, the descriptor of the shared memory, and a pickled `WorkerJob`.
The answer consists of `ANSWER` and the pidfd of the new process. When a worker process has ended,
the server writes its exit status into the shared memory.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import select
import signal
import socket
import struct
import sys
import traceback
from dataclasses import dataclass
from typing import NoReturn

__all__ = [
    "ANSWER",
    "FINISHED",
    "REQUEST",
    "kill_group",
    "open_standard_descriptors",
    "receive",
    "serve",
]

FINISHED = 83
"""Exit code of a worker that has ended because its pool has; no code that environments use."""

REQUEST = struct.Struct("!QQ")  # bytes of the job, offset of the exit status
ANSWER = struct.Struct("!Q")  # the id of the new process

_STATUS = struct.Struct("=I")
_STATUS_KNOWN = 1 << 16  # as in `WorkerLine` in engine/processes/shared_state.h


@dataclass
class _Memory:
    """The shared memory of a pool, into which the exit statuses of its workers are written."""

    fd: int
    users: int = 0

    def drop(self) -> None:
        self.users -= 1
        if self.users == 0:
            os.close(self.fd)


@dataclass
class _Child:
    process_id: int
    memory: _Memory
    status_offset: int

    def reap(self, pidfd: int) -> None:
        """Reaps the process and writes its exit status into the shared memory."""
        kill_group(pidfd)
        _, status = os.waitpid(self.process_id, 0)
        os.pwrite(self.memory.fd, _STATUS.pack(status | _STATUS_KNOWN), self.status_offset)
        self.memory.drop()


def kill_group(pidfd: int) -> None:
    """Kills what a child, which has ended, has left in its process group; unless it has finished.

    Does nothing if the process is no child of this one, or was reaped.
    """
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        # Until the child is reaped, its process id, which is that of the group, is not used again.
        ended = os.waitid(os.P_PIDFD, pidfd, os.WEXITED | os.WNOWAIT)
        if ended is not None and (ended.si_code, ended.si_status) != (os.CLD_EXITED, FINISHED):
            os.killpg(ended.si_pid, signal.SIGKILL)


def open_standard_descriptors() -> None:
    """Opens the null device in place of standard descriptors that are closed.

    The next file would get their numbers otherwise, and what is printed would be written to it.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(fd)


def receive(connection: socket.socket, size: int) -> bytes:
    """Reads `size` bytes, or fewer if the other side closes the connection."""
    parts = []
    while size > 0:
        part = connection.recv(min(size, 1 << 20))
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def serve(connection_fd: int, parent_pidfd: int) -> None:
    """Forks workers until the parent has ended or closed the connection."""
    open_standard_descriptors()
    importlib.import_module("envpool_py.python_envs.worker")  # so that workers need not import it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the program may ignore it
    gc.collect()
    gc.freeze()  # so that the workers' collections do not copy these pages
    connection = socket.socket(fileno=connection_fd)
    children: dict[int, _Child] = {}  # by pidfd
    poller = select.poll()
    for fd in (connection_fd, parent_pidfd):
        poller.register(fd, select.POLLIN)
    while True:
        readable = {fd for fd, _ in poller.poll()}
        for pidfd in readable & set(children):
            children.pop(pidfd).reap(pidfd)
            poller.unregister(pidfd)
            os.close(pidfd)
        if parent_pidfd in readable:
            return
        if connection_fd in readable:
            new = _answer(connection, parent_pidfd, children)
            if new is None:
                return
            poller.register(new, select.POLLIN)


def _answer(
    connection: socket.socket, parent_pidfd: int, children: dict[int, _Child]
) -> int | None:
    """Reads a request, forks a worker and returns its pidfd; None if the connection has ended."""
    head, fds, _, _ = socket.recv_fds(connection, REQUEST.size, 1)
    if len(head) < REQUEST.size or not fds:
        return None
    size, status_offset = REQUEST.unpack(head)
    data = receive(connection, size)
    if len(data) < size:
        return None
    process_id = os.fork()
    if process_id == 0:
        connection.close()
        for fd in {*children, *(child.memory.fd for child in children.values())}:
            os.close(fd)
        _work(data, fds[0], parent_pidfd)
    memory = _memory_of(fds[0], children)
    memory.users += 1
    pidfd = os.pidfd_open(process_id)
    children[pidfd] = _Child(process_id, memory, status_offset)
    try:
        socket.send_fds(connection, [ANSWER.pack(process_id)], [pidfd])
    except OSError:
        return None  # the program was interrupted, and has closed the connection
    return pidfd


def _memory_of(fd: int, children: dict[int, _Child]) -> _Memory:
    """Returns the memory of `fd`; if a child has this memory already, reuses it and closes `fd`."""
    inode = os.fstat(fd).st_ino
    for child in children.values():
        if os.fstat(child.memory.fd).st_ino == inode:
            os.close(fd)
            return child.memory
    return _Memory(fd)


def _work(data: bytes, memory_fd: int, parent_pidfd: int) -> NoReturn:
    from envpool_py.python_envs.worker import run

    code = 1
    try:
        run(pickle.loads(data), memory_fd, parent_pidfd)
        code = FINISHED
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
