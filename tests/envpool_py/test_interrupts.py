"""Ctrl-C and other signals during calls that wait."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import EnvIdError, NothingInFlightError, RecvTimeoutError

from .lifecycle import GATE_WORK, GUARD, Make, zeros


@contextlib.contextmanager
def ctrl_c_during(call: Any, testing: Any, waiting: int) -> Iterator[None]:
    """Sends SIGINT once `waiting` steps wait at a gate and this thread is within the method `call`.

    The signal is repeated until it finds the thread there; only then does its handler raise, as
    Python's own does. Should the call not notice, the gate is opened after a while, which ends it.
    """
    handled, raised = threading.Event(), threading.Event()

    def handle(_: int, frame: Any) -> None:
        if frame is not None and frame.f_code is call.__func__.__code__:
            raised.set()
            handled.set()
            raise KeyboardInterrupt
        handled.set()

    def run() -> None:
        noticed = testing.await_gate_waiting(waiting)
        while noticed and not raised.is_set():
            handled.clear()
            os.kill(os.getpid(), signal.SIGINT)
            noticed = handled.wait(GUARD)
        if not noticed:
            testing.open_gate()

    before = signal.signal(signal.SIGINT, handle)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


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
    """The interrupted step goes on; its results come by `recv`."""
    pool = make("Gate", num_envs=2, num_threads=2, work=GATE_WORK)
    pool.reset()
    for _ in range(5):  # the pool learns that a step is worth sharing
        pool.step(zeros(2))
    # This thread steps one environment, passes the gate once the worker is held there with the
    # other, and then waits for it.
    testing.escort_others(True)
    try:
        with ctrl_c_during(pool.step, testing, 1), pytest.raises(KeyboardInterrupt):
            pool.step([1, 1])
    finally:
        testing.escort_others(False)
    assert testing.gate_waiting() == 1
    with pytest.raises(EnvIdError, match="in flight"):
        pool.step(zeros(2))
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
    """An environment that is being stepped is not torn off; the call ends after it.

    With nobody else to step the rest, `recv` does.
    """
    # A step takes longer than the time for which a stepping thread does not look at signals.
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
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            step()
    finally:
        killer.join()
        signal.signal(signal.SIGINT, before)
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
    """A handler that returns normally runs while `recv` waits, and `recv` goes on waiting."""
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
