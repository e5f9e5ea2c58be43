"""Environments that raise, workers that die or hang, and resources that must be released."""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
from gymnasium import spaces

import envpool_py
from envpool_py import EnvironmentFailedError
from envpool_py.errors import InputTypeError, ResetNeededError, WorkerError
from envpool_py.pool import core
from envpool_py.python_envs import launching, processes
from envpool_py.python_envs import pool as pool_module

from . import awkward

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SANITIZED = "ENVPOOL_SANITIZER" in os.environ
RAISE, DIE, HANG = 1, 2, 3
GUARD = 30.0  # seconds
# How the kernel names the memory that processes share.
SHARED_FILE = "memfd:" if core.os_layer == "linux" else "/dev/shm/"


def actions(n: int, env: int, action: int) -> np.ndarray:
    chosen = np.zeros(n, int)
    chosen[env] = action
    return chosen


@pytest.mark.parametrize("num_workers", [0, 2])
def test_an_exception_is_reported_and_the_others_go_on(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 4, num_workers=num_workers) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError, match="environment 2 failed") as failure:
            pool.step(actions(4, 2, RAISE))
        assert failure.value.env_ids == [2]
        cause = failure.value.causes[0]
        assert cause.startswith("ValueError: told to raise after 1 steps")
        assert "Traceback" in cause
        assert "awkward.py" in cause
        observations = failure.value.batch[0]
        assert observations[:, 0].tolist() == [1, 1, 0, 1]
        with pytest.raises(ResetNeededError, match="environment 2 failed"):
            pool.step(np.zeros(4, int))
        pool.reset(np.array([2]))
        assert pool.step(np.zeros(4, int))[0][:, 0].tolist() == [2, 2, 1, 2]


