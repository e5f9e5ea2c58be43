"""Closing, dropping, forking, exiting: a pool never outstays and never hangs."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import ClosedError


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Runs a program of its own; a hang fails the test after a minute."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def assert_clean(done: subprocess.CompletedProcess[str]) -> None:
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_close_is_idempotent_and_final(env_type: Any) -> None:
    pool: Any = envpool_py.make("CartPole-v1", env_type, num_envs=2)
    assert not pool.closed
    pool.close()
    pool.close()
    assert pool.closed
    with pytest.raises(ClosedError):
        pool.reset()


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_context_manager_closes(env_type: Any) -> None:
    with envpool_py.make("CartPole-v1", env_type, num_envs=2) as pool:
        assert not pool.closed
    assert pool.closed
    with pytest.raises(ZeroDivisionError), envpool_py.make("CartPole-v1", env_type) as pool:
        raise ZeroDivisionError
    assert pool.closed


def test_arrays_outlive_the_pool() -> None:
    with envpool_py.make("CartPole-v1", num_envs=64, seed=3) as pool:
        observations, _ = pool.reset()
        expected = observations.copy()
        result = pool.step(np.zeros(64, np.int64))
    del pool
    gc.collect()
    np.testing.assert_array_equal(observations, expected)
    observations += 1.0
    np.testing.assert_array_equal(observations, expected + np.float32(1.0))
    assert result[1].sum() == 64.0


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("batch_size", [4, 16])
def test_dropping_the_object_ends_its_threads(env_type: Any, batch_size: int) -> None:
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 (the tasks are no files)
    pool: Any = envpool_py.make(
        "CartPole-v1", env_type, num_envs=16, batch_size=batch_size, num_threads=4
    )
    pool.reset(seed=0)
    assert len(os.listdir("/proc/self/task")) > threads  # noqa: PTH208
    pool.send(np.zeros(16, np.int64))  # left in flight
    alive = weakref.ref(pool)
    gc.disable()  # no cycle may be needed to see it go
    try:
        del pool
        assert alive() is None
    finally:
        gc.enable()
    assert len(os.listdir("/proc/self/task")) == threads  # noqa: PTH208


def test_close_while_another_thread_waits_in_recv() -> None:
    testing = pytest.importorskip("envpool_py._testing")
    pool = envpool_py.make("Testing/Gate-v0", num_envs=2, num_threads=2)
    pool.reset(seed=0)
    testing.close_gate(1)
    pool.send([1, 1])
    raised: list[BaseException] = []

    def wait() -> None:
        try:
            pool.recv()
        except ClosedError as error:
            raised.append(error)

    waiter = threading.Thread(target=wait)
    waiter.start()
    assert testing.await_gate_waiting(2)
    closer = threading.Thread(target=pool.close)
    closer.start()
    testing.open_gate(1)
    closer.join(60)
    waiter.join(60)
    assert not closer.is_alive()
    assert not waiter.is_alive()
    # The results may have come before the close; nothing else may have happened.
    assert len(raised) <= 1


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("batch_size", [4, 16])
def test_exit_with_a_live_pool_in_flight(env_type: str, batch_size: int) -> None:
    assert_clean(
        run_python(
            f"""
            import envpool_py
            pool = envpool_py.make("CartPole-v1", {env_type!r}, num_envs=16,
                                   batch_size={batch_size}, num_threads=3)
            pool.reset(seed=0)
            pool.send([0] * 16)
            """
        )
    )


def test_exit_with_a_pool_in_a_reference_cycle() -> None:
    assert_clean(
        run_python(
            """
            import envpool_py
            pool = envpool_py.make("CartPole-v1", num_envs=16, num_threads=3)
            pool.self = pool
            pool.reset(seed=0)
            del pool
            """
        )
    )


def test_exit_by_an_exception_keeps_its_message() -> None:
    done = run_python(
        """
        import envpool_py
        pool = envpool_py.make("CartPole-v1", num_envs=16, num_threads=3)
        pool.reset(seed=0)
        pool.step([0])
        """
    )
    assert done.returncode == 1
    assert "InputError" in done.stderr
    assert done.stderr.count("Traceback") == 1


def test_fork_leaves_the_parent_unharmed_and_tells_the_child() -> None:
    done = run_python(
        """
        import os, warnings
        import numpy as np
        import envpool_py
        from envpool_py.errors import ForkedError

        warnings.simplefilter("ignore")  # Python 3.12 warns of fork beside threads
        pool = envpool_py.make("CartPole-v1", num_envs=8, num_threads=3, seed=1)
        twin = envpool_py.make("CartPole-v1", num_envs=8, num_threads=3, seed=1)
        pool.reset(), twin.reset()
        child = os.fork()
        if child == 0:
            try:
                pool.step([0] * 8)
            except ForkedError as error:
                assert "process" in str(error), error
            else:
                raise SystemExit("no ForkedError")
            with envpool_py.make("CartPole-v1", num_envs=8, num_threads=3, seed=1) as own:
                own.reset()
                own.step([0] * 8)
            raise SystemExit(0)  # closes the inherited pools too
        _, status = os.waitpid(child, 0)
        assert status == 0, status
        for _ in range(30):
            np.testing.assert_array_equal(pool.step([1] * 8)[0], twin.step([1] * 8)[0])
        """
    )
    assert_clean(done)


def test_import_is_light() -> None:
    done = run_python(
        """
        import sys
        import gymnasium
        before = set(sys.modules)
        import envpool_py
        heavy = {"dm_env", "matplotlib", "rich", "difflib"} & (set(sys.modules) - before)
        assert not heavy, heavy
        """
    )
    assert_clean(done)
