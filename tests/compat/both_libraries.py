"""Programs that run with EnvPool and with the compat module; skips where there is no EnvPool."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envpool_py.compat.envpool as ours

theirs = pytest.importorskip("envpool")


Program = Callable[[Any], Any]


def both(program: Program) -> list[Any]:
    """Return what a program returns with each library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [program(lib) for lib in (ours, theirs)]


def describe(value: Any) -> Any:
    """Return what must be the same of two results: structure, names, types, shapes and dtypes."""
    if isinstance(value, np.ndarray):
        return (value.dtype.name, value.shape)
    if isinstance(value, dict):
        return {name: describe(item) for name, item in value.items()}
    if hasattr(value, "_fields"):
        return (
            type(value).__name__,
            {name: describe(getattr(value, name)) for name in value._fields},
        )
    if isinstance(value, tuple):
        return tuple(describe(item) for item in value)
    return type(value).__name__
