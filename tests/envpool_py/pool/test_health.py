"""`pool.health`, `pool.serve_metrics`, and the log."""

from __future__ import annotations

import gc
import logging
import threading
import urllib.request
import weakref
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import ClosedError, EnvironmentFailedError, ReentryError
from envpool_py.pool import health

HELD = threading.Event()
ENTERED = threading.Event()


class Held(gymnasium.Env[Any, Any]):
    """Action 1 waits until HELD is set, 2 raises an error."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == 1:
            ENTERED.set()
            HELD.wait()
        if action == 2:
            raise ValueError("as told")
        return np.zeros(1, np.float32), 0.0, False, False, {}


@pytest.fixture(autouse=True)
def _open() -> Any:
    HELD.clear()
    ENTERED.clear()
    yield
    HELD.set()


def held(**arguments: Any) -> Any:
    return envpool_py.make_python(
        [Held] * 4, **{"workers": "threads", "num_workers": 2, **arguments}
    )


def states(pool: Any) -> list[str]:
    return [str(state) for state in pool.health()["state"]]


def test_states_and_counts() -> None:
    with envpool_py.make("CartPole-v1", num_envs=4, autoreset_mode="Disabled") as pool:
        assert states(pool) == ["never reset"] * 4
        assert np.isnan(pool.health()["seconds"]).all()
        pool.reset(env_id=[0, 1, 2])
        assert states(pool) == ["idle"] * 3 + ["never reset"]
        pool.reset(env_id=[3])
        over = np.zeros(4, bool)
        steps = 0
        while not over.any():
            _, _, over, _, _ = pool.step(np.ones(4, int))
            steps += 1
        now = pool.health()
        assert [state == "episode over" for state in now["state"]] == list(over)
        np.testing.assert_array_equal(now["results"], steps + 1)
        np.testing.assert_array_equal(now["failures"], 0)
        assert (now["seconds"] >= 0).all()
        pool.reset()
        assert states(pool) == ["idle"] * 4
    with pytest.raises(ClosedError):
        pool.health()


def test_counts_of_a_first_ready_pool() -> None:
    received = np.zeros(6, int)
    with envpool_py.make("CartPole-v1", num_envs=6, batch_size=2, num_threads=2) as pool:
        pool.async_reset()
        for _ in range(40):
            ids = pool.recv()[-1]["env_id"]
            received[ids] += 1
            waiting = set(range(6)) - set(ids.tolist())
            in_flight = {env for env, state in enumerate(states(pool)) if state != "idle"}
            assert in_flight == waiting
            pool.send(np.zeros(2, int), ids)
        pool.drain()
        np.testing.assert_array_equal(pool.health()["results"], received)
        assert states(pool) == ["idle"] * 6


def test_the_duration_of_long_steps() -> None:
    pytest.importorskip("mujoco")
    with envpool_py.make("HalfCheetah-v5", num_envs=3, num_threads=1) as pool:
        pool.reset()
        for _ in range(20):
            pool.step(pool.action_space.sample())
        seconds = pool.health()["step_seconds"]
    assert ((seconds > 1e-6) & (seconds < 10)).all()


def test_a_step_that_hangs_is_seen_from_another_thread() -> None:
    with held(batch_size=2) as pool:
        pool.reset()
        pool.send(np.array([0, 1, 0, 0]))
        assert ENTERED.wait(60)
        pool.recv()
        now = pool.health()
        assert now["state"][1] == "stepping"
        assert list(now["state"]).count("idle") == 2
        HELD.set()
        pool.recv()
        assert states(pool) == ["idle"] * 4


def test_a_call_that_waits_says_for_what(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "FIRST_LINE_AFTER", 0.5)

    class Lets(logging.Handler):
        """Lets the step end once it is in the log."""

        def emit(self, record: logging.LogRecord) -> None:
            HELD.set()

    logger = logging.getLogger("envpool_py")
    handler = Lets()
    logger.addHandler(handler)
    try:
        with held(batch_size=1) as pool, caplog.at_level("WARNING"):
            pool.reset()
            pool.send(np.array([1]), [2])
            pool.recv()
            name = pool.task_id
    finally:
        logger.removeHandler(handler)
    (line,) = caplog.messages
    assert line.startswith(f"{name}: a call has waited 1 s for environment 2, for up to ")


def test_failures_are_logged_with_a_limit(caplog: pytest.LogCaptureFixture) -> None:
    with held() as pool, caplog.at_level("WARNING"):
        pool.reset()
        with pytest.raises(EnvironmentFailedError):
            pool.step(np.full(4, 2))
    assert not caplog.messages  # the error says it
    with held(on_error="reset") as pool, caplog.at_level("WARNING"):
        pool.reset()
        for _ in range(4):
            pool.step(np.full(4, 2))
            assert states(pool) == ["failed"] * 4
            pool.step(np.full(4, 0))
            assert states(pool) == ["idle"] * 4
        np.testing.assert_array_equal(pool.health()["failures"], 4)
    assert len(caplog.messages) == health._MOST_LINES
    assert "environment 0 failed: ValueError: as told" in caplog.messages[0]


def test_the_seed_of_a_failure_is_logged(testing: Any, caplog: pytest.LogCaptureFixture) -> None:
    with envpool_py.make("Testing/Counter-v0", num_envs=3, seed=70) as pool:
        watcher = health.Watcher(pool)
        with caplog.at_level("WARNING"):
            watcher("failed", [1], [b"no \xff"], None)
    assert caplog.messages == [r"Testing/Counter-v0: environment 1 (seed 71) failed: no \xff"]


def test_an_environment_cannot_ask_for_the_health_of_its_pool() -> None:
    pools: list[Any] = []

    class Asks(Held):
        def step(self, action: Any) -> Any:
            pools[0].health()
            return super().step(action)

    with envpool_py.make_python([Asks], num_workers=0) as pool:
        pools.append(pool)
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as raised:
            pool.step(np.zeros(1, int))
        assert ReentryError.__name__ in str(raised.value)
        pools.clear()


def test_the_watcher_does_not_keep_the_pool() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=1)
    gone = weakref.ref(pool)
    pool.close()
    del pool
    gc.collect()
    assert gone() is None


def test_metrics_over_http() -> None:
    pytest.importorskip("prometheus_client")
    with envpool_py.make("CartPole-v1", num_envs=5) as pool:
        server = pool.serve_metrics()
        try:
            pool.reset()
            for _ in range(30):
                pool.step(np.ones(5, int))

            def served() -> dict[str, float]:
                with urllib.request.urlopen(server.url, timeout=60) as answer:
                    lines = answer.read().decode().splitlines()
                pairs = (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
                return {name: float(value) for name, value in pairs}

            values = served()
            stats = pool.stats()
            label = '{task="CartPole-v1"}'
            assert values[f"envpool_steps_total{label}"] == stats["steps"] > 0
            assert values[f"envpool_episodes_total{label}"] == stats["episodes"] > 0
            assert values['envpool_environments{state="idle",task="CartPole-v1"}'] == 5
            pool.close()
            assert f"envpool_steps_total{label}" in served()
        finally:
            server.close()
