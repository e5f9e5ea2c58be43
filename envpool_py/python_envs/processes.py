"""Handles of processes, by which they are waited for, killed and reaped.

A handle has a descriptor that becomes readable when its process has ended. On Linux it is a pidfd.
Elsewhere it is the reading end of a pipe: the process holds the writing end as long as it lives. No
other process does, because one that is forked closes it, and one that runs another program does not
inherit it. Only code in C that forks without Python's knowledge keeps it open, so that the end of
the process is seen when that process has ended, too.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import threading
from dataclasses import dataclass

from envpool_py.pool import core

__all__ = [
    "FINISHED",
    "HAS_PIDFDS",
    "Lifeline",
    "ProcessHandle",
    "above_standard",
    "fork",
    "hold",
    "own_descriptor",
]

FINISHED = 83
"""Exit code of a worker that has ended because its pool has; no code that environments use."""

HAS_PIDFDS = core.os_layer == "linux"
"""Whether the descriptor of a handle is a pidfd, which the engine then expects."""


# A killed process may not end for long, such as while it waits for a file server.
_LONGEST_DEATH_SECONDS = 5.0


def above_standard(fd: int) -> int:
    """Returns the descriptor, or a copy in its place, above 2, and closed where a program starts.

    A program whose standard descriptors are closed may open other files by their numbers.
    """
    if fd > 2:
        os.set_inheritable(fd, False)
        return fd
    try:
        return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(fd)


@dataclass(frozen=True)
class ProcessHandle:
    """A process that this one has started, or that the server has.

    Attributes:
        process_id: its id.
        fd: becomes readable when the process has ended. The handle owns it.
        is_child: whether this process reaps it; if not, its id may be that of another one later.
    """

    process_id: int
    fd: int
    is_child: bool = True

    def wait(self, timeout: float | None) -> bool:
        """Waits for the end; returns whether it came within `timeout` seconds. None: no limit."""
        poller = select.poll()
        poller.register(self.fd, select.POLLIN)
        return bool(poller.poll(None if timeout is None else timeout * 1e3))

    def reap(self) -> int | None:
        """Reaps the process, which has ended, and closes the descriptor.

        What a worker that has not finished has left in its process group is killed. Does neither if
        the process is no child of this one, or was reaped.

        Returns:
            The status, as `os.waitpid` defines it, of a process that this call has reaped.
        """
        try:
            if self.is_child:
                return self._reap_child()
        except ChildProcessError:
            pass
        finally:
            os.close(self.fd)
        return None

    def _reap_child(self) -> int:
        if not HAS_PIDFDS:
            # The id of a group is not used again while a process is in it. That it is used for
            # another one before the next call, if there is none, is not expected.
            reaped, status = os.waitpid(self.process_id, os.WNOHANG)
            if reaped == 0:  # it has closed its end of the pipe, and may live
                os.kill(self.process_id, signal.SIGKILL)
                _, status = os.waitpid(self.process_id, 0)
            self._kill_group(status)
            return status
        # Not by the id of the process, which another child may have by now.
        ended = os.waitid(os.P_PIDFD, self.fd, os.WEXITED | os.WNOWAIT)
        assert ended is not None
        exited = ended.si_code == os.CLD_EXITED
        status = ended.si_status << 8 if exited else ended.si_status
        self._kill_group(status)  # its id is not used again before it is reaped
        os.waitid(os.P_PIDFD, self.fd, os.WEXITED)
        return status

    def _kill_group(self, status: int) -> None:
        if status != FINISHED << 8:
            # macOS forbids it if all of the group have ended.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process_id, signal.SIGKILL)

    def kill(self) -> None:
        """Kills the process, waits for its end, and reaps it.

        One that does not end within seconds, because the system does not let it, is left alone.
        """
        with contextlib.suppress(ProcessLookupError):
            if HAS_PIDFDS:
                signal.pidfd_send_signal(self.fd, signal.SIGKILL)
            elif not self.wait(0.0):
                os.kill(self.process_id, signal.SIGKILL)
                # What C has forked in it may hold the pipe.
                with contextlib.suppress(PermissionError):
                    os.killpg(self.process_id, signal.SIGKILL)
        if self.wait(_LONGEST_DEATH_SECONDS):
            self.reap()
        else:
            os.close(self.fd)


# Writing ends that this process has, for itself and for processes that it is about to start.
_held: set[int] = set()
# Held while ends are opened or closed, and by a thread that forks: the new process closes the ends
# in `_held`, and those alone.
_opening = threading.RLock()
_own_reading_end = -1
_forking = threading.local()  # `own`: the writing end of the process that this thread is forking


def _close_in_child() -> None:
    global _own_reading_end
    own = getattr(_forking, "own", -1)
    _forking.own = -1
    for fd in _held - {own}:
        os.close(fd)
    _held.intersection_update({own})
    if _own_reading_end >= 0:
        os.close(_own_reading_end)
        _own_reading_end = -1
    _opening.release()


os.register_at_fork(
    before=_opening.acquire, after_in_parent=_opening.release, after_in_child=_close_in_child
)


def _pipe() -> tuple[int, int]:
    """Returns the ends of a pipe; neither is a standard descriptor."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(_opening)
        ends = os.pipe()
        for fd in ends:
            stack.callback(os.close, fd)
        reading = fcntl.fcntl(ends[0], fcntl.F_DUPFD_CLOEXEC, 3)
        try:
            writing = fcntl.fcntl(ends[1], fcntl.F_DUPFD_CLOEXEC, 3)
        except OSError:
            os.close(reading)
            raise
        _held.add(writing)
    return reading, writing


