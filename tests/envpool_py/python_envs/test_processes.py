"""Handles of processes, with pidfds and with pipes."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import threading
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


def test_a_process_that_has_closed_its_lifeline_is_reaped() -> None:
    def close() -> None:
        os.closerange(3, 1024)
        pause()

    handle = forked(close)
    if processes.HAS_PIDFDS:
        handle.kill()
        return
    assert handle.wait(GUARD)
    assert handle.reap() == signal.SIGKILL


def test_what_c_has_forked_does_not_hide_the_end_of_a_process_that_is_killed() -> None:
    reading, writing = os.pipe()

    def lead() -> None:
        os.setpgid(0, 0)
        ctypes.CDLL(None).fork()
        os.write(writing, b"x")
        pause()

    handle = forked(lead)
    os.close(writing)
    ready = b""
    while len(ready) < 2:
        ready += os.read(reading, 2)
    handle.kill()
    assert not is_open(handle.fd)
    if not processes.HAS_PIDFDS:
        assert select.select([reading], [], [], GUARD)[0]  # it was killed, too
    else:
        os.killpg(handle.process_id, signal.SIGKILL)
    os.close(reading)


def test_a_process_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_LONGEST_DEATH_SECONDS", 0.01)
    monkeypatch.setattr(processes.signal, "pidfd_send_signal", lambda *_: None)
    monkeypatch.setattr(os, "kill", lambda *_: None)
    monkeypatch.setattr(os, "killpg", lambda *_: None)
    handle = forked(pause)
    handle.kill()
    assert not is_open(handle.fd)
    monkeypatch.undo()
    os.kill(handle.process_id, signal.SIGKILL)
    os.waitpid(handle.process_id, 0)


def test_forks_of_other_threads_inherit_no_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "HAS_PIDFDS", False)
    stop = threading.Event()

    def make() -> None:
        while not stop.is_set():
            processes.Lifeline().give_up()

    def inherited() -> int:
        """Forks a process; returns how many ends of pipes it could write to."""
        process = os.fork()
        if process != 0:
            return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        count = 0
        for fd in range(3, 256):
            with contextlib.suppress(OSError):
                flags = fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE
                count += stat.S_ISFIFO(os.fstat(fd).st_mode) and flags == os.O_WRONLY
        os._exit(count)

    before = inherited()
    thread = threading.Thread(target=make)
    thread.start()
    try:
        assert [inherited() for _ in range(100)] == [before] * 100
    finally:
        stop.set()
        thread.join()


def test_descriptors_are_no_standard_ones() -> None:
    program = (
        "import os; from envpool_py.python_envs import processes, server\n"
        f"processes.HAS_PIDFDS = {processes.HAS_PIDFDS}\n"
        "os.close(0); os.close(1)\n"
        "own, handle = processes.own_descriptor(), processes.fork()\n"
        "if handle is None: os._exit(0)\n"
        "assert min(own, handle.fd) > 2 and not os.get_inheritable(handle.fd)\n"
        "handle.wait(None), handle.reap()\n"
        "assert processes.above_standard(os.open(os.devnull, os.O_RDONLY)) > 2\n"
        "server.open_standard_descriptors()\n"
        "assert os.get_inheritable(0) and os.get_inheritable(1)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
