"""What a program does around its pools: ids it registers, signals, directories, forks, Ctrl-C."""

from __future__ import annotations

import contextlib
import io
import os
import random
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
        process: Any = python(*arguments, **more)
        process.stdin.close()
        process.stdin = Interrupted()
        processes.append(process)
        return process

    with monkeypatch.context() as patch:
        patch.setattr(launching, "_python", spawned)
        with pytest.raises(KeyboardInterrupt):
            envpool_py.make_python(Counting, 2, num_workers=2, start_method="spawn")
    assert len(processes) == 1
    assert processes[0].returncode is not None  # it has ended, and was reaped


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
        print(launching._server.process.poll())
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        """
    )
    assert output == "0\n"


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
    """Whether a process has ended; the server may not have reaped it yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return True
    return state.startswith(("Z", "X"))


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
