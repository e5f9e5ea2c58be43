"""Several threads of the program use pools of environments in Python at the same time."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InternalError
from envpool_py.python_envs.hosting import MethodCall
from envpool_py.python_envs.workers import Workers

from ..at_once import at_once

THREADS = 4


class Steps(gymnasium.Env[Any, Any]):
    """Counts its steps in observations and infos."""

    observation_space: Any = gymnasium.spaces.Box(0, np.inf, (1,), np.float64)
    action_space: Any = gymnasium.spaces.Discrete(2)
    closed = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.steps = 0
        return np.zeros(1), {"text": "0", "steps": 0}

    def step(self, action: Any) -> Any:
        self.steps += 1
        info = {"text": str(self.steps), "steps": self.steps}
        return np.full(1, float(self.steps)), 1.0, False, False, info

    def close(self) -> None:
        self.closed += 1


class StepsInOneDict(Steps):
    """Always returns the same objects."""

    def __init__(self) -> None:
        self.info: dict[str, Any] = {"list": [0], "array": np.zeros(1)}

    def step(self, action: Any) -> Any:
        observation, *rest, info = super().step(action)
        self.info.update(info)
        self.info["list"][0] = self.info["array"][0] = self.steps
        return observation, *rest, self.info


@pytest.mark.parametrize("kind", [Steps, StepsInOneDict])
@pytest.mark.parametrize("num_workers", [0, 1, 3])
@pytest.mark.parametrize("batch_size", [12, 3])
def test_threads_use_one_pool(kind: type[Steps], num_workers: int, batch_size: int) -> None:
    with envpool_py.make_python(
        kind, 12, num_workers=num_workers, workers="threads", batch_size=batch_size
    ) as pool:
        pool.reset(seed=0)
        if batch_size < 12:
            pool.send(np.zeros(12, int))

        def play() -> Counter[int]:
            seen: Counter[int] = Counter()
            for _ in range(150):
                if batch_size == 12:
                    result: Any = pool.step(np.zeros(12, int))
                else:
                    result = pool.recv()
                    pool.send(np.zeros(batch_size, int), result[4]["env_id"])
                observations, *_, infos = result
                seen.update(infos["env_id"].tolist())
                steps = infos["elapsed_step"].tolist()
                assert observations[:, 0].tolist() == steps == infos["steps"].tolist()
                assert infos["text"].tolist() == [str(step) for step in steps]
                if kind is StepsInOneDict and 0 not in steps:
                    assert infos["array"][:, 0].tolist() == steps
                    assert infos["list"].tolist() == [[step] for step in steps]
            return seen

        seen = sum(at_once([play] * THREADS), Counter())
        assert seen.total() == THREADS * 150 * batch_size
        pool.drain()


class Restless(Steps):
    """A thread of the environment changes the dict of its infos all the time."""

    def __init__(self) -> None:
        self.info: dict[str, Any] = {}
        self.changes = 0
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.change, daemon=True)
        self.thread.start()

    def change(self) -> None:
        while not self.ends.is_set():
            number = self.changes % 6
            self.info[f"number {number}"] = float(number)
            self.info[f"array {number}"] = np.full(2, number)
            self.info[f"text {number}"] = f"of {number}"
            # NumPy releases the GIL while it copies it, and the copy of a list is by Python.
            self.info[f"large {number}"] = np.full((40, 40), number).T
            self.info[f"set {number}"] = {number}
            for kind in ("number", "array", "text", "large", "set"):
                self.info.pop(f"{kind} {(number + 3) % 6}", None)
            self.changes += 1

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset()
        return np.zeros(1), self.info

    def step(self, action: Any) -> Any:
        super().step(action)
        return np.zeros(1), 1.0, self.steps % 10 == 0, False, self.info

    def close(self) -> None:
        self.ends.set()
        self.thread.join()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("num_workers", [0, 2])
def test_infos_that_change_meanwhile(num_workers: int, mode: str) -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with envpool_py.make_python(
            Restless, 2, num_workers=num_workers, workers="threads", autoreset_mode=mode
        ) as pool:
            pool.reset()
            for _ in range(40):
                infos = pool.step(np.zeros(2, int))[4]
                for name, values in infos.items():
                    kind, _, number = name.partition(" ")
                    if kind not in ("number", "array", "text", "large", "set"):
                        continue
                    expected: Any = int(number) if number else None
                    expected = {"text": f"of {number}", "set": {expected}}.get(kind, expected)
                    for value, present in zip(values, infos[f"_{name}"], strict=True):
                        if present:
                            assert np.all(value == expected), name
    finally:
        sys.setswitchinterval(interval)


def test_a_pool_with_processes_is_closed_by_several_threads() -> None:
    for _ in range(3):
        pool = envpool_py.make_python(Steps, 4, num_workers=4)
        pool.reset()
        at_once([pool.close] * THREADS)
        assert pool.worker_pids == []


@pytest.mark.unsanitized  # sanitizers delay signals
def test_a_signal_handler_closes_a_pool_that_is_being_closed() -> None:
    class Signals(Steps):
        def close(self) -> None:
            super().close()
            signal.raise_signal(signal.SIGTERM)

    envs = [Signals() for _ in range(5)]
    pool = envpool_py.make_python(
        [functools.partial(lambda env: env, env) for env in envs], num_workers=0
    )
    pool.reset()
    before = signal.signal(signal.SIGTERM, lambda *_: pool.close())
    try:
        pool.close()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [env.closed for env in envs] == [1] * 5


def test_close_goes_on_after_an_interruption() -> None:
    order = []

    class Interrupts(Steps):
        def __init__(self, number: int) -> None:
            self.number = number

        def close(self) -> None:
            order.append(self.number)
            if self.number == 2:
                raise KeyboardInterrupt

    pool = envpool_py.make_python(
        [functools.partial(Interrupts, number) for number in range(4)], num_workers=0
    )
    pool.reset()
    with pytest.raises(KeyboardInterrupt):
        pool.close()
    assert order == [3, 2, 1, 0]


def test_an_environment_is_closed_once() -> None:
    for _ in range(20):
        envs = [Steps() for _ in range(3)]
        pool = envpool_py.make_python(
            [functools.partial(lambda env: env, env) for env in envs],
            num_workers=2,
            workers="threads",
        )
        pool.reset()
        at_once([pool.close] * THREADS)
        assert [env.closed for env in envs] == [1] * 3


def use_elsewhere(env: Any, hosted: Any, staged: Any) -> Any:
    """Called with an environment and its `HostedEnv`: lets another thread use it."""

    def use() -> Any:
        return hosted.environment

    try:
        (made,) = at_once([use])
    except InternalError as error:
        return str(error), hosted.environment is env
    return made


def test_only_the_thread_of_a_call_gets_its_environment() -> None:
    with envpool_py.make_python(Steps, 2, num_workers=0) as pool:
        pool.reset()
        for message, own in pool.call_some(MethodCall("", on_state=use_elsewhere)):
            assert "only the thread of its call" in message
            assert own


class Ending(Steps):
    def end(self) -> None:
        os._exit(3)


def test_dead_workers_are_replaced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = Workers._start

    def counted(workers: Workers, worker: int, core: Any) -> None:
        started.append(worker)
        start(workers, worker, core)

    monkeypatch.setattr(Workers, "_start", counted)
    with envpool_py.make_python(Ending, 4, num_workers=2) as pool:
        pool.reset()
        for _ in range(3):
            before = pool.worker_pids
            started.clear()
            with pytest.raises(Exception, match="exit"):
                pool.call("end")

            def reset(env: int) -> None:
                # Another thread may be replacing the worker that this one needs.
                with contextlib.suppress(EnvironmentFailedError):
                    pool.reset([env])

            at_once([functools.partial(reset, env) for env in range(4)])
            pool.reset()
            assert pool.step(np.zeros(4, int))[4]["steps"].tolist() == [1] * 4
            assert len({*before, *pool.worker_pids}) == 4
            assert sorted(started) == [0, 1]
