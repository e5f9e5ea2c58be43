"""Fixtures for the tests of the Python package and of the test environments (`Testing/...`)."""

from __future__ import annotations

import importlib
import importlib.util
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
from envpool_py.tasks import registry

GATES = range(1, 8)


@pytest.fixture(scope="session")
def testing() -> Any:
    """Returns the module of test environments; `ENVPOOL_TESTS=ON` (`make test`) builds it."""
    return importlib.import_module("envpool_py._testing")


@pytest.fixture
def task_packages(request: pytest.FixtureRequest) -> None:
    """Skips a test of the parameter `task_id` if packages that its family needs are missing."""
    family = registry.family_of(request.node.callspec.params["task_id"])
    for module in () if family is None else family.needs:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")


@pytest.fixture
def make(testing: Any) -> Iterator[Callable[..., Any]]:
    """Makes pools of `Testing/<name>-v0` and closes them after the test.

    All gates are closed when the test starts. They are opened after the test, before the pools are
    closed, and in any case after 120 s, so that no step of a failed test waits forever.
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
    # The message has all of stderr, which pytest would shorten: the stacks of a script that hung.
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


# From 3.12 on Python warns of a fork while there are threads. Scripts do that on purpose.
_FORKS = ("-W", "ignore:This process:DeprecationWarning")


@pytest.fixture
def run_script(tmp_path: Path) -> RunScript:
    """Runs Python source in a new process, which must exit with 0 and an empty stderr.

    Returns its standard output. The test fails if the process runs for more than ten minutes.
    """

    def run(source: str, *arguments: str) -> str:
        return _printed(
            subprocess.run(
                [sys.executable, *_FORKS, *arguments, "-c", textwrap.dedent(source)],
                cwd=tmp_path,  # in the repository, its sources would hide the installed package
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
        )

    return run


@pytest.fixture
def run_forked(tmp_path: Path, forked_python: Any) -> RunScript:
    """Runs a script like `run_script`, if the way of importing the package does not matter.

    The process is forked from one that has imported the package, which takes a tenth of the time.
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
    """Asserts that two idle pools of one task give equal results in the following steps."""

    def check(pool: Any, twin: Any, steps: int = 60) -> None:
        space = twin.action_space
        space.seed(2024)
        for _ in range(steps):
            actions = space.sample()
            _assert_equal(pool.step(actions), twin.step(actions))

    return check
