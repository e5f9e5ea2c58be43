"""The process from which worker processes are forked: one per program, started when first needed.

The server has imported the modules that workers need, and has no threads. Forking it is therefore
quick and safe, unlike forking a program that has threads or uses a GPU. It does not import the
program's main module.

Each request consists of `REQUEST`, the descriptor of the shared memory, and a pickled `WorkerJob`.
The answer consists of `ANSWER` and, if the fork succeeded, the descriptor of the new process's
handle. When a worker process has ended, the server writes its exit status into the shared memory.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import importlib
import mmap
import os
import pickle
import resource
import select
import signal
import socket
import struct
import sys
import traceback
from dataclasses import dataclass
from typing import NoReturn

from envpool_py.python_envs.processes import ProcessHandle, fork, hold

__all__ = ["ANSWER", "REQUEST", "open_standard_descriptors", "receive", "serve"]

REQUEST = struct.Struct("!QQ")  # bytes of the job, offset of the exit status
ANSWER = struct.Struct("!QI")  # the id of the new process; the number of the error

_STATUS = struct.Struct("=Q")
_STATUS_KNOWN = 1 << 16  # as in `WorkerLine` in engine/processes/shared_state.h


@dataclass
class _Child:
    handle: ProcessHandle
    page: mmap.mmap  # of the shared memory, with its exit status
    status_at: int  # in the page

    def reap(self) -> None:
        """Reaps the process and writes its exit status into the shared memory."""
        status = self.handle.reap()
        assert status is not None
        status |= self.handle.process_id << 32 | _STATUS_KNOWN
        _STATUS.pack_into(self.page, self.status_at, status)
        self.page.close()


def open_standard_descriptors() -> None:
    """Opens the null device in place of standard descriptors that are closed.

    The next file would get their numbers otherwise, and what is printed would be written to it.
    Programs that this process starts inherit them.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(fd, True)
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
    files = resource.getrlimit(resource.RLIMIT_NOFILE)
    _allow_files(files[1])  # two for each worker of all pools
    while True:
        readable = {fd for fd, _ in poller.poll()}
        for fd in readable & set(children):
            poller.unregister(fd)
            children.pop(fd).reap()
        if parent_fd in readable:
            return
        if connection_fd in readable:
            try:
                new = _answer(connection, parent_fd, files[0], children)
                if new is not None:
                    poller.register(new, select.POLLIN)
            except EOFError:
                return


def _allow_files(limit: int) -> None:
    with contextlib.suppress(OSError, ValueError):  # macOS has a lower limit than it says
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
        )


def _answer(
    connection: socket.socket, parent_fd: int, max_files: int, children: dict[int, _Child]
) -> int | None:
    """Reads a request, forks a worker and returns its key; None if there is no new process.

    Args:
        connection: to the program.
        parent_fd: of the program's process, for the worker.
        max_files: the worker's limit of open files.
        children: all workers; the new one is added.

    Raises:
        EOFError: the connection has ended.
    """
    head, fds, _, _ = socket.recv_fds(connection, REQUEST.size, 1)
    if len(head) < REQUEST.size:
        raise EOFError
    size, status_offset = REQUEST.unpack(head)
    data = receive(connection, size)
    if len(data) < size:
        raise EOFError
    at = status_offset // mmap.PAGESIZE * mmap.PAGESIZE
    try:
        if not fds:  # this process could not receive it
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        # Not `os.pwrite` when it ends, which macOS has not for shared memory. Mapped now, because
        # then there might be no descriptor left.
        page = mmap.mmap(fds[0], mmap.PAGESIZE, offset=at)
        handle = fork()
    except OSError as error:  # such as too many processes
        for fd in fds:
            os.close(fd)
        connection.sendall(ANSWER.pack(0, error.errno or errno.EAGAIN))
        return None
    if handle is None:
        connection.close()
        page.close()
        for fd, child in children.items():
            os.close(fd)
            child.page.close()
        _allow_files(max_files)
        _work(data, fds[0], parent_fd)
    os.close(fds[0])
    children[handle.fd] = _Child(handle, page, status_offset - at)
    try:
        socket.send_fds(connection, [ANSWER.pack(handle.process_id, 0)], [handle.fd])
    except OSError:  # the program was interrupted, and has closed the connection
        handle.kill()
        raise EOFError from None
    return handle.fd


def _work(data: bytes, memory_fd: int, parent_fd: int) -> NoReturn:
    from envpool_py.python_envs.worker import run

    code = 1
    try:
        code = run(pickle.loads(data), memory_fd, parent_fd)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
