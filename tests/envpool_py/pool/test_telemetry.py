"""`stats(detail=True)` and `profile()` record what the threads did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import ClosedError, InputError, InputTypeError
from envpool_py.pool.telemetry import ACTIVITIES

from ..lifecycle import GUARD, Make, zeros


def of_thread(stats: dict[str, Any], name: str) -> dict[str, Any]:
    (thread,) = [each for each in stats["threads"] if each["name"] == name]
    return thread


@pytest.mark.parametrize("batch_size", [4, 8])
def test_the_threads_add_up_to_the_pool(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=8, batch_size=batch_size, num_threads=3, episode_length=4)
    pool.reset()
    for _ in range(50):
        pool.send(zeros(8))
        for _ in range(8 // batch_size):
            pool.recv(GUARD)
    stats = pool.stats(detail=True)
    assert stats["recorded"] is None
    assert stats["queued"] == 0
    names = [thread["name"] for thread in stats["threads"]]
    assert names == ["worker 0", "worker 1", "worker 2", "caller", "receiver"]
    for name in ("steps", "episodes", "resets", "failures"):
        assert sum(thread[name] for thread in stats["threads"]) == stats[name]
    assert {key: stats[key] for key in ("steps", "episodes", "resets")} == {
        key: pool.stats()[key] for key in ("steps", "episodes", "resets")
    }
    # Each time is rounded down separately, and read a moment later.
    assert sum(thread["idle_ns"] for thread in stats["threads"]) >= stats["idle_ns"] - 3


def test_a_profile_counts_the_steps_of_its_block_only(make: Make) -> None:
    pool = make("Counter", num_envs=8, num_threads=1, episode_length=0)
    pool.reset()
    pool.step(zeros(8))
    with pool.profile() as profile:
        for _ in range(10):
            pool.step(zeros(8))
    pool.step(zeros(8))
    stats = profile.stats()
    assert of_thread(stats, "caller")["steps"] == 80
    assert sum(thread["steps"] for thread in stats["threads"]) == 80
    assert stats["step_ns"]["count"] == 80
    assert stats["batch_ns"]["count"] == 10
    assert stats["recv_delay_ns"]["count"] == 0
    assert stats["recv_delay_ns"]["p50"] is None
    # The pool's own statistics contain the times of all blocks.
    assert pool.stats(detail=True)["recorded"]["step_ns"]["count"] == 80
    with pool.profile() as again:
        pool.step(zeros(8))
    assert again.stats()["step_ns"]["count"] == 8
    assert profile.stats() == stats


def test_steps_of_first_ready_pools_are_recorded_on_the_thread_that_runs_them(make: Make) -> None:
    pool = make("Counter", num_envs=12, batch_size=4, num_threads=2, episode_length=0)
    pool.async_reset()
    for _ in range(3):
        pool.recv(GUARD)
    with pool.profile() as profile:
        pool.send(zeros(12))
        for _ in range(20):
            ids = pool.recv(GUARD)[4]["env_id"]
            pool.send(zeros(4), ids)
        pool.drain()
    stats = profile.stats()
    assert sum(thread["steps"] for thread in stats["threads"]) == 12 + 20 * 4
    rows = sum(thread["rows_ns"] for thread in stats["threads"])
    assert rows > 0
    # drain takes and drops the last batches. A batch is left out if it is taken before its last
    # writer has reported.
    assert 10 <= stats["batch_ns"]["count"] <= 23
    assert stats["recv_delay_ns"]["count"] == stats["batch_ns"]["count"]
    assert stats["queued"]["count"] > 0
    for name, events in profile.events().items():
        activities = {ACTIVITIES[number] for number in events[:, 0]}
        if name == "batches":
            assert activities == {"batch"}
            assert (events[:, 3] == 4).all()
        elif name == "receiver":
            assert activities <= {"step", "rows", "wait"}
        else:
            assert activities <= {"step", "rows", "search", "spin", "sleep"}
        assert (events[:, 1:] >= 0).all()


def test_a_distribution_is_ordered_and_covers_the_values(make: Make) -> None:
    pool = make("Counter", num_envs=64, num_threads=2, episode_length=0)
    pool.reset()
    with pool.profile() as profile:
        for _ in range(200):
            pool.step(zeros(64))
    steps = profile.stats()["step_ns"]
    assert steps["buckets"][0][0] <= steps["p50"] <= steps["p90"] <= steps["p99"] <= steps["max"]
    assert sum(count for _, _, count in steps["buckets"]) == steps["count"] == 200 * 64
    for low, high, count in steps["buckets"]:
        assert low < high
        assert count > 0


def test_only_the_latest_events_are_kept(make: Make) -> None:
    pool = make("Counter", num_envs=2, num_threads=1, episode_length=0)
    pool.reset()
    with pool.profile(events=16) as profile:
        for _ in range(100):
            pool.step(zeros(2))
    events = profile.events()["caller"]
    assert len(events) == 15
    assert (np.diff(events[:, 1]) > 0).all()
    # A call may be split into two parts.
    assert 100 <= of_thread(profile.stats(), "caller")["events"] <= 200
    assert of_thread(profile.stats(), "caller")["steps"] == 200


def test_a_trace_is_what_chrome_reads(make: Make, tmp_path: Path) -> None:
    pool = make("Counter", num_envs=8, batch_size=4, num_threads=2, episode_length=0)
    pool.async_reset()
    with pool.profile() as profile:
        for _ in range(5):
            pool.send(zeros(4), pool.recv(GUARD)[4]["env_id"])
        pool.drain()  # no step is recorded while the results are read
    pool.close()
    path = tmp_path / "trace.json"
    profile.save_trace(path)
    trace = json.loads(path.read_text())
    names = {
        event["tid"]: event["args"]["name"]
        for event in trace["traceEvents"]
        if event["name"] == "thread_name"
    }
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert spans
    for span in spans:
        assert span["tid"] in names
        assert span["name"] in ACTIVITIES
        assert span["dur"] >= 0
    assert "batches" in names.values()
    steps = sum(span["args"]["count"] for span in spans if span["name"] == "step")
    assert steps == sum(thread["steps"] for thread in profile.stats()["threads"])


def test_stats_of_a_running_block(make: Make) -> None:
    pool = make("Counter", num_envs=4, num_threads=1, episode_length=0)
    pool.reset()
    with pool.profile() as profile:
        pool.step(zeros(4))
        first = profile.stats()
        assert first["step_ns"]["count"] == 4
        assert profile.events()["caller"][:, 3].sum() == 4
        pool.step(zeros(4))
        assert profile.stats()["step_ns"]["count"] == 8
        assert profile.stats()["seconds"] > first["seconds"]


def test_one_profile_at_a_time(make: Make) -> None:
    pool = make("Counter", num_envs=2)
    profile = pool.profile()
    for early in (profile.stats, profile.events):
        with pytest.raises(InputError, match="inside or after the `with` block"):
            early()
    with (
        profile,
        pytest.raises(InputError, match="is being recorded already"),
        pool.profile(),
    ):
        pass
    with pytest.raises(InputError, match="a Profile can be entered once"), profile:
        pass
    with pool.profile():  # the errors had no effect
        pass


@pytest.mark.parametrize(
    ("events", "error"), [(1, InputError), (2**21, InputError), ("x", InputTypeError)]
)
def test_wrong_numbers_of_events(make: Make, events: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"events: expected an integer in \[2, 1048576\]"):
        make("Counter", num_envs=1).profile(events)


def test_a_closed_pool_is_not_recorded_but_keeps_its_profile(make: Make) -> None:
    pool = make("Counter", num_envs=2, num_threads=1)
    pool.reset()
    with pool.profile() as profile:
        pool.step(zeros(2))
        pool.close()
    assert profile.stats()["step_ns"]["count"] == 2
    with pytest.raises(ClosedError), pool.profile():
        pass


def test_environments_in_python() -> None:
    with envpool_py.make_python(make_simple, 3, num_workers=0) as pool:
        pool.reset(seed=0)
        pool.step(np.zeros(3, np.int64))
        stats = pool.stats(detail=True)
        (caller,) = stats["threads"]
        assert (caller["name"], caller["steps"]) == ("caller", 3)
        with pytest.raises(InputError, match="has no threads to record"), pool.profile():
            pass
    with envpool_py.make_python(make_simple, 3, num_workers=2) as pool:
        pool.reset(seed=0)
        pool.step(np.zeros(3, np.int64))
        threads = pool.stats(detail=True)["threads"]
        assert [thread["name"] for thread in threads] == ["worker 0", "worker 1"]
        assert [thread["steps"] for thread in threads] == [2, 1]


def make_simple() -> Any:
    import gymnasium

    return gymnasium.make("CartPole-v1")
