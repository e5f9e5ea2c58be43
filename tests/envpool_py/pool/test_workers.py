"""Worker threads: which are woken, and what they inherit."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envpool_py import _core

from ..lifecycle import GATE_WORK, GUARD, Make, needs_proc, zeros
from ..waiting import SCRIPT, Call, await_asleep


def learn_that_steps_are_light(pool: Any, rounds: int = 100) -> None:
    """Sends and drains; waits between them, so that the receiver does not run steps itself."""
    end = time.monotonic() + GUARD
    for round_ in range(1, rounds + 1):
        pool.send(zeros(pool.num_envs))
        while pool.stats()["steps"] < round_ * pool.num_envs:
            assert time.monotonic() < end
        pool.drain()


# Waking


def test_send_wakes_a_worker_beside_one_that_is_stuck(make: Make, testing: Any) -> None:
    """A receiver already waits when the environment that it waits for is sent."""
    pool = make("Gate", num_envs=4, batch_size=1, num_threads=2)
    pool.reset()
    learn_that_steps_are_light(pool)
    for slow in range(3):
        testing.close_gate()
        pool.send([1], [slow])
        assert testing.await_gate_waiting(1)
        receiving = Call(lambda: pool.recv(GUARD))
        await_asleep(receiving.thread)
        pool.send([0], [3])
        assert receiving.result()[4]["env_id"].tolist() == [3]
        assert testing.gate_waiting() == 1
        testing.open_gate()
        assert pool.recv(GUARD)[4]["env_id"].tolist() == [slow]


@pytest.mark.parametrize("num_threads", [2, 3])
@pytest.mark.parametrize("batch_size", [1, 7])
@pytest.mark.parametrize("slow", [0, 100, 223])
def test_one_slow_environment_does_not_hold_back_its_chunk(
    make: Make, testing: Any, slow: int, batch_size: int, num_threads: int
) -> None:
    num_envs = 224
    pool = make("Gate", num_envs=num_envs, batch_size=batch_size, num_threads=num_threads)
    pool.reset()
    learn_that_steps_are_light(pool)
    pool.send((np.arange(num_envs) == slow).astype(np.int64))
    assert testing.await_gate_waiting(1)
    seen: list[int] = []
    while len(seen) + batch_size <= num_envs - 1:
        seen += pool.recv(GUARD)[4]["env_id"].tolist()
    assert testing.gate_waiting() == 1
    assert len(set(seen)) == len(seen)
    assert slow not in seen
    testing.open_gate()
    while len(seen) + batch_size <= num_envs:
        seen += pool.recv(GUARD)[4]["env_id"].tolist()
    if batch_size == 1:
        assert sorted(seen) == list(range(num_envs))
    pool.drain()
    obs, _ = pool.reset(options={"reset_mask": np.arange(num_envs) == 0})
    np.testing.assert_array_equal(obs[1:, 0], 101)


def test_resets_are_shared_as_resets_not_as_steps(make: Make, testing: Any) -> None:
    """Steps are light and resets are not: `async_reset` divides them among all threads."""
    pool = make(
        "Gate", num_envs=16, batch_size=1, num_threads=2, reset_work=10 * GATE_WORK, reset_gate=1
    )
    testing.open_gate()
    for _ in range(3):
        pool.reset()
    learn_that_steps_are_light(pool)
    testing.close_gate()
    pool.async_reset()
    assert testing.await_gate_waiting(2)
    testing.open_gate()
    pool.drain()
    assert pool.stats()["resets"] == 4 * 16


# What threads inherit

# Signals that a thread's own instructions raise.
SYNCHRONOUS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}


def workers() -> list[int]:
    """Returns the system's ids of this process's threads that step environments."""
    ids = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # the thread has ended since it was listed
            if (thread / "comm").read_text().startswith("envpool-"):
                ids.append(int(thread.name))
    return ids


def await_workers(count: int) -> list[int]:
    """Waits until `count` workers are listed: names appear late, ended threads vanish late."""
    for _ in range(100_000):
        if len(workers()) == count:
            break
        os.sched_yield()
    return workers()


def blocked_signals(thread: int) -> set[int]:
    (mask,) = [
        int(line.split()[1], 16)
        for line in Path(f"/proc/self/task/{thread}/status").read_text().splitlines()
        if line.startswith("SigBlk:")
    ]
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


@needs_proc
def test_workers_leave_signals_to_python_but_for_their_own_faults(make: Make) -> None:
    assert await_workers(0) == []
    pool = make("Counter", num_envs=8, batch_size=2, num_threads=3)
    pool.async_reset()
    pool.drain()
    # These two may be blocked or not.
    either = {signal.SIGTRAP, signal.SIGSYS}
    never = {signal.SIGKILL, signal.SIGSTOP}
    blocked = set(signal.valid_signals()) - SYNCHRONOUS - either - never
    threads = await_workers(3)
    assert len(threads) == 3
    for thread in threads:
        mask = blocked_signals(thread)
        assert not mask & SYNCHRONOUS
        assert blocked <= mask
    # The thread that started the workers is unchanged.
    assert not blocked_signals(threading.get_native_id())


CRASH = """
import ctypes
from collections.abc import Callable
from pathlib import Path
faulthandler.enable()
pool = make("Counter", num_envs=8, batch_size=2, num_threads=2)
pool.async_reset()
pool.recv()
for thread in Path("/proc/self/task").iterdir():
    if (thread / "comm").read_text().startswith("envpool-"): worker = int(thread.name)
