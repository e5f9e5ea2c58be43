"""What the tests of the test environments (`Testing/...`) share."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

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

    All gates are closed at the start; they are opened at the end, before the pools are closed, so
    that a failed test does not leave a step waiting for ever.
    """
    pools = []

    def make_pool(name: str, **arguments: Any) -> Any:
        pool = envpool_py.make(f"Testing/{name}-v0", **arguments)
        pools.append(pool)
        return pool

    for gate in GATES:
        testing.close_gate(gate)
    yield make_pool
    for gate in GATES:
        testing.open_gate(gate)
    for pool in pools:
        pool.close()
    for gate in GATES:
        testing.close_gate(gate)


@pytest.fixture
def run_script() -> Callable[..., str]:
    """Runs Python source in a process of its own; it must exit with 0 and an empty stderr.

    Returns what it printed. A process that hangs is killed after ten minutes, which fails the test.
    """

    def run(source: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments, "-c", textwrap.dedent(source)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run
