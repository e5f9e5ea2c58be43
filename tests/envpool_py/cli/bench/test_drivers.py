"""Drives libraries in ordered mode and in first-ready mode."""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import pytest

from envpool_py.cli.bench.drivers import FirstReadyDriver, OrderedDriver, make_consumer, pace


class FakeEnv:
    """Records its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, seed: int | None = None) -> None:
        self.calls.append(("reset", seed))

    def step(self, action: Any) -> None:
        self.calls.append(("step", action))

    def async_reset(self) -> None:
        self.calls.append(("async_reset",))

    def recv(self) -> tuple[Any, ...]:
        self.calls.append(("recv",))
        return None, None, None, None, {"env_id": len(self.calls)}

    def send(self, action: Any, env_id: Any) -> None:
        self.calls.append(("send", action, env_id))

    def close(self) -> None:
        self.calls.append(("close",))


def test_the_ordered_driver_resets_once_and_steps() -> None:
    env = FakeEnv()
    driver = OrderedDriver(env, 4, seed=3)
    driver.advance(iter([10, 11]))
    assert env.calls == [("reset", 3), ("step", 10), ("step", 11)]
    assert driver.rows_per_call == 4
    assert driver.stats() is None


def test_the_first_ready_driver_answers_those_it_heard_from() -> None:
    env = FakeEnv()
    driver = FirstReadyDriver(env, 2)
    driver.advance(iter([10, 11]))
    assert env.calls == [("async_reset",), ("recv",), ("send", 10, 2), ("recv",), ("send", 11, 4)]
    assert driver.rows_per_call == 2


def test_a_consumer_comes_between_results_and_actions() -> None:
    env = FakeEnv()
    driver = FirstReadyDriver(env, 2)
    driver.advance(pace(driver, iter([10, 11]), lambda: env.calls.append(("consume",))))
    assert [call[0] for call in env.calls] == [
        "async_reset", "recv", "consume", "send", "recv", "consume", "send"
    ]  # fmt: skip
    env = FakeEnv()
    ordered = OrderedDriver(env, 4, seed=3)
    ordered.advance(pace(ordered, iter([10, 11]), lambda: env.calls.append(("consume",))))
    assert [call[0] for call in env.calls] == ["reset", "consume", "step", "consume", "step"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_consumer_takes_its_time(waits: bool) -> None:
    assert make_consumer(0.0, waits) is None
    consume = make_consumer(300.0, waits)
    assert consume is not None
    start = time.perf_counter_ns()
    consume()
    assert time.perf_counter_ns() - start >= 300_000
