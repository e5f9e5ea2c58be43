"""`recv(timeout=)` holds whatever the receiving thread does, also while other threads wait."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import NothingInFlightError, RecvTimeoutError

from ..lifecycle import GATE_WORK, GUARD, Make, zeros
from ..waiting import Call, await_asleep, ctrl_c_during


def loop(pool: Any, rounds: int = 300) -> None:
    """Sends and receives in a tight loop, so that the pool may let the receiver run steps."""
    pool.send(zeros(pool.num_envs))
    for _ in range(rounds):
        *_, infos = pool.recv(GUARD)
        pool.send(zeros(pool.batch_size), infos["env_id"])
    pool.drain()


# From steps that take a receiver less time than waking a worker, to steps that only a pool with as
# many threads as processors gives to the receiver.
COSTS = [0, 5_000, 50_000]


@pytest.mark.parametrize("work", COSTS)
@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("batch_size", [1, 3, 6])
def test_recv_times_out_after_a_loop_of_light_steps(
    make: Make, testing: Any, batch_size: int, num_threads: int, work: int
) -> None:
    """Steps that used to be short and now block do not delay a `recv` with a timeout."""
    pool = make("Gate", num_envs=6, batch_size=batch_size, num_threads=num_threads, work=work)
    pool.reset()
    loop(pool)
    pool.send(np.ones(6, np.int64))
    for timeout in (0.05, 0):
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout)
    assert testing.await_gate_waiting(num_threads)
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.05)
    assert testing.gate_waiting() == num_threads
    testing.open_gate()
    seen = np.concatenate([pool.recv(GUARD)[4]["env_id"] for _ in range(6 // batch_size)])
    assert sorted(seen) == [0, 1, 2, 3, 4, 5]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("work", COSTS)
@pytest.mark.parametrize("batch_size", [1, 6])
def test_ctrl_c_during_recv_after_a_loop_of_light_steps(
    make: Make, testing: Any, batch_size: int, work: int
) -> None:
    pool = make("Gate", num_envs=6, batch_size=batch_size, num_threads=2, work=work)
    pool.reset()
    loop(pool)
    pool.send(np.ones(6, np.int64))
    with ctrl_c_during(pool.recv, testing, 2), pytest.raises(KeyboardInterrupt):
        pool.recv()
    assert testing.gate_waiting() == 2
    testing.open_gate()
    assert len(pool.recv(GUARD)[0]) == batch_size


def held(make: Make, testing: Any, actions: list[int], batch_size: int = 1) -> Any:
    """Returns a pool with each environment blocked in a worker, at the gate given by its action."""
    n = len(actions)
    pool = make("Gate", num_envs=n, batch_size=batch_size, num_threads=n, work=GATE_WORK)
    pool.reset()
    pool.send(actions)
    assert testing.await_gate_waiting(n)
    return pool


def test_timeout_behind_the_recv_of_another_thread(make: Make, testing: Any) -> None:
    pool = held(make, testing, [1, 1], batch_size=2)
    other = Call(pool.recv)
    await_asleep(other.thread)
    for timeout in (0, 0.05):
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout)
    assert testing.gate_waiting() == 2
    assert other.thread.is_alive()
    testing.open_gate()
    assert other.result()[4]["env_id"].shape == (2,)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_behind_the_recv_of_another_thread(make: Make, testing: Any) -> None:
    pool = held(make, testing, [1, 1], batch_size=2)
    other = Call(pool.recv)
    await_asleep(other.thread)
    with ctrl_c_during(pool.recv, testing, 2), pytest.raises(KeyboardInterrupt):
        pool.recv()
    assert testing.gate_waiting() == 2
    testing.open_gate()
    assert other.result()[4]["env_id"].shape == (2,)


def test_two_receivers_and_one_batch(make: Make, testing: Any) -> None:
    """The receiver that gets no batch returns after its own timeout."""
    pool = held(make, testing, [1, 2])
    receivers = [Call(lambda: pool.recv(0.2)), Call(lambda: pool.recv(0.2))]
    testing.open_gate(1)
    outcomes = []
    for receiver in receivers:
        assert receiver.ended()
        outcomes.append(receiver.error)
    assert testing.gate_waiting() == 1
    # On a busy machine, both receivers may time out before the step ends.
    assert all(error is None or isinstance(error, RecvTimeoutError) for error in outcomes)
    assert any(error is not None for error in outcomes)
    testing.open_gate(2)
    while None not in outcomes:
        pool.recv(GUARD)
        outcomes.append(None)
    pool.drain()


def test_a_receiver_without_a_timeout_beside_one_that_has_one(make: Make, testing: Any) -> None:
    """Either receiver may get the batch, and neither waits for the other."""
    pool = held(make, testing, [1, 2, 2])
    patient = Call(pool.recv)
    await_asleep(patient.thread)
    for _ in range(3):
        with pytest.raises(RecvTimeoutError):
            pool.recv(0.02)
    testing.open_gate(1)
    assert patient.result()[4]["env_id"].tolist() == [0]
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.02)
    assert testing.gate_waiting() == 2


@pytest.mark.parametrize("timeout", [0, 0.05])
def test_timeout_behind_a_drain(make: Make, testing: Any, timeout: float) -> None:
    """The receiver returns in time, whether or not the drain has claimed the steps in flight."""
    pool = held(make, testing, [1, 1])
    draining = Call(pool.drain)
    await_asleep(draining.thread)
    with pytest.raises((RecvTimeoutError, NothingInFlightError)):
        pool.recv(timeout)
    assert testing.gate_waiting() == 2
    testing.open_gate()
    draining.result()


def test_timeout_behind_a_step_of_another_thread(make: Make, testing: Any) -> None:
    """In first-ready mode, `step` is `send` followed by `recv`."""
    pool = make("Gate", num_envs=2, batch_size=1, num_threads=2, work=GATE_WORK)
    pool.reset()
    other = Call(lambda: pool.step([1, 1]))
    assert testing.await_gate_waiting(2)
    await_asleep(other.thread)
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.05)
    assert testing.gate_waiting() == 2
    testing.open_gate()
    other.result()
    pool.drain()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["step", "reset", "render"])
def test_ctrl_c_behind_a_synchronous_call_of_another_thread(
    make: Make, testing: Any, call: str
) -> None:
    """The call returns while the other is blocked: it waits for that one, or runs beside it."""
    pool = make("Gate", num_envs=4, num_threads=2, work=GATE_WORK, render_mode="rgb_array")
    pool.reset()
    for _ in range(5):
        pool.step(zeros(4))
    other = Call(lambda: pool.step([1, 1], [0, 1]))
    assert testing.await_gate_waiting(2)
    await_asleep(other.thread)
    method = getattr(pool, call)
    arguments: tuple[Any, ...] = {"step": ([0, 0], [2, 3]), "render": ([2, 3],)}.get(call, ())
    named = {"env_id": [2, 3]} if call == "reset" else {}
    with ctrl_c_during(method, testing, 2), contextlib.suppress(KeyboardInterrupt):
        method(*arguments, **named)
    assert testing.gate_waiting() == 2
    testing.open_gate()
    np.testing.assert_array_equal(other.result()[0], [[6], [6]])
    assert pool.step(zeros(2), [2, 3])[0].shape == (2, 1)
