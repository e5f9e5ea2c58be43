"""Shared by the tests of making, closing and dropping pools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Make = Callable[..., Any]
RunScript = Callable[..., str]

GUARD = 120.0  # seconds after which a `recv` has failed its test
GATE_WORK = 300_000  # makes Gate-v0 dear enough for the pool to share a step among its threads

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc/self")


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int64)
