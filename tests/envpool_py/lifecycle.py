"""Shared by the tests that make, close and drop pools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Make = Callable[..., Any]
RunScript = Callable[..., str]

GUARD = 120.0  # seconds until a blocked `recv` fails its test
GATE_WORK = 300_000  # makes Gate-v0 so slow that the pool shares a step among its threads

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc/self")


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int64)
