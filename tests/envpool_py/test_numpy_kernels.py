"""NumPy's loops, called by function pointer, give NumPy's results for single elements."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

_testing: Any = importlib.import_module("envpool_py._testing")

COUNT = 20_000
RANGES = {
    "exp": (-30.0, 5.0),
    "log": (1e-9, 50.0),
    "log1p": (0.0, 1e4),
    "cosh": (-8.0, 8.0),
    "tanh": (-4.0, 4.0),
    "arcsinh": (-1e3, 1e3),
    "arccos": (-1.0, 1.0),
    "arctan": (-20.0, 20.0),
    "sin": (-50.0, 50.0),
    "cos": (-50.0, 50.0),
}


def values(low: float, high: float, count: int = COUNT) -> np.ndarray:
    return np.random.default_rng(3).uniform(low, high, count)


@pytest.mark.parametrize("name", RANGES)
def test_functions_of_one(name: str) -> None:
    sample = values(*RANGES[name])
    assert _testing.kernel(name, sample.tolist()) == getattr(np, name)(sample).tolist()


@pytest.mark.parametrize("name", ["exp", "log", "tanh", "sin"])
def test_scalars_and_arrays_are_equal(name: str) -> None:
    sample = values(*RANGES[name], count=1000)
    function = getattr(np, name)
    assert [function(value) for value in sample] == function(sample).tolist()


def test_special_values() -> None:
    assert _testing.kernel("exp", [-np.inf, 0.0, np.inf]) == [0.0, 1.0, np.inf]
    assert np.isnan(_testing.kernel("exp", [np.nan])).all()


def test_functions_of_two() -> None:
    first, second = values(-5.0, 5.0), np.random.default_rng(4).uniform(-5.0, 5.0, COUNT)
    angles = _testing.kernel_of_two("arctan2", first.tolist(), second.tolist())
    assert angles == np.arctan2(first, second).tolist()
    powers = _testing.kernel_of_two("power", np.abs(first).tolist(), second.tolist())
    assert powers == np.power(np.abs(first), second).tolist()
    for scale in (1.0, 100.0):
        sums = _testing.kernel_of_two("logaddexp", (scale * first).tolist(), second.tolist())
        assert sums == np.logaddexp(scale * first, second).tolist()


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 15, 16, 17, 40, 129])
def test_dot(count: int) -> None:
    for seed in range(50):
        a, b = np.random.default_rng(seed).standard_normal((2, count))
        assert _testing.dot(a.tolist(), b.tolist()) == np.dot(a, b)
        assert np.sqrt(_testing.dot(a.tolist(), a.tolist())) == np.linalg.norm(a)


@pytest.mark.parametrize("shape", [(1, 3, 3), (3, 3, 3), (4, 3, 3), (2, 5, 1), (6, 7, 8)])
def test_matmul(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    for seed in range(100):
        rng = np.random.default_rng(seed)
        a, b = rng.standard_normal((rows, inner)), rng.standard_normal((inner, columns))
        ours = _testing.matmul(a.ravel().tolist(), b.ravel().tolist(), *shape)
        assert ours == (a @ b).ravel().tolist()
        if rows == 1:  # the reference multiplies vectors in this way
            assert ours == a[0].dot(b).tolist()
