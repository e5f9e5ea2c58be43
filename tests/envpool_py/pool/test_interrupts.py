"""Ctrl-C and other signals during blocked calls."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import EnvIdError, NothingInFlightError, RecvTimeoutError

from ..lifecycle import GATE_WORK, GUARD, Make, zeros
from ..waiting import ctrl_c_during, default_interrupts, escorting, opening_when_asleep


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("batch_size", [2, 3])
def test_ctrl_c_during_recv(make: Make, testing: Any, batch_size: int) -> None:
    pool = make("Gate", num_envs=3, batch_size=batch_size, num_threads=3, work=GATE_WORK)
    pool.reset()
    pool.send([1, 1, 1])
    with ctrl_c_during(pool.recv, testing, 3), pytest.raises(KeyboardInterrupt):
        pool.recv()
    assert testing.gate_waiting() == 3
    with pytest.raises(RecvTimeoutError):
        pool.recv(0)
    testing.open_gate()
    obs, *_, infos = pool.recv(GUARD)
    np.testing.assert_array_equal(obs[:, 0], [1] * batch_size)
    assert len(set(infos["env_id"].tolist())) == batch_size
    pool.drain()
    pool.send(zeros(3))
    np.testing.assert_array_equal(pool.recv(GUARD)[0][:, 0], [2] * batch_size)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_during_step(make: Make, testing: Any) -> None:
    """The interrupted step continues; `recv` returns its results if it is the next call."""
    pool = make("Gate", num_envs=2, num_threads=2, work=GATE_WORK)
    pool.reset()
    for _ in range(5):  # the pool measures that a step is worth sharing
        pool.step(zeros(2))
    # This thread steps one environment, passes the gate when the worker is blocked there with the
    # other one, and then waits for the worker.
    with (
        escorting(testing),
        ctrl_c_during(pool.step, testing, 1),
        pytest.raises(KeyboardInterrupt),
    ):
        pool.step([1, 1])
    assert testing.gate_waiting() == 1
    with pytest.raises(EnvIdError, match="in flight"):
        pool.send(zeros(2))
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.01)
    testing.open_gate()
    obs, reward, _, _, infos = pool.recv(GUARD)
    assert infos["env_id"].tolist() == [0, 1]
    np.testing.assert_array_equal(obs[:, 0], [6, 6])
    assert reward.shape == (2,)
    with pytest.raises(NothingInFlightError):
        pool.recv(0)
    np.testing.assert_array_equal(pool.step(zeros(2))[0][:, 0], [7, 7])
    assert pool.stats()["steps"] == 14


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("num_envs", [1, 2, 5])
def test_ctrl_c_while_the_calling_thread_steps(make: Make, testing: Any, num_envs: int) -> None:
    """An environment's step is never cut short; the call ends after it.

    No other thread steps the remaining environments, so `recv` does.
    """
    # One step exceeds the interval at which a stepping thread checks for signals.
    pool = make("Gate", num_envs=num_envs, num_threads=1, work=100_000_000)
    pool.reset()
    pool.step(zeros(num_envs))

    def run() -> None:
        if testing.await_gate_waiting(1):
            os.kill(os.getpid(), signal.SIGINT)
        testing.open_gate()

    def step() -> None:
        killer.start()
        pool.step(np.ones(num_envs, np.int64))
        killer.join()

    killer = threading.Thread(target=run)
    with default_interrupts():
        try:
            with pytest.raises(KeyboardInterrupt):
                step()
        finally:
            killer.join()
    if num_envs > 1:
        obs, *_, infos = pool.recv(GUARD)
        assert infos["env_id"].tolist() == list(range(num_envs))
        np.testing.assert_array_equal(obs[:, 0], [2] * num_envs)
    np.testing.assert_array_equal(pool.step(zeros(num_envs))[0][:, 0], [3] * num_envs)
    assert pool.stats()["steps"] == 3 * num_envs


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_during_step_in_first_ready_mode(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=3, batch_size=2, num_threads=2, work=GATE_WORK)
    pool.reset()
    with ctrl_c_during(pool.step, testing, 2), pytest.raises(KeyboardInterrupt):
        pool.step([1, 1, 0])
    assert testing.gate_waiting() == 2
    testing.open_gate()
    obs, *_ = pool.recv(GUARD)
    np.testing.assert_array_equal(obs[:, 0], [1, 1])
    pool.drain()
    assert pool.stats()["steps"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_during_drain(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=3, batch_size=2, num_threads=3, work=GATE_WORK)
    pool.reset()
    pool.send([1, 1, 1])
    with ctrl_c_during(pool.drain, testing, 3), pytest.raises(KeyboardInterrupt):
        pool.drain()
    testing.open_gate()
    pool.drain()
    pool.send(zeros(3))
    np.testing.assert_array_equal(pool.recv(GUARD)[0][:, 0], [2, 2])


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_other_signals_do_not_interrupt(make: Make, testing: Any) -> None:
    """A handler that returns normally runs while `recv` waits; then `recv` continues to wait."""
    handled = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: handled.set())
    try:
        pool = make("Gate", num_envs=2, batch_size=1, num_threads=1, work=GATE_WORK)
        pool.reset()
        pool.send([1], [0])

        def run() -> None:
            if testing.await_gate_waiting(1):
                os.kill(os.getpid(), signal.SIGUSR1)
                handled.wait(GUARD)
            testing.open_gate()

        thread = threading.Thread(target=run)
        thread.start()
        pool.recv(GUARD)
        thread.join()
        assert handled.is_set()
    finally:
        signal.signal(signal.SIGUSR1, before)


# After an interrupted call


def interrupted(make: Make, testing: Any, call: str, **arguments: Any) -> Any:
    """Returns a pool whose last call was interrupted and has environments blocked at gate 1.

    Before an interrupted step, each environment has made `STEPS` steps; else it has been reset.
    """
    costs = {"reset_work": GATE_WORK, "reset_gate": 1} if call == "reset" else {"work": GATE_WORK}
    pool = make("Gate", num_threads=2, render_mode="rgb_array", **costs, **arguments)
    testing.open_gate()
    n = pool.num_envs
    for _ in range(5):  # the pool measures the cost of a reset
        pool.reset()
    if call == "step":
        pool.step(zeros(n))
        for _ in range(STEPS - 1):
            pool.drain()
            pool.step(zeros(n))
        pool.drain()
    testing.close_gate()
    method = getattr(pool, call)
    with (
        escorting(testing),
        ctrl_c_during(method, testing, 1),
        pytest.raises(KeyboardInterrupt),
    ):
        method() if call == "reset" else method([1] * n)
    assert testing.gate_waiting() == 1
    return pool


STEPS = 3


def check(pool: Any, call: str, steps: int) -> None:
    """Makes `call` on all environments, which have made `steps` steps, and checks its result."""
    n = pool.num_envs
    if call == "step":
        obs, *_, infos = pool.step(zeros(n))
        expected = [[steps + 1]] * pool.batch_size
        assert len(set(infos["env_id"].tolist())) == pool.batch_size
        pool.drain()
    elif call == "reset":
        obs, _ = pool.reset()
        expected = [[0]] * n
    else:
        obs = np.array([picture[0, 0, :1] for picture in pool.render()])
        expected = [[steps]] * n
    np.testing.assert_array_equal(obs, expected)
    with pytest.raises(NothingInFlightError):
        pool.recv(0)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["step", "reset", "render"])
@pytest.mark.parametrize("before", ["step", "reset"])
def test_a_call_after_an_interrupted_one_waits_and_drops(
    make: Make, testing: Any, before: str, call: str
) -> None:
    pool = interrupted(make, testing, before, num_envs=2)
    opening = opening_when_asleep(testing)
    try:
        check(pool, call, STEPS + 1 if before == "step" else 0)
    finally:
        opening.result()
    # After that, calls work normally.
    assert pool.reset()[0].tolist() == [[0], [0]]
    assert pool.step(zeros(2))[0].tolist() == [[1], [1]]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["step", "reset", "render"])
def test_a_call_after_an_interrupted_step_in_first_ready_mode(
    make: Make, testing: Any, call: str
) -> None:
    pool = make("Gate", num_envs=3, batch_size=2, num_threads=2, work=GATE_WORK,
                render_mode="rgb_array")  # fmt: skip
    pool.reset()
    with ctrl_c_during(pool.step, testing, 2), pytest.raises(KeyboardInterrupt):
        pool.step([1, 1, 0])
    opening = opening_when_asleep(testing)
    try:
        check(pool, call, 1)
    finally:
        opening.result()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["step", "reset", "render"])
def test_a_call_of_other_environments_does_not_wait(make: Make, testing: Any, call: str) -> None:
    pool = make("Gate", num_envs=5, batch_size=2, num_threads=3, work=GATE_WORK,
                render_mode="rgb_array")  # fmt: skip
    pool.reset()
    with ctrl_c_during(pool.step, testing, 2), pytest.raises(KeyboardInterrupt):
        pool.step([1, 1], [0, 1])
    assert pool.reset(env_id=[2, 3])[0].tolist() == [[0], [0]]
    assert len(pool.render([4])) == 1
    assert pool.step([0, 0], [4, 2])[0].tolist() == [[1], [1]]
    assert testing.gate_waiting() == 2
    with pytest.raises(EnvIdError, match="in flight"):  # `send` does not wait
        pool.send([0], [0])
    # A call for one of the interrupted environments waits, and drops the results of both.
    opening = opening_when_asleep(testing)
    try:
        if call == "step":
            assert pool.step([0, 0], [0, 3])[0].shape == (2, 1)
        elif call == "reset":
            assert pool.reset(env_id=[0])[0].tolist() == [[0]]
        else:
            assert pool.render([0])[0][0, 0, 0] == 1
    finally:
        opening.result()
    with pytest.raises(NothingInFlightError):
        pool.recv(0)
    pool.send([0, 0], [0, 1])
    assert sorted(pool.recv(GUARD)[4]["env_id"]) == [0, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("call", ["step", "reset", "render"])
def test_ctrl_c_again_in_the_next_call(make: Make, testing: Any, call: str) -> None:
    """Ctrl-C interrupts the next call before its own work.

    The call after it finds the same state.
    """
    pool = interrupted(make, testing, "step", num_envs=2)
    method = getattr(pool, call)
    for _ in range(2):
        with ctrl_c_during(method, testing, 1), pytest.raises(KeyboardInterrupt):
            method(zeros(2)) if call == "step" else method()
    assert testing.gate_waiting() == 1
    opening = opening_when_asleep(testing)
    try:
        check(pool, call, STEPS + 1)
    finally:
        opening.result()
