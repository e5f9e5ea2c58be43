"""Threads that block: running calls in them, detecting that they sleep, sending them signals.

Scripts that tests run in new processes import this module too (see `SCRIPT`), so it must not import
pytest.
"""

from __future__ import annotations

import contextlib
import dis
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

LIMIT = 120.0  # seconds until a test that waits fails

# The beginning of a script for a new process. If the process hangs, even with the GIL held, it
# prints its stacks and fails. `work` makes steps of Gate-v0 slow enough to be shared among threads.
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
    """Runs a call in a new thread, and keeps its result or exception."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._result: Any = None
        self.error: BaseException | None = None
        # A daemon thread, so that a failed test does not keep the process alive.
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
    """Waits until the system reports the thread as asleep several times in a row.

    Returns False if the thread has ended or was not seen asleep. Tests may rely on it only to
    select an interleaving: a thread can be asleep for other reasons than the expected one.
    """
    looks = 0
    deadline = time.monotonic() + LIMIT
    while looks < 6 and time.monotonic() < deadline:
        time.sleep(0.002)  # gives the thread the GIL
        try:
            stat = Path(f"/proc/self/task/{thread.native_id}/stat").read_text()
        except OSError:  # the thread has ended, or there is no /proc
            return False
        looks = looks + 1 if stat.rpartition(")")[2].split()[0] == "S" else 0
    return looks > 0


def opening_when_asleep(testing: Any, gate: int = 1) -> Call:
    """Opens a gate when the calling thread is asleep."""
    caller = threading.current_thread()

    def run() -> None:
        await_asleep(caller)
        testing.open_gate(gate)

    return Call(run)


@contextlib.contextmanager
def default_interrupts() -> Iterator[None]:
    """Handles SIGINT with KeyboardInterrupt. A shell starts background jobs with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def ctrl_c_during(call: Any, testing: Any, waiting: int) -> Iterator[None]:
    """Sends SIGINT when `waiting` steps wait at gates and this thread sleeps in the method `call`.

    The signal is repeated until it interrupts the thread inside `call`; only then does its handler
    raise KeyboardInterrupt, as Python's own does. If no signal is handled in time, the gate is
    opened, which ends the call.
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
    """While it steps, the calling thread passes gates as soon as another thread waits at one."""
    testing.escort_others(True)
    try:
        yield
    finally:
        testing.escort_others(False)


class InterruptedAt:
    """Interrupts its block at one of the points at which CPython may run signal handlers.

    These are the beginnings of functions, jumps back, and the ends of calls of functions in C. Only
    those in files whose path begins with `path` count. The block ends with the KeyboardInterrupt.

    Attributes:
        happened: whether there were so many points.
    """

    def __init__(self, number: int, path: str) -> None:
        self.happened = False
        self._left = number
        self._path = path
        # Of each frame, the instruction that is executed, and whether it called a Python function.
        self._instructions: dict[FrameType, tuple[str, bool]] = {}

    def __enter__(self) -> InterruptedAt:
        self._before = signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.settrace(self._trace)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        sys.settrace(None)
        signal.signal(signal.SIGINT, self._before)
        return kind is KeyboardInterrupt

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        caller = frame.f_back
        if event == "call" and caller in self._instructions:
            self._instructions[caller] = self._instructions[caller][0], True
        if not frame.f_code.co_filename.startswith(self._path):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            name, calls_python = self._instructions.get(frame, ("", False))
            code = frame.f_code.co_code[frame.f_lasti]
            self._instructions[frame] = dis.opname[code], False
            is_call = name.startswith("CALL") and not calls_python
            if is_call or name.startswith(("RESUME", "JUMP_BACKWARD")):
                self._left -= 1
                if self._left < 0:
                    self.happened = True
                    sys.settrace(None)
                    signal.raise_signal(signal.SIGINT)
        return self._trace