ctypes.CDLL(None).tgkill(os.getpid(), worker, signal.SIGSEGV)
threading.Event().wait(60)
"""


@needs_proc
@pytest.mark.skipif(
    bool(os.environ.get("ENVPOOL_SANITIZER")), reason="the sanitizer handles the signal itself"
)
def test_faulthandler_reports_a_crash_in_a_worker(testing: Any, tmp_path: Path) -> None:
    del testing
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + CRASH],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=GUARD,
        check=False,
    )
    assert done.returncode == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in done.stderr


@needs_proc
@pytest.mark.skipif(
    _core._os_layer != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="needs two processors, and threads that can be bound",
)
@pytest.mark.parametrize("batch_size", [1, 8])
def test_workers_may_use_the_processors_of_the_process(make: Make, batch_size: int) -> None:
    """Workers do not inherit the affinity of the thread whose call starts them."""
    assert await_workers(0) == []
    processors = os.sched_getaffinity(0)
    # On a machine with several nodes, each worker is bound to its node.
    count = max(2, len(_core.system_info()["numa_nodes"]))
    pool = make("Counter", num_envs=8, batch_size=batch_size, num_threads=count)

    def first_use() -> None:
        os.sched_setaffinity(0, {min(processors)})  # applies to this thread only
        pool.async_reset()
        pool.drain()

    Call(first_use).result()
    threads = await_workers(count)
    assert len(threads) == count
    assert set().union(*map(os.sched_getaffinity, threads)) == processors
    assert os.sched_getaffinity(0) == processors


# Threads that the system refuses to start


@needs_proc
@pytest.mark.skipif("ENVPOOL_SANITIZER" in os.environ, reason="reserves all address space")
def test_refused_threads_are_a_typed_error_that_changes_nothing(
    run_script: Callable[..., str],
) -> None:
    assert (
        run_script(
            """
            import resource
            import envpool_py
            from envpool_py.errors import ResourceError

            envs = envpool_py.make("CartPole-v1", num_envs=64, num_threads=64)
            kilobytes = int(open("/proc/self/status").read().split("VmSize:")[1].split()[0])
            # Room for the stacks of some threads, not of all.
            resource.setrlimit(resource.RLIMIT_AS, ((kilobytes << 10) + (100 << 20),) * 2)
            try:
                envs.async_reset()
            except ResourceError as error:
                message = str(error)
            started = envs.stats()["threads_started"]
            print(f"refused worker thread {started + 1} of 64" in message, 0 < started < 63)
            # Ordered calls make do with the threads that there are.
            print(envs.reset(seed=0)[0].shape)
            envs.close()
            """
        )
        == "True True\n(64, 4)\n"
    )


def test_workers_of_several_groups_step_everything(make: Make) -> None:
    # Each group of 16 workers waits on one signal.
    def run(num_threads: int) -> list[Any]:
        with make("Heavy", num_envs=96, num_threads=num_threads, work=20_000, seed=3) as pool:
            pool.reset()
            return [pool.step(np.arange(96) % 5)[0] for _ in range(10)]

    np.testing.assert_array_equal(run(40), run(1))
    with make("Heavy", num_envs=96, batch_size=48, num_threads=40, work=20_000) as pool:
        pool.async_reset()
        for _ in range(20):
            ids = pool.recv(GUARD)[4]["env_id"]
            pool.send(np.zeros(48, np.int64), ids)
        pool.drain()
        stats = pool.stats()
        assert (stats["steps"], stats["threads_started"]) == (20 * 48, 40)
