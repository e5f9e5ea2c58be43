"""Blocks that Ctrl-C does not divide."""

from __future__ import annotations

import signal
import threading

import pytest

from envpool_py.ray.fleet.uninterrupted import Uninterrupted

from ...waiting import default_interrupts


def test_the_handler_runs_after_the_block() -> None:
    done = []

    def run() -> None:
        with Uninterrupted(), Uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append(1)
        done.append(2)

    with default_interrupts():
        before = signal.getsignal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            run()
        assert signal.getsignal(signal.SIGINT) is before
    assert done == [1]


def test_a_program_that_ignores_ctrl_c() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Uninterrupted():
            signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_changes_no_handler() -> None:
    seen = []

    def run() -> None:
        with Uninterrupted():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