@pytest.mark.parametrize("batch_size", [1, 2, 4])
def test_a_failure_in_a_batch_of_the_queue(batch_size: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 4, batch_size=batch_size, num_workers=2) as pool:
        pool.async_reset()
        for _ in range(4 // batch_size):
            pool.recv()
        pool.send(actions(4, 1, RAISE))
        failed = []
        for _ in range(4 // batch_size):
            try:
                pool.recv()
            except EnvironmentFailedError as failure:
                failed += failure.env_ids
        assert failed == [1]
        pool.async_reset(np.array([1]))
        pool.send(np.zeros(3, int), np.array([0, 2, 3]))
        for _ in range(4 // batch_size):
            pool.recv()


def test_a_worker_that_dies_loses_only_its_environments() -> None:
    with envpool_py.make_python(awkward.Obedient, 6, num_workers=3) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(actions(6, 1, DIE))
        assert failure.value.env_ids == [1, 4]  # of worker 1
        assert "worker 1 (process " in failure.value.causes[0]
        assert failure.value.causes[0].endswith("exited with status 3")
        assert failure.value.batch[0][:, 0].tolist() == [1, 0, 1, 1, 0, 1]
        with pytest.raises(ResetNeededError):
            pool.step(np.zeros(6, int))
        pool.reset(np.array([1, 4]))
        assert pool.step(np.zeros(6, int))[0][:, 0].tolist() == [2, 1, 2, 2, 1, 2]


def test_a_death_is_found_although_batches_are_always_ready() -> None:
    # Batches are always ready, so `recv` never waits, and the check for deaths during a wait does
    # not run.
    with envpool_py.make_python(awkward.Obedient, 2, batch_size=1, num_workers=2) as pool:
        pool.async_reset()
        pool.recv()
        pool.recv()
        os.kill(pool.worker_pids[1], signal.SIGKILL)
        pool.send(np.zeros(1, int), np.array([1]))
        deadline = time.monotonic() + GUARD

        def receive_what_is_ready() -> None:
            while time.monotonic() < deadline:
                steps = pool.stats()["steps"]
                pool.send(np.zeros(1, int), np.array([0]))
                while pool.stats()["steps"] == steps:
                    pass  # wait until the worker has written the row of environment 0
                pool.recv()

        with pytest.raises(EnvironmentFailedError, match="was killed by SIGKILL") as failure:
            receive_what_is_ready()
        assert failure.value.env_ids == [1]


class Ending(awkward.Base):
    """Ends its process by the signal `action`, or above 255 with the status `action - 256`."""

    action_space = spaces.Discrete(1000)

    def step(self, action: Any) -> tuple[Any, ...]:
        if action >= 256:
            os._exit(int(action) - 256)
        faulthandler.disable()  # a fork has pytest's handler, whose report is not needed
        os.kill(os.getpid(), int(action))
        return super().step(action)


ENDS = {
    256: "exited with status 0",
    256 + 77: "exited with status 77",
    signal.SIGKILL: "was killed by SIGKILL",
    signal.SIGSEGV: "was killed by SIGSEGV",
    signal.SIGABRT: "was killed by SIGABRT",
    signal.SIGRTMIN: f"was killed by signal {int(signal.SIGRTMIN)}",
}
if SANITIZED:  # a sanitizer handles these signals itself
    del ENDS[signal.SIGSEGV], ENDS[signal.SIGABRT]


# ThreadSanitizer ends a forked process that starts threads if its parent has threads.
@pytest.mark.parametrize("start_method", ["forkserver", "spawn", *(() if SANITIZED else ["fork"])])
def test_how_a_worker_ended(start_method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> Any:
        raise AssertionError(f"waitpid{arguments}: another child may have this id by now")

    if processes.HAS_PIDFDS:
        monkeypatch.setattr(os, "waitpid", refuse)
    with envpool_py.make_python(Ending, 2, num_workers=2, start_method=start_method) as pool:
        for action, message in ENDS.items():
            pool.reset()
            with pytest.raises(EnvironmentFailedError) as failure:
                pool.step(np.array([int(action)]), np.array([1]))
            (cause,) = failure.value.causes
            assert cause.startswith("worker 1 (process ")
            assert cause.endswith(message)


def test_a_worker_that_nobody_reaps() -> None:
    with envpool_py.make_python(Ending, 2, num_workers=2) as pool:
        pool.reset()
        assert launching._server is not None
        os.kill(launching._server.handle.process_id, signal.SIGKILL)
        assert launching._server.handle.wait(GUARD)
        with pytest.raises(EnvironmentFailedError, match=r"worker 1 \(process \d+\) died;"):
            pool.step(np.array([int(signal.SIGKILL)]), np.array([1]))
        pool.reset()  # a new server starts the worker


def test_a_server_that_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first worker raises the error; a later pool starts the server again."""

    def refuse(*arguments: Any, **settings: Any) -> Any:
        raise OSError("no more processes")

    monkeypatch.setattr(launching, "_server", None)
    with monkeypatch.context() as without:
        without.setattr(launching, "_python", refuse)
        with pytest.raises(WorkerError, match="server of worker processes did not start: no more"):
            envpool_py.make_python(awkward.Obedient, 2, num_workers=1)
    with envpool_py.make_python(awkward.Obedient, 2, num_workers=1) as pool:
        pool.reset()
        assert launching._server is not None
        launching._server.end()


def test_a_server_that_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one takes its place."""
    with envpool_py.make_python(awkward.Obedient, 2, num_workers=1):
        stopped = launching._server
    assert stopped is not None
    stopped.connection.settimeout(0.2)
    os.kill(stopped.process.pid, signal.SIGSTOP)
    with envpool_py.make_python(awkward.Obedient, 2, num_workers=1) as pool:
        pool.reset()
        assert launching._server is not stopped
    monkeypatch.setattr(launching, "_LONGEST_ANSWER_SECONDS", 1e-6)
    monkeypatch.setattr(launching, "_server", None)
    with pytest.raises(WorkerError, match=r"\(process \d+\) did not answer within 1e-06 s"):
        envpool_py.make_python(awkward.Obedient, 2, num_workers=1)


def test_the_server_starts_before_the_first_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "_server", None)
    running: list[bool] = []

    def make() -> awkward.Obedient:
        running.append(launching._server is not None)
        return awkward.Obedient()

    envpool_py.make_python(make, 2, num_workers=0).close()
    assert running == [False, False]
    envpool_py.make_python(make, 2, num_workers=1).close()
    assert running == [False, False, True]
    assert launching._server is not None
    launching._server.end()


def test_environments_that_were_idle_when_their_worker_died() -> None:
    with envpool_py.make_python(awkward.Obedient, 4, num_workers=2) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(np.array([DIE]), np.array([0]))
        assert failure.value.env_ids == [0]
        why = r"replaced by a new environment because its worker had died \(worker 0 .* exited with"
        with pytest.raises(EnvironmentFailedError, match=why) as failure:
            pool.step(np.zeros(3, int), np.array([1, 2, 3]))
        assert failure.value.env_ids == [2]
        pool.reset(np.array([0, 2]))
        assert pool.step(np.zeros(4, int))[0][:, 0].tolist() == [1, 2, 1, 2]


@pytest.mark.parametrize("batch_size", [1, 2, 6])
def test_a_worker_that_is_killed_completes_its_rows(batch_size: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 6, batch_size=batch_size, num_workers=2) as pool:
        pool.async_reset()
        for _ in range(6 // batch_size):
            pool.recv()
        pool.send(actions(6, 2, DIE))  # worker 0 has environments 0, 2, 4
        failed: list[int] = []
        rows = 0
        for _ in range(6 // batch_size):
            try:
                batch = pool.recv()
            except EnvironmentFailedError as failure:
                failed += failure.env_ids
                batch = failure.batch
            rows += len(batch[0])
        assert rows == 6
        # The worker may have delivered the step of environment 0 before it died.
        assert {2, 4} <= set(failed) <= {0, 2, 4}
        pool.async_reset()
        for _ in range(6 // batch_size):
            pool.recv()


def kill_at_random(pool: Any, kills: int, seed: int) -> dict[int, list[float]]:
    """Steps a pool while all its workers but the last are killed at random moments.

    Returns the observations of the last worker's environments, and asserts that these never failed.
    """
    rng = np.random.default_rng(seed)
    safe = set(range(pool.num_workers - 1, pool.num_envs, pool.num_workers))
    seen: dict[int, list[float]] = {env: [] for env in range(pool.num_envs)}
    pool.async_reset()
    killed = 0
    while killed < kills or min(len(seen[env]) for env in safe) < 100:
        if killed < kills and rng.random() < 0.1:
            with contextlib.suppress(ProcessLookupError):  # killed earlier
                os.kill(pool.worker_pids[rng.integers(pool.num_workers - 1)], signal.SIGKILL)
            killed += 1
        failed: list[int] = []
        try:
            batch = pool.recv(timeout=60.0)
        except EnvironmentFailedError as failure:
            batch, failed = failure.batch, failure.env_ids
        ids = batch[4]["env_id"].tolist()
        assert len(set(ids)) == pool.batch_size
        assert safe.isdisjoint(failed)
        for row, env in enumerate(ids):
            seen[env].append(float(batch[0][row, 0]))
        healthy = np.array([env for env in ids if env not in failed], np.int32)
        if len(healthy) > 0:
            pool.send(np.zeros(len(healthy), int), healthy)
        if failed:
            pool.async_reset(np.array(failed))
    pool.drain()
    return {env: seen[env] for env in safe}


def undisturbed(num_envs: int, steps: int) -> np.ndarray:
    """Returns the observations of `kill_at_random`'s environments without any kill."""
    with envpool_py.make_python(ENDLESS, num_envs, num_workers=0, seed=1) as twin:
        shown = [twin.reset()[0][:, 0]]
        for _ in range(steps):
            shown.append(twin.step(np.zeros(num_envs, int))[0][:, 0])
    return np.array(shown)


ENDLESS = functools.partial(awkward.Base, ends=0.0)


@pytest.mark.parametrize("batch_size", [2, 8])
def test_workers_killed_at_any_moment(batch_size: int) -> None:
    with envpool_py.make_python(ENDLESS, 8, batch_size=batch_size, num_workers=4, seed=1) as pool:
        seen = kill_at_random(pool, kills=10, seed=5)
    expected = undisturbed(8, max(map(len, seen.values())))
    for env, shown in seen.items():
        np.testing.assert_array_equal(shown, expected[: len(shown), env])


@pytest.mark.parametrize("is_stopped", [False, True])
def test_a_worker_that_hangs_is_killed(is_stopped: bool) -> None:
    """In a step, and between two steps."""
    with envpool_py.make_python(awkward.Obedient, 4, num_workers=2, step_timeout=0.2) as pool:
        pool.reset()
        if is_stopped:
            os.kill(pool.worker_pids[1], signal.SIGSTOP)
        with pytest.raises(EnvironmentFailedError, match=r"step_timeout = 0\.2 s") as failure:
            pool.step(actions(4, 1, 0 if is_stopped else HANG))
        assert failure.value.env_ids == [1, 3]
        pool.reset()
        pool.step(np.zeros(4, int))


@pytest.mark.parametrize("step_timeout", [None, 0.2])
def test_an_exception_arrives_although_a_worker_hangs(
    step_timeout: float | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if step_timeout is None:
        monkeypatch.setattr(pool_module, "LIMIT_AFTER_ERROR", 0.2)
    os.mkfifo(tmp_path / "gate")
    make = functools.partial(awkward.Gated, str(tmp_path / "gate"))
    pool = envpool_py.make_python(make, 2, num_workers=2, step_timeout=step_timeout)
    pool.reset()
    pids = pool.worker_pids
    pool.send(actions(2, 1, 1))
    gate = os.open(tmp_path / "gate", os.O_WRONLY)  # waits until the step waits
    with pytest.raises(KeyboardInterrupt), pool:
        raise KeyboardInterrupt
    assert all(ended(pid) for pid in pids)
    os.close(gate)


def test_without_restart_resets_fail() -> None:
    with envpool_py.make_python(
        awkward.Obedient, 4, num_workers=2, on_worker_death="raise"
    ) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError):
            pool.step(actions(4, 0, DIE))
        with pytest.raises(EnvironmentFailedError, match="exited with status 3") as failure:
            pool.reset()
        assert failure.value.env_ids == [0, 2]


@pytest.mark.parametrize("num_workers", [0, 2])
def test_environments_that_do_not_start(num_workers: int) -> None:
    good = awkward.Obedient
    bad = functools.partial(awkward.Obedient, fails_to_start=True)
    with pytest.raises((ValueError, WorkerError), match="this environment does not start"):
        envpool_py.make_python([good, good, bad], num_workers=num_workers)


@pytest.mark.parametrize("num_workers", [0, 2])
def test_reasons_that_are_not_utf8(num_workers: int) -> None:
    """Reports a name of a file as Python decodes it, which UTF-8 cannot encode."""
    name = os.fsdecode(b"\xff.xml")
    with envpool_py.make_python(
        functools.partial(awkward.Obedient, reason=name), 2, num_workers=num_workers
    ) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(actions(2, 1, RAISE))
    assert r"\udcff.xml" in failure.value.causes[0]
    bad = functools.partial(awkward.Obedient, fails_to_start=True, reason=name)
    with pytest.raises((ValueError, WorkerError), match=r"not start.*\.xml"):
        envpool_py.make_python([awkward.Obedient, awkward.Obedient, bad], num_workers=num_workers)


def test_functions_that_cannot_be_sent() -> None:
    import threading

    lock = threading.Lock()

    def make() -> awkward.Obedient:
        assert lock is not None
        return awkward.Obedient()

    with pytest.raises(InputTypeError, match="cloudpickle"):
        envpool_py.make_python(make, 2, num_workers=1)
    envpool_py.make_python(make, 2, num_workers=0).close()


PROGRAM = """
import os, sys
import numpy as np
import envpool_py
from tests.envpool_py.python_envs import awkward

pool = envpool_py.make_python(lambda: awkward.Obedient(), 4, num_workers=2)
pool.reset()
print(*pool.worker_pids, flush=True)
if sys.argv[1] == "hang":
    pool.send(np.full(4, 3))
sys.stdin.read()
if sys.argv[1] == "exit":
    sys.exit(0)
"""


def ended(process_id: int) -> bool:
    """Waits up to 30 s until a process, possibly not a child, has ended; returns whether it has."""
    import select

    try:
        pidfd = os.pidfd_open(process_id)
    except ProcessLookupError:
        return True
    return bool(select.select([pidfd], [], [], 30.0)[0])


@pytest.mark.parametrize("how", ["exit", "kill", "hang"])
def test_workers_end_with_their_program(how: str) -> None:
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as program:
        assert program.stdout is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        assert len(pids) == 2
        if how == "exit":
            program.communicate()
            assert program.returncode == 0
        else:
            program.kill()
        program.wait()
        assert all(ended(process_id) for process_id in pids)


def open_things() -> tuple[int, int]:
    """Returns how many file descriptors and shared mappings this process has."""
    gc.collect()  # close the pools of other tests
    maps = Path("/proc/self/maps").read_text()
    return len(list(Path("/proc/self/fd").iterdir())), maps.count(f"{SHARED_FILE}envpool_py")


def test_nothing_is_left() -> None:
    def use() -> None:
        with envpool_py.make_python(awkward.ManyInfos, 4, num_workers=2) as pool:
            pool.reset()
            pool.step(np.zeros(4, int))

    use()  # also starts the server
    before = open_things()
    for _ in range(3):
        use()
    assert open_things() == before


class LargeInfo(awkward.Base):
    """The info of a reset is large, those of steps are empty."""

    def info(self, what: Any) -> dict[str, Any]:
        return {"large": b"x" * (8 << 20)} if self.steps == 0 else {}


@pytest.mark.skipif(core.os_layer != "linux", reason="pages are not returned")
def test_the_memory_of_large_infos_is_returned() -> None:
    def used() -> int:
        return os.fstat(pool._core.memory_fd).st_blocks * 512

    make = functools.partial(LargeInfo, ends=0.0)
    with envpool_py.make_python(make, 2, num_workers=1) as pool:
        pool.reset()
        assert used() > 16 << 20
        for _ in range(16):
            pool.step(np.zeros(2, int))
        assert used() < 1 << 20
        pool.reset()
        pool.close()
        assert used() < 1 << 20


def test_arrays_outlive_the_pool() -> None:
    with envpool_py.make_python(awkward.BigImage, 3, num_workers=2) as pool:
        observations, infos = pool.reset(seed=2)
        copy = observations.copy()
    np.testing.assert_array_equal(observations, copy)
    observations[:] = 0  # the array is writable
    gc.collect()
    mappings = open_things()[1]
    del observations, infos, pool
    assert open_things()[1] == mappings - 1
