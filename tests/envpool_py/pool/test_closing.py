"""Closing and dropping pools: blocked calls, threads, instances, cycles."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    ClosedError,
    CloseTimeoutError,
    EnvPoolError,
    InputError,
    InputTypeError,
)

from ..lifecycle import GATE_WORK, GUARD, Make, RunScript, needs_proc, zeros
from ..waiting import SCRIPT, Call, ctrl_c_during


def workers() -> int:
    """Counts the threads of this process that step environments."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # the thread has ended since it was listed
            names.append((thread / "comm").read_text())
    return sum(name.startswith("envpool-") for name in names)


def workers_are(expected: int) -> bool:
    """Waits for a number of workers: the kernel lists a joined thread for a moment longer."""
    for _ in range(100_000):
        if workers() == expected:
            return True
        os.sched_yield()
    return False


@pytest.mark.parametrize("batch_size", [2, 3])
def test_every_call_on_a_closed_pool_says_so(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=3, batch_size=batch_size)
    pool.reset()
    pool.close()
    pool.close()
    calls: list[Callable[[], Any]] = [
        lambda: pool.step(zeros(3)),
        lambda: pool.step(zeros(1), [0]),
        lambda: pool.send(zeros(3)),
        lambda: pool.recv(),
        lambda: pool.recv(0),
        lambda: pool.reset(),
        lambda: pool.reset(seed=1, options={"low": 3}),
        lambda: pool.async_reset(),
        lambda: pool.drain(),
    ]
    for call in calls:
        with pytest.raises(ClosedError):
            call()
    assert pool.num_envs == len(pool) == 3
    assert "Counter" in repr(pool)


def test_with_closes_also_on_the_way_out_of_an_exception(testing: Any) -> None:
    del testing
    with pytest.raises(KeyError), envpool_py.make("Testing/Counter-v0") as pool:
        raise KeyError
    with pytest.raises(ClosedError):
        pool.reset()


@needs_proc
def test_close_joins_the_threads(make: Make) -> None:
    assert workers_are(0)
    pool = make("Heavy", num_envs=8, batch_size=4, num_threads=3, work=1000)
    pool.reset()
    pool.send(zeros(8))
    pool.recv(GUARD)
    assert workers_are(3)
    pool.close()
    assert workers_are(0)


def test_close_wakes_a_recv_in_another_thread(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=2, batch_size=1, num_threads=1, work=GATE_WORK)
    pool.reset()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    entered = threading.Event()
    outcome: list[BaseException | Any] = []

    def receive() -> None:
        entered.set()
        try:
            outcome.append(pool.recv(GUARD))
        except BaseException as error:
            outcome.append(error)

    receiver = threading.Thread(target=receive)
    closer = threading.Thread(target=pool.close)
    receiver.start()
    entered.wait()
    closer.start()
    # The step still blocks; the receiver must not wait for it.
    receiver.join(GUARD)
    assert not receiver.is_alive()
    assert len(outcome) == 1
    assert isinstance(outcome[0], ClosedError)
    assert testing.gate_waiting() == 1
    testing.open_gate()
    closer.join(GUARD)
    assert not closer.is_alive()


def test_close_drops_what_is_queued(make: Make, testing: Any) -> None:
    """Queues 1,000 steps of 20 ms; closing waits only for those that have begun."""
    pool = make("Heavy", num_envs=1000, batch_size=10, num_threads=2, work=20_000_000)
    pool.reset()
    before = testing.heavy_steps()
    pool.send(zeros(1000))
    pool.close()
    assert testing.heavy_steps() - before < 1000


@needs_proc
def test_dropping_a_pool_with_work_in_flight(testing: Any) -> None:
    assert workers_are(0)
    pool = envpool_py.make(
        "Testing/Heavy-v0", num_envs=1000, batch_size=10, num_threads=2, work=20_000_000
    )
    pool.reset()
    before = testing.heavy_steps()
    pool.send(zeros(1000))
    gone = weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is None
    assert workers_are(0)
    assert testing.heavy_steps() - before < 1000


def test_instances_go_with_their_pool(testing: Any) -> None:
    alive = testing.failing_instances()
    pool = envpool_py.make("Testing/Failing-v0", num_envs=10)
    obs, _ = pool.reset()
    assert testing.failing_instances() == alive + 10
    del pool
    gc.collect()
    assert testing.failing_instances() == alive
    assert obs.shape == (10, 2)


def test_a_pool_in_a_cycle_is_collected(testing: Any) -> None:
    alive = testing.failing_instances()
    pool: Any = envpool_py.make("Testing/Failing-v0", num_envs=3)
    pool.unwrapped_by = [pool]
    del pool
    gc.collect()
    assert testing.failing_instances() == alive


