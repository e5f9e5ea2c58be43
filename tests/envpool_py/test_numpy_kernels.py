"""NumPy's loops, called by function pointer, give NumPy's results for single elements; and what the
import does if a loop is not where it is expected.
"""

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


# Changes NumPy before the package is imported, and prints what the import warns of.
CHANGED = """
import math, sys, warnings
import numpy as np
{change}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import envpool_py
    from envpool_py import _testing
    from envpool_py.tasks.families.mujoco import library
for warning in caught:
    assert warning.category is RuntimeWarning, warning
    print(str(warning.message).partition("them: ")[2].partition(".")[0])
{check}
with envpool_py.make("Acrobot-v1", num_envs=2, seed=0) as pool:
    pool.reset()
    assert np.isfinite(pool.step(np.zeros(2, int))[0]).all()
"""

# A ufunc's table of loops, behind the object's head and four ints, as NumPy's header declares it.
TABLE = """
import ctypes
def table(ufunc):
    return ctypes.cast(ctypes.c_void_p.from_address(
        id(ufunc) + object.__basicsize__ + 4 * ctypes.sizeof(ctypes.c_int)
    ).value, ctypes.POINTER(ctypes.c_void_p))
"""

CHANGES = {
    "nothing": ("", [], ""),
    "no ufunc": (
        "np.exp = lambda x: x",
        ["exp"],
        "assert _testing.kernel('exp', [0.3]) == [math.exp(0.3)]",
    ),
    "another function's": (
        "np.log = np.log2",
        ["log"],
        "assert _testing.kernel('log', [0.3]) == [math.log(0.3)]",
    ),
    "no loop of float64": (
        "np.cosh = np.frompyfunc(math.cosh, 1, 1); np.matmul = np.multiply",
        ["cosh, matmul"],
        "assert _testing.kernel('cosh', [0.3]) == [math.cosh(0.3)]\n"
        "assert _testing.matmul([2.0, 3.0], [4.0, 5.0], 1, 2, 1) == [23.0]",
    ),
    "absent": (
        "del np.arctan2, np.arccos",
        ["arccos, arctan2"],
        "assert _testing.kernel_of_two('arctan2', [0.3], [0.4]) == [math.atan2(0.3, 0.4)]",
    ),
    "no pointer": (
        TABLE + "at = np.tanh.types.index('d->d')\n"
        "loops = table(np.tanh); kept = loops[at]; loops[at] = None",
        ["tanh"],
        "assert _testing.kernel('tanh', [0.3]) == [math.tanh(0.3)]",
    ),
    "another pointer": (
        TABLE + "at = [ufunc.types.index('d->d') for ufunc in (np.tanh, np.sinh)]\n"
        "table(np.tanh)[at[0]] = table(np.sinh)[at[1]]",
        ["tanh"],
        "assert _testing.kernel('tanh', [0.3]) == [math.tanh(0.3)]",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_loop_that_is_not_where_it_was(change: str, run_script: Any) -> None:
    made, names, check = CHANGES[change]
    printed = run_script(CHANGED.format(change=made, check=check))
    assert printed.splitlines() == names
