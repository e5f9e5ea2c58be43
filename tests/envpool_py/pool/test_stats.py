"""The counters and times of `stats` are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from envpool_py.errors import RecvTimeoutError

from ..lifecycle import GATE_WORK, GUARD, Make, zeros


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(
    ("mode", "steps_per_env", "episodes_per_env", "resets_per_env"),
    [
        # 20 calls: four steps, one call that only resets, and so on.
        ("NextStep", 16, 4, 1 + 4),
        ("SameStep", 20, 5, 1 + 5),
    ],
)
def test_counters_are_exact(
    make: Make,
    mode: str,
    steps_per_env: int,
    episodes_per_env: int,
    resets_per_env: int,
    num_threads: int,
) -> None:
    num_envs = 10
    for batch_size in (10, 5):
        pool = make(
            "Counter",
            num_envs=num_envs,
            batch_size=batch_size,
            autoreset_mode=mode,
            num_threads=num_threads,
            episode_length=4,
        )
        stats = pool.stats()
        assert [stats[name] for name in ("steps", "episodes", "resets", "failures")] == [0] * 4
        pool.reset(seed=0)
        for _ in range(20):
            if batch_size == num_envs:
                pool.step(zeros(num_envs))
            else:
                pool.send(zeros(num_envs))
                pool.recv(GUARD)
                pool.recv(GUARD)
        stats = pool.stats()
        assert stats["steps"] == steps_per_env * num_envs
        assert stats["episodes"] == episodes_per_env * num_envs
        assert stats["resets"] == resets_per_env * num_envs
        assert stats["failures"] == 0


@pytest.mark.parametrize("batch_size", [4, 8])
def test_what_has_been_received_has_been_counted(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=8, batch_size=batch_size, num_threads=2, episode_length=0)
    pool.reset()
    for call in range(1, 2001):
        pool.send(zeros(8))
        for _ in range(8 // batch_size):
            pool.recv(GUARD)
        assert pool.stats()["steps"] == 8 * call


def test_counters_of_disabled_autoreset_and_partial_resets(make: Make) -> None:
    pool = make("Counter", num_envs=6, autoreset_mode="Disabled", episode_length=2)
    pool.reset()
    pool.step(zeros(6))
    pool.step(zeros(6))
    pool.reset(env_id=[0, 3])
    pool.reset(options={"reset_mask": np.array([False, True, False, False, False, True])})
    pool.step(zeros(4), [0, 1, 3, 5])
    pool.async_reset([2, 4])
    pool.drain()
    stats = pool.stats()
    assert stats["steps"] == 6 + 6 + 4
    assert stats["episodes"] == 6
    assert stats["resets"] == 6 + 2 + 2 + 2


def test_times_are_counted_where_they_are_spent(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=2, batch_size=1, num_threads=1, work=GATE_WORK)
    names = ("step_ns", "idle_ns", "recv_wait_ns")
    assert set(names) <= set(pool.stats())
    pool.reset()
    before = pool.stats()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.02)
    assert pool.stats()["recv_wait_ns"] - before["recv_wait_ns"] >= 10_000_000
    testing.open_gate()
    pool.recv(GUARD)
    pool.close()
    after = pool.stats()
    assert after["step_ns"] - before["step_ns"] >= 10_000_000  # it waited as long as `recv`
    assert after["steps"] == 1
    for name in names:
        assert after[name] >= 0
    assert all(isinstance(value, int) for value in after.values())
