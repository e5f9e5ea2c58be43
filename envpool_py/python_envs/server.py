"""The process from which worker processes are forked: one per program, started when first needed.

It has imported what workers need and has no threads, so that forking it is quick and safe, unlike
forking a program that has threads or uses a GPU. It does not import the program's main module.

Each request is a length (8 bytes), the descriptor of the shared memory, and a pickled `WorkerJob`;
the answer is the id of the new process and its pidfd.
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
from typing import NoReturn

LENGTH = struct.Struct("!Q")


def receive(connection: socket.socket, size: int) -> bytes:
    """Reads that many bytes; fewer if the other side has closed the connection."""
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
    importlib.import_module("envpool_py.python_envs.worker")  # before the forks
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()  # so that the workers' collections do not copy these pages
    connection = socket.socket(fileno=connection_fd)
    children: dict[int, int] = {}  # process ids by pidfd
    while True:
        watched = [connection_fd, parent_pidfd, *children]
        readable = select.select(watched, [], [])[0]
        for pidfd in set(readable) & set(children):
            os.waitpid(children.pop(pidfd), 0)
            os.close(pidfd)
        if parent_pidfd in readable:
            return
        if connection_fd in readable and not _answer(connection, parent_pidfd, children):
            return


def _answer(connection: socket.socket, parent_pidfd: int, children: dict[int, int]) -> bool:
    """Forks a worker; False if there is no further request."""
    head, fds, _, _ = socket.recv_fds(connection, LENGTH.size, 1)
    if len(head) < LENGTH.size or not fds:
        return False
    (size,) = LENGTH.unpack(head)
    data = receive(connection, size)
    if len(data) < size:
        return False
    process_id = os.fork()
    if process_id == 0:
        connection.close()
        for pidfd in children:
            os.close(pidfd)
        _work(data, fds[0], parent_pidfd)
    os.close(fds[0])
    pidfd = os.pidfd_open(process_id)
    children[pidfd] = process_id
    socket.send_fds(connection, [LENGTH.pack(process_id)], [pidfd])
    return True


def _work(data: bytes, memory_fd: int, parent_pidfd: int) -> NoReturn:
    from envpool_py.python_envs.worker import run

    code = 1
    try:
        run(pickle.loads(data), memory_fd, parent_pidfd)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
