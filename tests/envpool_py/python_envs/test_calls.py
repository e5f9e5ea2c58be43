"""call, get_attr, set_attr, render, pickling, closing, and how pools are made."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import signal
from pathlib import Path
from typing import Any, ClassVar

import cloudpickle
import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    ClosedError,
    CloseTimeoutError,
    InputError,
    InputTypeError,
    ReentryError,
)
from envpool_py.pool import base
from envpool_py.python_envs import choosing
from envpool_py.python_envs.choosing import StepCost, num_processors
from envpool_py.python_envs.hosting import MethodCall, class_names

from . import awkward
from .comparing import assert_same

WORKERS = [0, 2]


@pytest.mark.parametrize("num_workers", WORKERS)
def test_call(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 3, num_workers=num_workers) as pool:
        # Works before the first reset.
        assert pool.call("note", 1, key="x") == ((1, 1),) * 3
        assert pool.call("note", 2) == ((2, 2),) * 3
        assert pool.get_attr("steps") == (0, 0, 0)
        with pytest.raises(KeyError, match="refused"):
            pool.call("refuse")
        with pytest.raises(AttributeError):
            pool.get_attr("no_such_attribute")
        pool.set_attr("steps", [4, 5, 6])
        assert pool.get_attr("steps") == (4, 5, 6)
        pool.set_attr("steps", 1)
        assert pool.get_attr("steps") == (1, 1, 1)
        with pytest.raises(InputError, match="list or tuple of 3"):
            pool.set_attr("steps", [1, 2])
        pool.reset(seed=5)
        assert pool.np_random_seed == (5, 6, 7)
        processes = set(pool.call("process"))
        assert (os.getpid() in processes) == (num_workers == 0)
        assert len(processes) == max(num_workers, 1)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_calls_of_some_environments(num_workers: int) -> None:
    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.wrappers.TimeLimit(awkward.Obedient(), 5)

    with envpool_py.make_python(make, 3, num_workers=num_workers) as pool:
        pool.call_some(MethodCall("steps", values=[7, 8, 9]), [2, 0])
        assert pool.get_attr("steps") == (7, 0, 9)
        assert pool.call_some(MethodCall("note", (1,), {"key": "x"}), [1]) == ((1, 1),)
        for names in pool.call_some(MethodCall("", function=class_names), [0, 1]):
            assert "gymnasium.wrappers.common.TimeLimit" in names
            assert "gymnasium.core.Wrapper" in names
            assert not any("Obedient" in name for name in names)
        with pytest.raises(ZeroDivisionError):
            pool.call_some(
                MethodCall("", function=lambda env: 1 // env.get_wrapper_attr("steps")), [1]
            )


@pytest.mark.parametrize("num_workers", WORKERS)
def test_calls_through_final_obs_per_env(num_workers: int) -> None:
    pool = envpool_py.make_python(
        awkward.Obedient, 2, num_workers=num_workers, autoreset_mode="SameStep"
    )
    with contextlib.closing(envpool_py.FinalObsPerEnv(pool)) as envs:
        envs.set_attr("steps", [3, 4])
        assert envs.get_attr("steps") == (3, 4)
        assert envs.call("note", 1, key="x") == ((1, 1),) * 2


@pytest.mark.parametrize("num_workers", WORKERS)
def test_render(num_workers: int) -> None:
    with (
        envpool_py.make_python(
            lambda: gymnasium.make("FrozenLake-v1", render_mode="rgb_array"),
            2,
            num_workers=num_workers,
        ) as pool,
        contextlib.closing(
            gymnasium.vector.SyncVectorEnv(
                [lambda: gymnasium.make("FrozenLake-v1", render_mode="rgb_array")] * 2
            )
        ) as reference,
    ):
        assert pool.render_mode == "rgb_array"
        pool.reset(seed=1)
        reference.reset(seed=1)
        assert_same(pool.render(), reference.render())
        assert_same(pool.render(np.array([1])), reference.render()[1:])


@pytest.mark.parametrize("num_workers", WORKERS)
def test_a_copy_is_a_new_pool(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Base, 3, num_workers=num_workers, seed=4) as pool:
        for dump in (pickle.dumps, cloudpickle.dumps):
            with pickle.loads(dump(pool)) as other:
                assert_same(other.reset(), pool.reset(seed=4))


@pytest.mark.parametrize(
    "start_method",
    ["forkserver", "spawn", pytest.param("fork", marks=pytest.mark.unsanitized)],
)
def test_start_methods(start_method: str) -> None:
    with envpool_py.make_python(
        awkward.Base, 2, num_workers=2, start_method=start_method, seed=4
    ) as pool:
        first = pool.reset()[0]
    with envpool_py.make_python(awkward.Base, 2, num_workers=0, seed=4) as pool:
        np.testing.assert_array_equal(pool.reset()[0], first)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_closing(num_workers: int) -> None:
    pool = envpool_py.make_python(awkward.Base, 2, num_workers=num_workers)
    pool.reset()
    pool.close()
    pool.close()
    for call in (pool.reset, lambda: pool.step(np.zeros(2, int)), lambda: pool.call("steps")):
        with pytest.raises(ClosedError):
            call()


class Closable(awkward.Gated):
    closed: ClassVar[list[Any]] = []

    def close(self) -> None:
        self.closed.append(self)


def gated_pool(tmp_path: Path) -> tuple[Any, int]:
    """Makes a pool in which a thread steps environment 1, and waits at the gate; returns both."""
    os.mkfifo(tmp_path / "gate")
    Closable.closed.clear()
    pool = envpool_py.make_python(
        functools.partial(Closable, str(tmp_path / "gate")), 2, num_workers=2, workers="threads"
    )
    pool.reset()
    pool.send(np.array([0, 1]))
    return pool, os.open(tmp_path / "gate", os.O_WRONLY)  # waits until the step waits


def test_environments_are_closed_after_a_close_that_timed_out(tmp_path: Path) -> None:
    pool, gate = gated_pool(tmp_path)
    with pytest.raises(CloseTimeoutError):
        pool.close(timeout=0.01)
    assert Closable.closed == []
    os.close(gate)
    pool.close()
    assert len(Closable.closed) == 2
    pool.close()
    assert len(Closable.closed) == 2


def test_an_exception_arrives_although_a_step_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "LIMIT_AFTER_ERROR", 0.01)
    pool, gate = gated_pool(tmp_path)
    with pytest.raises(ZeroDivisionError), pool:
        raise ZeroDivisionError
    os.close(gate)
    pool.close()
    assert len(Closable.closed) == 2


class UsesItsPool(awkward.Base):
    """Calls the pool that steps it."""

    pool: Any = None
    closes = False

    def step(self, action: Any) -> tuple[Any, ...]:
        for call in (self.pool.reset, lambda: self.pool.step([0, 0]), self.pool.recv):
            with pytest.raises(ReentryError, match="a step of one of its environments"):
                call()
        with pytest.raises(ReentryError):
            self.pool.call("steps")
        assert self.pool.stats()["failures"] == 0
        if self.closes:
            self.pool.close()
        return super().step(action)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(
    ("num_workers", "workers"), [(0, "processes"), (1, "threads"), (2, "threads")]
)
def test_an_environment_that_calls_its_pool(
    num_workers: int, workers: str, asynchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = envpool_py.make_python(
        functools.partial(UsesItsPool, ends=0.0),
        2,
        num_workers=num_workers,
        workers=workers,
        batch_size=1 if asynchronous else 2,
    )
    monkeypatch.setattr(UsesItsPool, "pool", pool)
    pool.async_reset()
    pool.drain()
    if asynchronous:
        pool.send([0, 0])
        pool.recv()
        pool.recv()
    else:
        pool.step([0, 0])
    monkeypatch.setattr(UsesItsPool, "closes", True)
    with pytest.raises(ClosedError):
        pool.step([0], [0])
    pool.close()


class Stop(BaseException):
    """An exception of a signal handler."""


class Interrupted(awkward.Base):
    """A signal arrives in its calls."""

    def step(self, action: Any) -> tuple[Any, ...]:
        if action == 1:
            self.interrupt()
        return super().step(action)

    def interrupt(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.unsanitized  # sanitizers delay signals
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, Stop])
@pytest.mark.parametrize(("num_workers", "workers"), [(0, "processes"), (1, "threads")])
def test_exceptions_of_signal_handlers_in_environments(
    num_workers: int, workers: str, error: type[BaseException]
) -> None:
    """Arrive as they are; the handler runs once."""
    signals = []

    def handle(*_: Any) -> None:
        signals.append(1)
        raise error

    with envpool_py.make_python(Interrupted, 1, num_workers=num_workers, workers=workers) as pool:
        pool.reset()
        before = signal.signal(signal.SIGINT, handle)
        try:
            with pytest.raises(error):
                pool.call("interrupt")
            with pytest.raises(error):
                pool.step([1])
            pool.drain()
            pool.async_reset()
            pool.recv()
            if num_workers == 0:  # otherwise a worker thread steps, to which no signal comes
                pool.send([1])
                with pytest.raises(error):
                    pool.recv()
        finally:
            signal.signal(signal.SIGINT, before)
        assert len(signals) == (3 if num_workers == 0 else 2)


@pytest.mark.parametrize(("seconds", "expected"), [(1e-7, 0), (1e-2, min(4, num_processors()))])
def test_the_number_of_workers_is_chosen(
    seconds: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "measure_step", lambda env: StepCost(seconds, seconds))
    with envpool_py.make_python(awkward.Base, 4) as pool:
        assert pool.num_workers == (0 if expected == 1 else expected)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"env_fns": 3}, InputTypeError, "env_fns: expected a function or a sequence"),
        ({"env_fns": []}, InputError, "at least one function"),
        ({"env_fns": [3]}, InputTypeError, r"env_fns\[0\]"),
        ({"env_fns": awkward.Base}, InputError, "num_envs: expected a number"),
        ({"env_fns": [awkward.Base], "num_envs": 2}, InputError, "num_envs"),
        ({"env_fns": [awkward.Base], "num_workers": 2}, InputError, "num_workers"),
        ({"env_fns": [awkward.Base], "start_method": "forks"}, InputError, 'mean "fork"'),
        ({"env_fns": [awkward.Base], "step_timeout": 0}, InputError, "step_timeout"),
        ({"env_fns": [awkward.Base], "on_worker_death": "x"}, InputError, "on_worker_death"),
        ({"env_fns": [awkward.Base], "batch_size": 2}, InputError, "batch_size"),
    ],
)
def test_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        envpool_py.make_python(**arguments)
