"""The measurement itself: which calls it counts, and when."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium
import numpy as np
import pytest

from envpool_py.cli.bench import worker
from envpool_py.cli.bench.sample import Sample

from .results import MS, sample


class FakeDriver:
    """Advances a fake clock by 1 ms per call, and counts the calls."""

    num_actions = 4
    rows_per_call = 4
    by_row = False

    def __init__(self) -> None:
        self.now = 7 * MS
        self.seen: list[Any] = []

    def action_space(self) -> Any:
        return gymnasium.spaces.Discrete(2)

    def advance(self, actions: Iterable[Any]) -> None:
        for action in actions:
            self.seen.append(action)
            self.now += MS

    def stats(self) -> Mapping[str, int]:
        return {"steps": 4 * len(self.seen), "step_ns": 600_000 * len(self.seen)}

    def close(self) -> None:
        pass


def measure_fake(driver: FakeDriver, seconds: float, warmup: float) -> Sample:
    return worker.measure(
        driver, ["p", "q", "r"], seconds, warmup, lambda: driver.now, lambda: 2 * driver.now
    )


def test_a_sample_counts_what_was_stepped_after_the_warm_up() -> None:
    driver = FakeDriver()
    measured = measure_fake(driver, seconds=0.1, warmup=0.02)
    assert measured.calls == 100
    assert measured.rows == 400
    assert measured.wall_ns == 100 * MS
    assert measured.cpu_ns == 200 * MS
    assert measured.stats == {"steps": 400, "step_ns": 60 * MS}
    assert measured.steps_per_s == 4000.0
    assert measured.call_us == 1000.0
    assert measured.outside_us == pytest.approx(400.0)
    assert len(driver.seen) == 120


def test_the_warm_up_makes_the_least_calls_however_short_it_is() -> None:
    driver = FakeDriver()
    measured = worker.measure(
        driver, ["p"], 0.01, 0.002, lambda: driver.now, lambda: driver.now, warmup_calls=60
    )
    assert (measured.calls, len(driver.seen)) == (10, 70)


def test_actions_come_in_order_without_a_break_after_the_warm_up() -> None:
    driver = FakeDriver()
    measure_fake(driver, seconds=0.01, warmup=0.004)
    assert driver.seen == [("p", "q", "r")[i % 3] for i in range(len(driver.seen))]


def test_a_call_longer_than_the_time_is_measured_whole() -> None:
    driver = FakeDriver()
    measured = measure_fake(driver, seconds=0.0001, warmup=0.0)
    assert (measured.calls, measured.wall_ns) == (1, MS)


def test_the_collector_is_off_while_measuring_only() -> None:
    states: list[bool] = []

    class Driver(FakeDriver):
        def advance(self, actions: Iterable[Any]) -> None:
            states.append(gc.isenabled())
            super().advance(actions)
            if len(self.seen) > 5:
                raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        measure_fake(Driver(), seconds=1.0, warmup=0.0)
    assert states[0] is True
    assert states[-1] is False
    assert gc.isenabled()


def test_time_outside_is_unknown_without_the_engines_clock() -> None:
    assert sample(1.0).outside_us is None
    assert Sample(1, 1, MS, MS, {"steps": 1, "step_ns": 0}).outside_us is None


@pytest.mark.parametrize(
    ("space", "shape", "dtype"),
    [
        (gymnasium.spaces.Discrete(3), (5,), np.int64),
        (gymnasium.spaces.Box(-1, 1, (2,), np.float32), (5, 2), np.float32),
        (gymnasium.spaces.MultiDiscrete([2, 3]), (5, 2), np.int64),
    ],
)
def test_actions_are_equal_for_equal_seeds(
    space: gymnasium.Space[Any], shape: tuple[int, ...], dtype: type
) -> None:
    first = worker.sample_actions(space, 5, seed=1)
    again = worker.sample_actions(space, 5, seed=1)
    other = worker.sample_actions(space, 5, seed=2)
    assert len(first) == 64
    assert all(batch.shape == shape and batch.dtype == dtype for batch in first)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_nested_actions_come_by_part_or_by_row() -> None:
    space = gymnasium.spaces.Dict(
        {
            "a": gymnasium.spaces.Discrete(3),
            "b": gymnasium.spaces.Tuple([gymnasium.spaces.Box(0, 1)]),
        }
    )
    batches = worker.sample_actions(space, 4, seed=1)
    rows = worker.sample_actions(space, 4, seed=1, by_row=True)
    assert len(batches) == len(rows) == 64
    assert batches[0]["a"].shape == (4,)
    assert batches[0]["b"][0].shape == (4, 1)
    assert [len(batch) for batch in rows] == [4] * 64
    assert all(space.contains(row) for row in rows[0])
    assert [row["a"] for row in rows[5]] == batches[5]["a"].tolist()
    assert len(worker.sample_actions(space, 50_000, seed=0)) == 8


def test_actions_of_many_environments_stay_small() -> None:
    batches = worker.sample_actions(gymnasium.spaces.Discrete(2), 50_000, seed=0)
    assert len(batches) == 8
