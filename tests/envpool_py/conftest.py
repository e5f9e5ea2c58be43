"""Shared by the tests of the Python package and of the test environments (`Testing/...`)."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py

GATES = range(1, 8)


@pytest.fixture(scope="session")
def testing() -> Any:
    """The module of test environments; built with `ENVPOOL_TESTS=ON`, as `make test` does."""
    return importlib.import_module("envpool_py._testing")


@pytest.fixture
def make(testing: Any) -> Iterator[Callable[..., Any]]:
    """Makes pools of `Testing/<name>-v0` and closes them after the test.

    All gates are closed at the start; they are opened at the end, before the pools are closed, and
    after two minutes, so that a test that fails does not leave a step waiting for ever.
    """
    pools = []

    def open_gates() -> None:
        for gate in GATES:
            testing.open_gate(gate)

    def make_pool(name: str, **arguments: Any) -> Any:
        pool = envpool_py.make(f"Testing/{name}-v0", **arguments)
        pools.append(pool)
        return pool

    for gate in GATES:
        testing.close_gate(gate)
    guard = threading.Timer(120.0, open_gates)
    guard.start()
    yield make_pool
    guard.cancel()
    guard.join()
    open_gates()
    for pool in pools:
        pool.close()
    for gate in GATES:
        testing.close_gate(gate)


RunScript = Callable[..., str]


def _printed(done: subprocess.CompletedProcess[str]) -> str:
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def run_script(tmp_path: Path) -> RunScript:
    """Runs Python source in a process of its own; it must exit with 0 and an empty stderr.

    Returns what it printed. A process that hangs is killed after ten minutes, which fails the test.
    """

    def run(source: str, *arguments: str) -> str:
        return _printed(
            subprocess.run(
                [sys.executable, *arguments, "-c", textwrap.dedent(source)],
                cwd=tmp_path,  # not the repository, whose sources would hide the installed package
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
        )

    return run


@pytest.fixture
def run_forked(tmp_path: Path, forked_python: Any) -> RunScript:
    """Does what `run_script` does, where it is of no matter how the package was imported.

    The process is forked from one that has imported it, which takes a tenth of the time.
    """

    def run(source: str, *arguments: str) -> str:
        return _printed(forked_python.run(*arguments, "-c", textwrap.dedent(source), cwd=tmp_path))

    return run


def _assert_equal(left: Any, right: Any, path: str = "result") -> None:
    assert type(left) is type(right), path
    if isinstance(left, dict):
        assert left.keys() == right.keys(), path
        for key in left:
            _assert_equal(left[key], right[key], f"{path}[{key!r}]")
    elif isinstance(left, tuple):
        assert len(left) == len(right), path
        for i, (a, b) in enumerate(zip(left, right, strict=True)):
            _assert_equal(a, b, f"{path}[{i}]")
    else:
        assert left.dtype == right.dtype, path
        np.testing.assert_array_equal(left, right, err_msg=path)


@pytest.fixture
def assert_equal() -> Callable[..., None]:
    """Asserts that two nested results are equal: structure, dtypes, shapes, values."""
    return _assert_equal


@pytest.fixture
def assert_same_future() -> Callable[..., None]:
    """Asserts that two idle pools of one task give equal results from here on."""

    def check(pool: Any, twin: Any, steps: int = 60) -> None:
        space = twin.action_space
        space.seed(2024)
        for _ in range(steps):
            actions = space.sample()
            _assert_equal(pool.step(actions), twin.step(actions))

    return check
