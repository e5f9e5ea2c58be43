"""Closing and dropping pools of both APIs, and the modules that an import loads.

test_closing.py tests the engine's part.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import ClosedError

RunScript = Callable[..., str]


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


def test_what_does_not_need_the_engine_outlives_it() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=2)
    pool.reset(seed=0)
    pool.close()
    assert (len(pool), repr(pool)) == (2, "GymnasiumPool(CartPole-v1, num_envs=2)")
    assert pool.observation_space.shape == (2, 4)
    assert pool.stats()["resets"] == 2


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("batch_size", [4, 16])
def test_dropping_the_object_is_enough(env_type: Any, batch_size: int) -> None:
    pool: Any = envpool_py.make(
        "CartPole-v1", env_type, num_envs=16, batch_size=batch_size, num_threads=4
    )
    pool.reset(seed=0)
    pool.send(np.zeros(16, np.int64))  # left in flight
    alive, engine_alive = weakref.ref(pool), weakref.ref(pool._core)
    gc.disable()  # references alone must free the pool, without the collector
    try:
        del pool
        assert alive() is None
        assert engine_alive() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("batch_size", [4, 16])
def test_exit_with_live_pools(run_script: RunScript, env_type: str, batch_size: int) -> None:
    run_script(
        f"""
        import envpool_py
        pool = envpool_py.make(
            "CartPole-v1", {env_type!r}, 16, batch_size={batch_size}, num_threads=3
        )
        cycle = envpool_py.make(
            "CartPole-v1", {env_type!r}, 16, batch_size={batch_size}, num_threads=3
        )
        cycle.itself = cycle
        for each in (pool, cycle):
            each.reset(seed=0)
            each.send([0] * 16)
        del cycle
        """,
        "-Werror",
    )


def test_import_is_light(run_script: RunScript) -> None:
    run_script(
        """
        import sys
        import gymnasium
        before = set(sys.modules)
        import envpool_py
        heavy = {"dm_env", "matplotlib", "rich", "difflib"} & (set(sys.modules) - before)
        assert not heavy, heavy
        """,
        "-Werror",
    )


# Runs in a new process: unpickled objects used to crash.
def test_what_cannot_be_pickled_says_so(run_script: RunScript) -> None:
    run_script(
        """
        import copy
        import pickle

        import envpool_py
        from envpool_py import _atari_debug

        objects = [
            envpool_py.make("CartPole-v1")._core,
            _atari_debug.PixelPath(),
            _atari_debug.Console("4K", bytes(4096)),
        ]
        for each in objects:
            name = type(each).__name__
            for attempt in [copy.copy, copy.deepcopy] + [
                lambda value, protocol=protocol: pickle.dumps(value, protocol)
                for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
            ]:
                try:
                    attempt(each)
                except TypeError as error:
                    assert f"'{name}'" in str(error), error
                else:
                    raise AssertionError(name)
        """,
        "-Werror",
        # Where there is no GIL: _atari_debug is a tool, made for one thread.
        "-Wignore:The global interpreter lock:RuntimeWarning",
    )
