"""The calls of public programs run here, and return the same as with EnvPool."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest

import envpool_py.compat.envpool as ours

from .differences import name_of
from .public_programs import PROGRAMS, New, Old, Program

EVERY = [pytest.param(program, id=program.name) for program in PROGRAMS]
# Entries of `theirs` that concern the calls themselves.
CALLS = ("five results", "no assignments")
OLD = [
    pytest.param(program, id=program.name)
    for program in PROGRAMS
    if any(words in program.theirs for words in CALLS)
]
CHANGED = [pytest.param(program, id=program.name) for program in PROGRAMS if program.change]
# Programs whose numbers are equal in both libraries for the same seed.
EQUAL = ("CleanRL, PPO", "CleanRL, random network distillation", "CleanRL, PQN", "Cleanba")


@pytest.fixture(autouse=True)
def _skip_what_needs_more(request: pytest.FixtureRequest) -> None:
    program = request.node.callspec.params["program"]
    if program.needs:
        pytest.importorskip(program.needs)


def run(program: Program, envpool: Any, take: type[Old] | type[New]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return program.calls(envpool, take)


def form(value: Any) -> Any:
    """Return the parts of a result that must agree; the number of rows may differ."""
    if isinstance(value, np.ndarray):
        return (value.dtype.name, value.ndim, value.shape[1:])
    return type(value).__name__ if not isinstance(value, (list, tuple)) else list(map(form, value))


@pytest.mark.parametrize("program", EVERY)
def test_runs_here(program: Program) -> None:
    if program.stops:
        with pytest.raises(Exception) as raised:  # noqa: PT011  # the next line checks its class
            run(program, ours, New)
        assert name_of(raised.value) == program.stops
    else:
        assert run(program, ours, New)
    assert bool(program.stops) == bool(program.change) == (program.after is not None)


@pytest.mark.parametrize("program", CHANGED)
def test_runs_after_the_change(program: Program) -> None:
    assert program.after is not None
    came = program.after(ours, New)
    assert came
    if importlib.util.find_spec("envpool") is not None:
        expected = program.after(importlib.import_module("envpool"), New)
        assert list(map(form, came)) == list(map(form, expected))


@pytest.mark.parametrize("program", OLD)
def test_as_written(program: Program) -> None:
    """EnvPool refuses these programs as written; this package accepts their assignments."""
    if "five results" in program.theirs or program.stops:
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            run(program, ours, Old)
    else:
        assert run(program, ours, Old)
    if importlib.util.find_spec("envpool") is not None:
        with pytest.raises((ValueError, TypeError, RuntimeError, AttributeError)):
            run(program, importlib.import_module("envpool"), Old)


@pytest.mark.parametrize("program", EVERY)
def test_sees_the_same_with_envpool(program: Program) -> None:
    theirs = pytest.importorskip("envpool")
    expected = run(program, theirs, New)
    if program.stops:
        return
    came = run(program, ours, New)
    if program.name in EQUAL:
        for mine, other in zip(came, expected, strict=True):
            np.testing.assert_array_equal(mine, other)
    assert list(map(form, came)) == list(map(form, expected))