class Lifeline:
    """What gives a process a handle; made before the process is started.

    Attributes:
        passed: descriptors that the process inherits, which calls `hold` with them.
    """

    def __init__(self) -> None:
        self._reading, self._writing = (-1, -1) if HAS_PIDFDS else _pipe()
        self.passed = [] if HAS_PIDFDS else [self._writing]

    def handle_of(self, process_id: int) -> ProcessHandle:
        """Returns the handle of the process, a child of this one, that was started.

        If there can be none (OSError: such as too many open files), the process is killed.
        """
        if HAS_PIDFDS:
            try:
                return ProcessHandle(process_id, above_standard(os.pidfd_open(process_id)))
            except BaseException:
                os.kill(process_id, signal.SIGKILL)
                os.waitpid(process_id, 0)
                raise
        _close(self._writing)
        return ProcessHandle(process_id, self._reading)

    def give_up(self) -> None:
        """Closes the descriptors, because no process was started."""
        for fd in (self._reading, self._writing):
            _close(fd)

    def is_in_child(self) -> None:
        """Called in a forked process, which holds its writing end."""
        _close(self._reading)


def _close(fd: int) -> None:
    if fd >= 0:
        with _opening:
            _held.discard(fd)
            os.close(fd)


def hold(*passed: int) -> None:
    """Called in a new process, with what its `Lifeline` has passed."""
    for fd in passed:
        os.set_inheritable(fd, False)
        _held.add(fd)


def fork() -> ProcessHandle | None:
    """Forks this process; returns the handle of the new one, and None in it."""
    lifeline = Lifeline()
    _forking.own = lifeline.passed[0] if lifeline.passed else -1
    try:
        process_id = os.fork()
    except OSError:
        lifeline.give_up()
        raise
    finally:
        _forking.own = -1
    if process_id == 0:
        lifeline.is_in_child()
        return None
    return lifeline.handle_of(process_id)


def own_descriptor() -> int:
    """Returns a descriptor that becomes readable, in other processes, when this one has ended.

    The caller closes it.
    """
    global _own_reading_end
    if HAS_PIDFDS:
        return above_standard(os.pidfd_open(os.getpid()))
    with _opening:
        if _own_reading_end < 0:
            _own_reading_end, _ = _pipe()
    return fcntl.fcntl(_own_reading_end, fcntl.F_DUPFD_CLOEXEC, 3)
