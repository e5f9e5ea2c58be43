"""The simulator of the scheduler, in cases whose result can be computed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import scheduler

BINARY = Path(__file__).parents[2] / "build" / "test" / "benchmarks" / "simulate" / "simulate"
pytestmark = [
    pytest.mark.skipif(not BINARY.exists(), reason="the simulator is not built"),
    pytest.mark.unsanitized,
]
SMALL = {"sockets": 1, "nodes": 1, "cores": 8, "threads": 1, "ms": 30}


def run(**values: Any) -> dict[str, Any]:
    (row,) = scheduler.simulate(BINARY, "one", {**SMALL, **values})["rows"]
    return row


def test_one_thread_makes_one_step_after_the_other() -> None:
    row = run(num_threads=1, num_envs=16, step_ns=100_000, spread=0.0)
    assert row["steps_per_s"] == pytest.approx(1e4, rel=0.02)
    assert row["step_share"] == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize("batch_size", [32, 64])
def test_heavy_steps_scale(batch_size: int) -> None:
    one, four = (
        run(num_threads=n, num_envs=64, batch_size=batch_size, step_ns=300_000, ms=400)
        for n in (1, 4)
    )
    assert 3.5 <= four["steps_per_s"] / one["steps_per_s"] <= 4.05


def test_light_batches_are_not_slower_with_more_threads() -> None:
    one, eight = (run(num_threads=n, num_envs=64, step_ns=50, ms=100) for n in (1, 8))
    assert eight["steps_per_s"] >= 0.97 * one["steps_per_s"]


def test_a_consumer_is_hidden_by_first_ready_batches() -> None:
    common = {"num_threads": 4, "num_envs": 32, "step_ns": 100_000, "ms": 200}
    # Four threads need 400 us for a batch of 16, as long as the consumer needs for it.
    ordered = run(**common, batch_size=32, consumer_ns=800_000)
    first_ready = run(**common, batch_size=16, consumer_ns=400_000)
    assert ordered["steps_per_s"] == pytest.approx(20_000, rel=0.1)
    assert first_ready["steps_per_s"] == pytest.approx(40_000, rel=0.15)


def test_the_same_arguments_give_the_same_result() -> None:
    assert run(num_threads=4, num_envs=64, batch_size=32) == run(
        num_threads=4, num_envs=64, batch_size=32
    )


def test_farther_processors_cost_more() -> None:
    near, far = (
        run(num_threads=8, num_envs=64, batch_size=32, step_ns=1000, same_complex=ns, same_node=ns)
        for ns in (30, 3000)
    )
    assert far["steps_per_s"] < near["steps_per_s"]


def test_a_queue_per_node_saves_transfers_of_environments() -> None:
    """On two nodes, an environment of 64 KB is stepped by threads of one node."""
    one_queue, by_node, with_batches = (
        run(
            design=design, nodes=2, num_threads=16, num_envs=128, batch_size=64,
            step_ns=60_000, state_bytes=65_536, other_node=400,
        )["steps_per_s"]
        for design in (1, 2, 3)
    )  # fmt: skip
    assert by_node > 1.1 * one_queue
    assert with_batches == pytest.approx(by_node, rel=0.03)


def test_efficiency_is_relative_to_one_thread() -> None:
    row = {"workload": "w", "design": "d", "mode": "ordered"}
    rows = [{**row, "threads": n, "steps_per_s": rate} for n, rate in ((1, 10.0), (4, 30.0))]
    assert [one["efficiency"] for one in scheduler.efficiencies(rows)] == [1.0, 0.75]
