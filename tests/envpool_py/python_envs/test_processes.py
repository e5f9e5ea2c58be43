"""Handles of processes, with pidfds and with pipes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py.python_envs import processes
from envpool_py.python_envs.processes import FINISHED, ProcessHandle

pytestmark = pytest.mark.unsanitized  # ThreadSanitizer forbids forks of a process with threads

GUARD = 30.0  # seconds


@pytest.fixture(params=["pidfds", "pipes"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "pidfds" and not hasattr(os, "pidfd_open"):
        pytest.skip("this system has no pidfds")
    monkeypatch.setattr(processes, "HAS_PIDFDS", request.param == "pidfds")


def forked(function: Callable[[], int | None]) -> ProcessHandle:
    """Forks a process that exits with what the function returns."""
    handle = processes.fork()
    if handle is None:
        code = 99
        with contextlib.suppress(BaseException):
            code = function() or 0
        os._exit(code)
    return handle


def pause() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pause()


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def test_a_process_runs_until_it_is_killed() -> None:
    handle = forked(pause)
    assert not handle.wait(0.0)
    handle.kill()
    assert not is_open(handle.fd)
    with pytest.raises(ProcessLookupError):
        os.kill(handle.process_id, 0)


@pytest.mark.parametrize("code", [0, 3, FINISHED])
def test_the_status_of_an_exit(code: int) -> None:
    handle = forked(lambda: code)
    assert handle.wait(GUARD)
    assert handle.reap() == code << 8
    assert not is_open(handle.fd)


def test_the_status_of_a_signal() -> None:
    handle = forked(pause)
    os.kill(handle.process_id, signal.SIGKILL)
    assert handle.wait(GUARD)
    assert handle.reap() == signal.SIGKILL


def test_a_process_that_was_reaped_elsewhere() -> None:
    handle = forked(lambda: 1)
    os.waitpid(handle.process_id, 0)
    assert handle.wait(GUARD)
    assert handle.reap() is None
    assert not is_open(handle.fd)


def test_a_process_of_another_parent_is_not_reaped() -> None:
    handle = forked(lambda: 1)
    copy = ProcessHandle(handle.process_id, os.dup(handle.fd), is_child=False)
    assert copy.wait(GUARD)
    assert copy.reap() is None
    assert handle.reap() == 1 << 8


@pytest.mark.parametrize("how", ["fork", "handle", "exec"])
def test_processes_that_it_has_started_do_not_hide_its_end(how: str) -> None:
    reading, writing = os.pipe()

    def start_another() -> None:
        if how == "exec":
            program = "import signal; signal.pause()"
            pid = subprocess.Popen([sys.executable, "-c", program], close_fds=False).pid
        elif how == "handle":
            pid = forked(pause).process_id
        elif (pid := os.fork()) == 0:
            pause()
        os.write(writing, str(pid).encode())

    handle = forked(start_another)
    assert handle.wait(GUARD)
    assert handle.reap() == 0
    other = int(os.read(reading, 100))
    os.kill(other, 0)  # it lives
    os.kill(other, signal.SIGKILL)
    os.close(reading)
    os.close(writing)


def test_later_processes_do_not_hide_the_end_of_earlier_ones() -> None:
    handles = [forked(pause) for _ in range(3)]
    handles[0].kill()  # waits for its end
    assert not any(handle.wait(0.0) for handle in handles[1:])
    for handle in handles[1:]:
        handle.kill()


@pytest.mark.parametrize("code", [1, FINISHED])
def test_the_group_of_a_process_ends_unless_it_has_finished(code: int) -> None:
    reading, writing = os.pipe()  # closed when the whole group has ended

    def lead() -> int:
        os.setpgid(0, 0)
        if os.fork() == 0:
            pause()
        return code

    handle = forked(lead)
    os.close(writing)
    assert handle.wait(GUARD)
    assert handle.reap() == code << 8
    if code == FINISHED:
        assert not select.select([reading], [], [], 0.0)[0]
        os.killpg(handle.process_id, signal.SIGKILL)
    assert select.select([reading], [], [], GUARD)[0]
    os.close(reading)


@pytest.mark.parametrize("forks", [False, True])
def test_the_end_of_a_process_that_gave_its_own_descriptor(forks: bool) -> None:
    ours, theirs = socket.socketpair()

    def give() -> None:
        fd = processes.own_descriptor()
        other = 0
        if forks and (other := os.fork()) == 0:
            pause()
        socket.send_fds(theirs, [str(other).encode()], [fd])
        pause()

    with ours, theirs:
        handle = forked(give)
        other, fds, _, _ = socket.recv_fds(ours, 100, 1)
        assert not select.select(fds, [], [], 0.0)[0]
        handle.kill()
        assert select.select(fds, [], [], GUARD)[0]
        os.close(fds[0])
        if forks:
            os.kill(int(other), signal.SIGKILL)


def test_a_program_that_is_started_holds_its_lifeline() -> None:
    program = (
        "import sys; from envpool_py.python_envs import processes; "
        "processes.hold(*map(int, sys.argv[1:])); print(flush=True); sys.stdin.read()"
    )
    lifeline = processes.Lifeline()
    with subprocess.Popen(
        [sys.executable, "-c", program, *map(str, lifeline.passed)],
        pass_fds=lifeline.passed,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program_process:
        handle = lifeline.handle_of(program_process.pid)
        assert program_process.stdout is not None
        program_process.stdout.readline()
        assert not handle.wait(0.0)
        program_process.communicate()
        assert handle.wait(GUARD)
    assert handle.reap() is None  # `Popen` has


def test_a_process_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError("no more processes")

    before, held = len(list(Path("/dev/fd").iterdir())), set(processes._held)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fork", refuse)
        with pytest.raises(BlockingIOError):
            processes.fork()
    assert len(list(Path("/dev/fd").iterdir())) == before
    assert processes._held == held