# Closing with a bounded wait


def stuck(make: Make, testing: Any) -> Any:
    """Returns a pool in which a worker is blocked at gate 1 with environment 0."""
    pool = make("Gate", num_envs=2, batch_size=1, num_threads=2, work=GATE_WORK)
    pool.reset()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    return pool


def test_close_with_a_timeout(make: Make, testing: Any) -> None:
    alive = testing.gate_instances()
    pool = stuck(make, testing)
    assert testing.gate_instances() == alive + 2
    for timeout in (0, 0.02, np.float32(0.01)):
        with pytest.raises(CloseTimeoutError) as raised:
            pool.close(timeout=timeout)
        assert isinstance(raised.value, EnvPoolError)
        assert isinstance(raised.value, TimeoutError)
        assert pool._core.closed
        # The pool is closed, although a step still runs.
        for call in (lambda: pool.step(zeros(2)), lambda: pool.recv(0), pool.reset, pool.drain):
            with pytest.raises(ClosedError):
                call()
        assert pool.stats()["resets"] == 2
    assert testing.gate_waiting() == 1
    testing.open_gate()
    pool.close(timeout=GUARD)
    pool.close(timeout=0)
    pool.close()
    assert testing.gate_instances() == alive


def test_what_a_timeout_left_is_freed_when_the_last_step_ends(make: Make, testing: Any) -> None:
    alive = testing.gate_instances()
    pool = stuck(make, testing)
    with pytest.raises(CloseTimeoutError):
        pool.close(timeout=0)
    testing.open_gate()
    end = time.monotonic() + GUARD
    while testing.gate_instances() != alive and time.monotonic() < end:
        pass
    assert testing.gate_instances() == alive
    assert pool._core.closed


@pytest.mark.parametrize("timeout", [-1, -0.5, float("nan")])
def test_timeout_of_close_must_not_be_negative(make: Make, timeout: float) -> None:
    pool = make("Counter", num_envs=2)
    with pytest.raises(InputError, match="timeout"):
        pool.close(timeout=timeout)
    assert pool.reset()[0].shape == (2, 3)
    with pytest.raises(InputTypeError, match="timeout"):
        pool.close(timeout="1")
    pool.close(timeout=float("inf"))


@needs_proc
def test_ctrl_c_during_close(make: Make, testing: Any) -> None:
    pool = stuck(make, testing)
    with ctrl_c_during(pool.close, testing, 1), pytest.raises(KeyboardInterrupt):
        pool.close()
    assert testing.gate_waiting() == 1
    assert pool._core.closed
    with pytest.raises(ClosedError):
        pool.reset()
    with pytest.raises(CloseTimeoutError):
        pool.close(timeout=0)
    testing.open_gate()
    pool.close(timeout=GUARD)


def test_two_threads_close(make: Make, testing: Any) -> None:
    """Each call waits for the running steps, up to its own timeout."""
    pool = stuck(make, testing)
    other = Call(pool.close)
    while not pool._core.closed:
        pass
    with pytest.raises(CloseTimeoutError):
        pool.close(timeout=0.02)
    assert other.thread.is_alive()
    testing.open_gate()
    other.result()
    pool.close()


ALONE = """
costs = {"reset_gate": 2} if sys.argv[1] == "reset" else {}
pool = make(num_envs=8, num_threads=1, **costs)
testing.open_gate(2)
for _ in range(50):  # light, so that many of them are a piece of work
    pool.reset()
    pool.step(zeros(8))
testing.close_gate(2)
# Environment 0 waits at the gate `first`; the others would wait at gate 2, or be reset.
first = 2 if sys.argv[1] == "reset" else 1
actions = np.where(np.arange(8) == 0, first, 2)
working = Call(pool.reset if sys.argv[1] == "reset" else lambda: pool.step(actions))
assert testing.await_gate_waiting(1)
closing = Call(pool.close)
while not pool._core.closed: pass
testing.open_gate(first)
try:
    working.result()
except ClosedError:
    print("ClosedError")
closing.result()
assert testing.gate_waiting() == 0
stats = pool.stats()
print(stats["resets"] - 50 * 8, stats["steps"] - 50 * 8)
"""


@pytest.mark.parametrize("call", ["step", "reset"])
def test_close_ends_what_one_thread_does_alone(run_forked: RunScript, call: str) -> None:
    """Closing ends the call after the current environment, not after the batch."""
    printed = run_forked(f"import sys\nsys.argv[1:] = [{call!r}]\n{SCRIPT}{ALONE}")
    assert printed == ("ClosedError\n1 0\n" if call == "reset" else "ClosedError\n0 1\n")
