"""The tables and the picture of `bench --profile`."""

from __future__ import annotations

from pathlib import Path

import pytest

from envpool_py.cli.bench import profiling
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.plot import PlotError

from .results import text_of


@pytest.mark.parametrize(
    ("ns", "text"),
    [(310.0, "310 ns"), (4620.0, "4.62 us"), (12.9e6, "12.9 ms"), (2e9, "2 s"), (999.9, "1 us")],
)
def test_durations_have_three_digits(ns: float, text: str) -> None:
    assert profiling.format_ns(ns) == text


@pytest.mark.parametrize("batch_size", [8, 16])
def test_a_profile_of_a_case(batch_size: int, tmp_path: Path) -> None:
    case = Case("CartPole-v1", num_envs=16, batch_size=batch_size, num_threads=2)
    result = profiling.run(case, 0.06, 0.0)
    stats = result.profile.stats()
    threads = text_of(profiling.thread_table("title", stats))
    assert "title" in threads
    assert "caller" in threads or "receiver" in threads or "worker" in threads
    distributions = text_of(profiling.distribution_table(stats))
    assert "a step" in distributions
    assert "a batch" in distributions
    assert ("waits for recv" in distributions) == case.first_ready
    assert len(result.plain) == len(result.recorded) == 3
    assert result.cost < 1.0
    pytest.importorskip("matplotlib")
    path = tmp_path / "timeline.svg"
    profiling.draw(result.profile, "a title", path)
    text = path.read_text()
    for label in ("batches", "step", "a title"):
        assert label in text


def test_nothing_recorded_is_nothing_to_draw() -> None:
    with pytest.raises(PlotError, match="nothing was recorded"):
        profiling._span({})
