"""Runs programs with EnvPool and with the compat module; skips if EnvPool is not installed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envpool_py.compat.envpool as ours

theirs = pytest.importorskip("envpool")

# EnvPool 1.2.5 is the last for Python 3.11; with Python 3.12 the tests have 1.2.7.
IS_OLD = theirs.__version__ == "1.2.5"

Program = Callable[[Any], Any]


def both(program: Program) -> list[Any]:
    """Return the program's results, first with the compat module and then with EnvPool."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [program(lib) for lib in (ours, theirs)]


def describe(value: Any) -> Any:
    """Return the parts of a result that must agree: structure, names, types, shapes and dtypes."""
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
