"""Calls of several threads that begin at the same time."""

from __future__ import annotations

import sysconfig
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

_HAS_GIL = not sysconfig.get_config_var("Py_GIL_DISABLED")
needs_no_gil = pytest.mark.skipif(_HAS_GIL, reason="this Python has a GIL")
needs_gil = pytest.mark.skipif(not _HAS_GIL, reason="environments of threads wait for the GIL")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Returns the results of the calls, each made by a thread of its own."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return [future.result() for future in [threads.submit(run, call) for call in calls]]
