"""Closing pools and dropping them: calls that wait, threads, instances, cycles."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import envpool_py
from envpool_py.errors import ClosedError

from .lifecycle import GATE_WORK, GUARD, Make, needs_proc, zeros


def workers() -> int:
    """Threads of this process that step environments."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended since it was listed
            names.append((thread / "comm").read_text())
    return sum(name.startswith("envpool-") for name in names)


def workers_are(expected: int) -> bool:
    """Whether there are that many; the kernel lists a thread for a moment after it was joined."""
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
    # The step itself still waits: the receiver must not wait for it.
    receiver.join(GUARD)
    assert not receiver.is_alive()
    assert len(outcome) == 1
    assert isinstance(outcome[0], ClosedError)
    assert testing.gate_waiting() == 1
    testing.open_gate()
    closer.join(GUARD)
    assert not closer.is_alive()


def test_close_drops_what_is_queued(make: Make, testing: Any) -> None:
    """Of a thousand steps of twenty milliseconds, closing waits for those that have begun."""
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
