"""The process from which worker processes are forked: one per program, started when first needed.

The server has imported the modules that workers need, and has no threads. Forking it is therefore
quick and safe, unlike forking a program that has threads or uses a GPU. It does not import the
program's main module.

Each request consists of `REQUEST`, the descriptor of the shared memory, and a pickled `WorkerJob`.
The answer consists of `ANSWER` and the descriptor of the new process's handle. When a worker
process has ended, the server writes its exit status into the shared memory.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import mmap
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

from envpool_py.python_envs.processes import FINISHED, ProcessHandle, fork, hold

__all__ = ["ANSWER", "REQUEST", "open_standard_descriptors", "receive", "serve"]

REQUEST = struct.Struct("!QQ")  # bytes of the job, offset of the exit status
ANSWER = struct.Struct("!Q")  # the id of the new process

_STATUS = struct.Struct("=I")
_STATUS_KNOWN = 1 << 16  # as in `WorkerLine` in engine/processes/shared_state.h


@dataclass
class _Child:
    handle: ProcessHandle
    memory_fd: int
    status_offset: int

    def reap(self) -> None:
        """Reaps the process and writes its exit status into the shared memory."""
        status = self.handle.reap()
        assert status is not None
        # Not with `os.pwrite`, which macOS has not for shared memory.
        page = self.status_offset // mmap.PAGESIZE * mmap.PAGESIZE
        with mmap.mmap(self.memory_fd, mmap.PAGESIZE, offset=page) as memory:
            _STATUS.pack_into(memory, self.status_offset - page, status | _STATUS_KNOWN)
        os.close(self.memory_fd)


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


def serve(connection_fd: int, parent_fd: int, *held: int) -> None:
    """Forks workers until the parent has ended or closed the connection."""
    open_standard_descriptors()
    hold(*held)
    importlib.import_module("envpool_py.python_envs.worker")  # so that workers need not import it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # the program may ignore it
    gc.collect()
    gc.freeze()  # so that the workers' collections do not copy these pages
    connection = socket.socket(fileno=connection_fd)
    children: dict[int, _Child] = {}  # by the descriptors of their handles
    poller = select.poll()
    for fd in (connection_fd, parent_fd):
        poller.register(fd, select.POLLIN)
    while True:
        readable = {fd for fd, _ in poller.poll()}
        for fd in readable & set(children):
            poller.unregister(fd)
            children.pop(fd).reap()
        if parent_fd in readable:
            return
        if connection_fd in readable:
            new = _answer(connection, parent_fd, children)
            if new is None:
                return
            poller.register(new, select.POLLIN)


def _answer(connection: socket.socket, parent_fd: int, children: dict[int, _Child]) -> int | None:
    """Reads a request, forks a worker and returns its key; None if the connection has ended."""
    head, fds, _, _ = socket.recv_fds(connection, REQUEST.size, 1)
    if len(head) < REQUEST.size or not fds:
        return None
    size, status_offset = REQUEST.unpack(head)
    data = receive(connection, size)
    if len(data) < size:
        return None
    handle = fork()
    if handle is None:
        connection.close()
        for fd in {*children, *(child.memory_fd for child in children.values())}:
            os.close(fd)
        _work(data, fds[0], parent_fd)
    children[handle.fd] = _Child(handle, fds[0], status_offset)
    try:
        socket.send_fds(connection, [ANSWER.pack(handle.process_id)], [handle.fd])
    except OSError:
        return None  # the program was interrupted, and has closed the connection
    return handle.fd


def _work(data: bytes, memory_fd: int, parent_fd: int) -> NoReturn:
    from envpool_py.python_envs.worker import run

    code = 1
    try:
        run(pickle.loads(data), memory_fd, parent_fd)
        code = FINISHED
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
