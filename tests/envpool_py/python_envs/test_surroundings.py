"""What a program does around its pools: ids it registers, signals, directories, Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import random
import select
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py import EnvironmentFailedError
from envpool_py.python_envs import launching

from ..lifecycle import RunScript, needs_proc
from ..waiting import LIMIT, Call, await_asleep, default_interrupts
from . import awkward

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

pytestmark = needs_proc


class Counting(gymnasium.Env[Any, Any]):
    """Observes the number of its resets, and the id of its process."""

    observation_space = spaces.Box(0, 2**31, (2,), np.int64)
    action_space = spaces.Discrete(2)
    live = 0

    def __init__(self) -> None:
        self.resets = 0
        Counting.live += 1

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.resets += 1
        random.random()
        np.random.random()
        return np.array([self.resets, os.getpid()]), {}

    def step(self, action: Any) -> Any:
        return np.array([self.resets, os.getpid()]), 0.0, False, False, {}

    def close(self) -> None:
        Counting.live -= 1


@pytest.fixture
def registered() -> Iterator[str]:
    gymnasium.register("Surroundings-v0", entry_point=Counting)
    yield "Surroundings-v0"
    del gymnasium.registry["Surroundings-v0"]


@pytest.mark.parametrize(
    "start_method",
    ["forkserver", "spawn", pytest.param("fork", marks=pytest.mark.unsanitized)],
)
def test_workers_know_the_ids_of_the_program(start_method: str, registered: str) -> None:
    fns = [lambda: gymnasium.make(registered)] * 2
    with envpool_py.make_python(fns, num_workers=2, start_method=start_method) as pool:
        assert pool.reset()[0][:, 0].tolist() == [1, 1]


def test_the_choice_of_workers_uses_none_of_the_environments() -> None:
    random.seed(0)
    np.random.seed(0)
    expected = random.Random(0).random(), np.random.RandomState(0).random()
    with envpool_py.make_python(Counting, 2) as pool:
        assert (random.random(), np.random.random()) == expected
        assert pool.reset()[0][:, 0].tolist() == [1, 1]


def test_environments_are_closed_if_the_pool_is_not_made() -> None:
    def make() -> Any:
        if Counting.live == 1:
            raise ArithmeticError("the second one")
        return Counting()

    assert Counting.live == 0
    with pytest.raises(ArithmeticError):
        envpool_py.make_python(make, 2, num_workers=0)
    assert Counting.live == 0


def pids_of(pool: Any) -> list[int]:
    return [int(row[1]) for row in pool.reset()[0]]


def end_the_server() -> None:
    """Ends the server of worker processes, if there is one; the next pool starts another."""
    if launching._server is not None:
        launching._server.end()
        launching._server = None


def test_ctrl_c_while_workers_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next pool gets its own workers, not those of the interrupted call."""
    end_the_server()  # so that the first worker has to wait for it
    requested = threading.Event()
    start = launching._Server.start

    def requesting(*arguments: Any) -> Any:
        requested.set()
        return start(*arguments)

    caller = threading.current_thread()

    def interrupt() -> None:
        requested.wait(LIMIT)
        await_asleep(caller)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(launching._Server, "start", requesting)
    with default_interrupts(), contextlib.suppress(KeyboardInterrupt):
        interrupting = Call(interrupt)
        with envpool_py.make_python(Counting, 2, num_workers=2):
            interrupting.result()
    with envpool_py.make_python(Counting, 2, num_workers=2) as pool:
        assert pids_of(pool) == pool.worker_pids


def test_ctrl_c_while_the_server_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sockets are closed; if not, the collection of one is an error."""

    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    end_the_server()
    with monkeypatch.context() as patch:
        patch.setattr(launching, "_python", interrupted)
        with pytest.raises(KeyboardInterrupt):
            envpool_py.make_python(Counting, 2, num_workers=2)
    with envpool_py.make_python(Counting, 2, num_workers=2) as pool:
        assert pids_of(pool) == pool.worker_pids


def test_ctrl_c_while_a_spawned_worker_gets_its_job(monkeypatch: pytest.MonkeyPatch) -> None:
    processes = []
    python = launching._python

    class Interrupted(io.BytesIO):
        def write(self, _: Any) -> int:
            raise KeyboardInterrupt

    def spawned(*arguments: Any, **more: Any) -> Any:
        process, handle = python(*arguments, **more)
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = Interrupted()
        processes.append(process)
        return process, handle

    with monkeypatch.context() as patch:
        patch.setattr(launching, "_python", spawned)
        with pytest.raises(KeyboardInterrupt):
            envpool_py.make_python(Counting, 2, num_workers=2, start_method="spawn")
    assert len(processes) == 1
    assert not Path(f"/proc/{processes[0].pid}").exists()  # it has ended, and was reaped


def test_another_process_holds_the_pipe_of_a_spawned_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one has it that another thread forks at that moment."""
    held = []
    python = launching._python

    def spawned(*arguments: Any, **more: Any) -> Any:
        process, handle = python(*arguments, **more)
        assert process.stdin is not None
        held.append(os.dup(process.stdin.fileno()))
        return process, handle

    monkeypatch.setattr(launching, "_python", spawned)
    with envpool_py.make_python(Counting, 2, num_workers=1, start_method="spawn") as pool:
        assert pids_of(pool)[0] == pool.worker_pids[0]
    (fd,) = held
    os.close(fd)


