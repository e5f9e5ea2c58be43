"""Threads that wait: running calls in them, seeing them asleep, sending them signals.

Also imported by the scripts that tests run in processes of their own (see `SCRIPT`), so it needs
nothing of pytest's.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

LIMIT = 120.0  # seconds after which what a test waits for has not happened

# Starts the source of a test's own process. A process that hangs, also with the GIL held, shows its
# stacks and fails. `work` is what makes Gate-v0 dear enough to be shared among threads.
SCRIPT = f"""
import faulthandler
faulthandler.dump_traceback_later({LIMIT}, exit=True)
import os, signal, sys, threading
sys.path.append({str(Path(__file__).parent)!r})
import numpy as np
import envpool_py, envpool_py._testing as testing
from envpool_py.errors import *
from waiting import *

work = 300_000
zeros = lambda n: np.zeros(n, np.int64)
def make(name="Gate", **arguments):
    return envpool_py.make(f"Testing/{{name}}-v0", **arguments)
"""


class Call:
    """A call in a thread of its own, which keeps what it returned or raised."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._result: Any = None
        self.error: BaseException | None = None
        # A daemon: a test that failed must not keep the process.
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:
            self.error = error

    def ended(self, limit: float = LIMIT) -> bool:
        self.thread.join(limit)
        return not self.thread.is_alive()

    def result(self) -> Any:
        assert self.ended()
        if self.error is not None:
            raise self.error
        return self._result


def await_asleep(thread: threading.Thread) -> bool:
    """Returns once the system sees the thread asleep, time and again; False after a while.

    Nothing may depend on it but which interleaving a test sees: a thread can be asleep for other
    reasons than the one expected.
    """
    looks = 0
    deadline = time.monotonic() + LIMIT
    while looks < 6 and time.monotonic() < deadline:
        time.sleep(0.002)  # lets the thread have the GIL
        try:
            stat = Path(f"/proc/self/task/{thread.native_id}/stat").read_text()
        except OSError:  # it has ended, or there is no /proc
            return False
        looks = looks + 1 if stat.rpartition(")")[2].split()[0] == "S" else 0
    return looks > 0


def opening_when_asleep(testing: Any, gate: int = 1) -> Call:
    """Opens a gate once the calling thread sleeps."""
    caller = threading.current_thread()

    def run() -> None:
        await_asleep(caller)
        testing.open_gate(gate)

    return Call(run)


@contextlib.contextmanager
def ctrl_c_during(call: Any, testing: Any, waiting: int) -> Iterator[None]:
    """Sends SIGINT once `waiting` steps wait at gates and this thread sleeps in the method `call`.

    The signal is repeated until it finds the thread there; only then does its handler raise, as
    Python's own does. Should the call not notice, the gate is opened after a while, which ends it.
    """
    handled, raised, ended = threading.Event(), threading.Event(), threading.Event()
    caller = threading.current_thread()

    def handle(_: int, frame: Any) -> None:
        while frame is not None:
            if frame.f_code is call.__func__.__code__:
                raised.set()
                handled.set()
                raise KeyboardInterrupt
            frame = frame.f_back
        handled.set()

    def run() -> None:
        noticed = testing.await_gate_waiting(waiting)
        while noticed and not raised.is_set() and not ended.is_set():
            await_asleep(caller)
            handled.clear()
            os.kill(os.getpid(), signal.SIGINT)
            noticed = handled.wait(LIMIT)
        if not noticed:
            testing.open_gate()

    before = signal.signal(signal.SIGINT, handle)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def escorting(testing: Any) -> Iterator[None]:
    """The calling thread, where it steps, passes gates once some other thread waits at one."""
    testing.escort_others(True)
    try:
        yield
    finally:
        testing.escort_others(False)