@pytest.mark.parametrize(
    "start_method",
    ["forkserver", "spawn", pytest.param("fork", marks=pytest.mark.unsanitized)],
)
def test_ctrl_c_while_a_process_starts(start_method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process is not lost: it is the server of the next pool, or it has ended."""
    end_the_server()
    pids = []
    popen, fork = launching.subprocess.Popen, os.fork

    def popen_interrupted(*arguments: Any, **settings: Any) -> Any:
        process = popen(*arguments, **settings)
        pids.append(process.pid)
        os.kill(os.getpid(), signal.SIGINT)
        return process

    def fork_interrupted() -> int:
        pid = fork()
        if pid > 0:
            pids.append(pid)
            os.kill(os.getpid(), signal.SIGINT)
        return pid

    def make() -> Any:
        return envpool_py.make_python(Counting, 2, num_workers=2, start_method=start_method)

    with default_interrupts(), monkeypatch.context() as patch:
        patch.setattr(launching.subprocess, "Popen", popen_interrupted)
        patch.setattr(os, "fork", fork_interrupted)
        with pytest.raises(KeyboardInterrupt):
            make()
    with make() as pool:
        assert pids_of(pool) == pool.worker_pids
    (pid,) = pids
    if start_method == "forkserver":
        assert launching._server is not None
        assert launching._server.process.pid == pid
    else:
        assert not Path(f"/proc/{pid}").exists()


@pytest.mark.unsanitized
def test_a_program_ends_although_a_forked_process_lives(run_script: RunScript) -> None:
    """The server of worker processes ends, too."""
    output = run_script(
        """
        import os, signal, time, envpool_py, gymnasium
        envpool_py.make_python(lambda: gymnasium.make("CartPole-v1"), 2, num_workers=2).close()
        from envpool_py.python_envs import launching
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
        launching._server.end()
        print(os.path.exists(f"/proc/{launching._server.process.pid}"))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        """
    )
    assert output == "False\n"


@pytest.mark.unsanitized
def test_a_program_that_ignores_the_ends_of_children(run_script: RunScript) -> None:
    output = run_script(
        """
        import os, signal, envpool_py, gymnasium, numpy as np
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        make = lambda: gymnasium.make("CartPole-v1")
        for _ in range(2):
            with envpool_py.make_python(make, 2, num_workers=2) as pool:
                pool.reset()
                os.kill(pool.worker_pids[1], signal.SIGKILL)
                try:
                    pool.step(np.zeros(2, int))
                except envpool_py.EnvironmentFailedError as error:
                    print(str(error.causes[0]).split(") ")[1].splitlines()[0])
        """
    )
    assert output.count("was killed by SIGKILL") == 2


def test_a_working_directory_that_was_deleted(tmp_path: Path, monkeypatch: Any) -> None:
    deleted = tmp_path / "deleted"
    deleted.mkdir()
    monkeypatch.chdir(deleted)
    deleted.rmdir()
    with envpool_py.make_python(Counting, 2, num_workers=1) as pool:
        assert pool.reset()[0][:, 0].tolist() == [1, 1]


@pytest.mark.unsanitized
@pytest.mark.parametrize("start_method", ["forkserver", "fork"])
def test_what_environments_print_is_not_lost(start_method: str, run_script: RunScript) -> None:
    output = run_script(
        f"""
        import envpool_py, gymnasium, numpy as np
        class Printing(gymnasium.Wrapper):
            def step(self, action):
                print("a step")
                return self.env.step(action)
        make = lambda: Printing(gymnasium.make("CartPole-v1"))
        print("before")
        with envpool_py.make_python(make, 2, num_workers=1, start_method="{start_method}") as pool:
            pool.reset()
            pool.step(np.zeros(2, int))
        """
    )
    assert sorted(output.splitlines()) == ["a step", "a step", "before"]


class OwnError(Exception):
    """An exception whose class workers have by value only."""


class Raising(Counting):
    def boom(self) -> None:
        raise OwnError("boom")


@pytest.mark.parametrize("num_workers", [0, 2])
def test_calls_raise_exceptions_of_the_program(num_workers: int) -> None:
    with (
        envpool_py.make_python(Raising, 2, num_workers=num_workers) as pool,
        pytest.raises(OwnError, match="boom"),
    ):
        pool.call("boom")


@pytest.mark.unsanitized
def test_workers_that_an_interrupted_close_has_left() -> None:
    pool = envpool_py.make_python(awkward.Obedient, 2, num_workers=2)
    pool.reset()
    pids = pool.worker_pids
    os.kill(pids[0], signal.SIGSTOP)  # it does not see that the pool is closed
    caller, closing = threading.current_thread(), threading.Event()

    def interrupt() -> None:
        closing.wait()
        await_asleep(caller)
        os.kill(os.getpid(), signal.SIGINT)

    interrupting = Call(interrupt)

    def close(closed: Any) -> None:
        closing.set()
        closed.close()

    with default_interrupts():
        with pytest.raises(KeyboardInterrupt):
            close(pool)
        interrupting.result()
    del pool
    assert all(_has_ended(pid) for pid in pids)


def _has_ended(pid: int) -> bool:
    """Whether a process has ended, or ends within a minute; the server may not have reaped it yet.

    Where a pipe shows the end, a process that closes its files is still there for a moment.
    """
    try:
        ended = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([ended], [], [], 60.0)[0])
    finally:
        os.close(ended)


class OnlyHere:
    """Can be unpickled only in the process that pickled it."""

    def __init__(self, process: int | None = None) -> None:
        if process is not None and process != os.getpid():
            raise ArithmeticError("not in this process")

    def __reduce__(self) -> Any:
        return OnlyHere, (os.getpid(),)


def test_arguments_that_workers_cannot_read() -> None:
    """Only the call fails; the workers go on."""
    with envpool_py.make_python(Counting, 2, num_workers=2) as pool:
        pool.reset()
        pids = pool.worker_pids
        with pytest.raises(ArithmeticError, match="not in this process"):
            pool.set_attr("something", OnlyHere())
        with pytest.raises(EnvironmentFailedError, match="not in this process"):
            pool.reset(options={"something": OnlyHere()})
        pool.reset()
        pool.step(np.zeros(2, int))
        assert pool.worker_pids == pids


class Circular(Counting):
    """Has an info that contains itself."""

    def step(self, action: Any) -> Any:
        info: dict[str, Any] = {}
        info["self"] = info
        return np.zeros(2, np.int64), 0.0, True, False, info


@pytest.mark.unsanitized  # a deep recursion
@pytest.mark.parametrize("num_workers", [0, 1])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_infos_that_contain_themselves(num_workers: int, mode: str) -> None:
    with envpool_py.make_python(Circular, 2, num_workers=num_workers, autoreset_mode=mode) as pool:
        pool.reset()
        message = r"info\['self'\]: expected a dict that neither contains itself"
        with pytest.raises(EnvironmentFailedError, match=message) as failure:
            pool.step(np.zeros(2, int))
        assert failure.value.env_ids == [0, 1]
        assert failure.value.batch[2].all()


class WithChild(Counting):
    """Starts a process and does not end it; observes its id."""

    def __init__(self) -> None:
        super().__init__()
        self.child = multiprocessing.get_context("fork").Process(target=signal.pause, daemon=True)
        self.child.start()

    def step(self, action: Any) -> Any:
        if action == 1:
            os._exit(0)
        return super().step(action)

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        return np.array([self.resets, self.child.pid]), {}


def await_end(pidfd: int) -> None:
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    assert poller.poll(LIMIT * 1e3)
    os.close(pidfd)


@pytest.mark.unsanitized
@pytest.mark.parametrize("end", ["killed", "exit"])
@pytest.mark.parametrize("start_method", ["forkserver", "spawn", "fork"])
def test_processes_that_environments_have_started(start_method: str, end: str) -> None:
    """They end with the worker, whether it is closed, killed, or ended by its environment; those
    of the program do not."""
    own = multiprocessing.get_context("fork").Process(target=signal.pause, daemon=True)
    own.start()
    with envpool_py.make_python(WithChild, 2, num_workers=2, start_method=start_method) as pool:
        killed, closed = [os.pidfd_open(pid) for pid in pids_of(pool)]
        worker = os.pidfd_open(pool.worker_pids[0])
        if end == "killed":
            signal.pidfd_send_signal(worker, signal.SIGKILL)
            await_end(worker)
        with pytest.raises(EnvironmentFailedError):
            pool.step(np.array([int(end == "exit"), 0]))
        if end == "exit":
            await_end(worker)
        pool.reset()  # reaps it
        await_end(killed)
    assert own.is_alive()
    # This process, too, has made an environment, for its spaces.
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    assert select.select([closed], [], [], 0.0)[0]  # before close() returns
    os.close(closed)


@pytest.mark.unsanitized
@pytest.mark.parametrize("start_method", ["forkserver", "fork"])
def test_processes_of_environments_end_with_the_program(
    start_method: str, run_script: RunScript
) -> None:
    output = run_script(
        f"""
        import multiprocessing, os, signal, envpool_py, gymnasium
        def pause():
            os.closerange(1, 3)  # otherwise the test would wait for its end
            signal.pause()
        class WithChild(gymnasium.Wrapper):
            def child(self):
                fork = multiprocessing.get_context("fork")
                process = fork.Process(target=pause, daemon=True)
                process.start()
                return process.pid
        make = lambda: WithChild(gymnasium.make("CartPole-v1"))
        pool = envpool_py.make_python(make, 2, num_workers=1, start_method="{start_method}")
        print(*pool.call("child"), flush=True)
        os._exit(0)
        """
    )
    for pid in output.split():
        with contextlib.suppress(ProcessLookupError):
            await_end(os.pidfd_open(int(pid)))


@pytest.mark.unsanitized
def test_fork_pickles_nothing() -> None:
    lock = threading.Lock()

    def make() -> Any:
        with lock:
            return Counting()

    with envpool_py.make_python(make, 2, num_workers=2, start_method="fork") as pool:
        assert pool.reset()[0][:, 0].tolist() == [1, 1]


@pytest.mark.parametrize("start_method", ["forkserver", "spawn"])
def test_a_path_that_is_no_text(start_method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports ignore it, here and in the workers."""
    end_the_server()
    monkeypatch.setattr(sys, "path", [*sys.path, Path("somewhere")])
    with envpool_py.make_python(Counting, 2, num_workers=1, start_method=start_method) as pool:
        assert pool.reset()[0][:, 0].tolist() == [1, 1]


@pytest.mark.unsanitized
@pytest.mark.parametrize("start_method", ["forkserver", "spawn", "fork"])
def test_closed_standard_descriptors(start_method: str, run_script: RunScript) -> None:
    """No file of the pool takes the place of a standard descriptor, which programs write to."""
    output = run_script(
        f"""
        import os, envpool_py, gymnasium
        output = os.dup(1)
        for fd in (0, 1, 2):
            os.close(fd)
        class Writing(gymnasium.Wrapper):
            def write(self):
                for fd in (0, 1, 2):
                    try:
                        os.write(fd, b"x" * 100_000)
                    except OSError:
                        pass
        make = lambda: Writing(gymnasium.make("CartPole-v1"))
        with envpool_py.make_python(make, 2, num_workers=1, start_method="{start_method}") as pool:
            pool.call("write")
            for fd in (0, 1, 2):
                try:
                    os.write(fd, b"x" * 100_000)
                except OSError:
                    pass
            os.write(output, str(pool.reset(seed=0)[0].shape).encode())
        """
    )
    assert output == "(2, 4)"


@pytest.mark.unsanitized
@pytest.mark.parametrize("start_method", ["forkserver", "spawn", "fork"])
def test_too_few_descriptors(start_method: str, run_forked: RunScript) -> None:
    """Each limit is a typed error, after which no descriptor is open that was not before."""
    output = run_forked(
        f"""
        import gc, os, resource, envpool_py, gymnasium
        make = lambda: gymnasium.make("CartPole-v1")
        def pool():
            return envpool_py.make_python(make, 2, num_workers=2, start_method="{start_method}")
        pool().close()  # starts the server
        def opened():
            gc.collect()
            return [int(fd) for fd in os.listdir("/proc/self/fd")]
        def num_open():
            return len(opened())
        # The limit is of numbers: none below the highest may be free.
        while num_open() <= max(opened()):
            os.dup(0)
        before, hard = num_open(), resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        errors = 0
        for limit in range(before, before + 40):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            try:
                pool().close()
            except envpool_py.errors.EnvPoolError as error:
                assert "Too many open files" in str(error), error
                errors += 1
            else:
                break
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            assert num_open() <= before, (limit, num_open(), before)
        print(errors > 3, limit < before + 39)
        """
    )
    assert output == "True True\n"


class FailingClose(Counting):
    """Cannot be closed in the program; in workers it can."""

    program = os.getpid()

    def close(self) -> None:
        super().close()
        if os.getpid() == self.program:
            raise ArithmeticError("it cannot be closed")


@pytest.mark.parametrize("num_workers", [None, 1])
def test_environments_that_only_show_their_spaces_fail_to_close(num_workers: int | None) -> None:
    pool = envpool_py.make_python(FailingClose, 2, num_workers=num_workers)
    assert pool.reset()[0][:, 0].tolist() == [1, 1]
    with contextlib.nullcontext() if pool.num_workers else pytest.raises(ArithmeticError):
        pool.close()
