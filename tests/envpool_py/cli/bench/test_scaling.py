"""Rates from one thread to all processors."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from envpool_py.cli.bench import scaling, scaling_plot
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.plot import PlotError

from .results import record_of, result_of, text_of

CASE = Case("CartPole-v1", num_envs=8, batch_size=8, num_threads=6, consumer_us=50.0)


@pytest.mark.parametrize(
    ("most", "counts"),
    [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (64, [1, 2, 4, 8, 16, 32, 64])],
)
def test_thread_counts(most: int, counts: list[int]) -> None:
    assert scaling.thread_counts(most) == counts


def test_every_number_of_threads_in_both_modes() -> None:
    cases = scaling.cases(CASE, 3)
    assert [(c.num_threads, c.num_envs, c.batch_size) for c in cases] == [
        (1, 3, 3), (1, 3, 1), (2, 6, 6), (2, 6, 3), (4, 12, 12), (4, 12, 6), (6, 18, 18), (6, 18, 9)
    ]  # fmt: skip
    assert {case.consumer_us for case in cases} == {50.0}
    assert [scaling.mode_of(case) for case in cases[:2]] == ["ordered", "first-ready"]


def results() -> list[CaseResult]:
    """Our pool scales perfectly in ordered mode; EnvPool stops at two threads, and then fails."""
    made = []
    for case in scaling.cases(CASE, 2):
        threads = case.num_threads
        peer = [] if threads == 6 else [100.0 * min(threads, 2)]
        ours = 1000.0 * threads * (0.5 if case.first_ready and threads > 1 else 1.0)
        made.append(result_of({OURS: [ours], "envpool": peer}, case))
    return made


def test_efficiency_is_relative_to_one_thread_of_the_same_mode() -> None:
    lines = scaling.curves(results())
    ours = {mode: [point.efficiency for point in lines[mode][OURS]] for mode in scaling.MODES}
    assert ours == {"ordered": [1.0] * 4, "first-ready": [1.0, 0.5, 0.5, 0.5]}
    envpool = lines["ordered"]["envpool"]
    assert [point.efficiency for point in envpool] == [1.0, 1.0, 0.5, None]
    assert envpool[-1] == scaling.Point(6, None, None)


def test_without_the_rate_of_one_thread_there_is_no_efficiency() -> None:
    first, second = (
        dataclasses.replace(CASE, num_threads=1),
        dataclasses.replace(CASE, num_threads=2),
    )
    lines = scaling.curves([result_of({OURS: []}, first), result_of({OURS: [10.0]}, second)])
    assert lines["ordered"][OURS][1] == scaling.Point(2, 10.0, None)


def test_the_table_and_the_picture(tmp_path: Path) -> None:
    measured = results()
    lines = scaling.curves(measured)
    text = text_of(scaling.table("CartPole-v1", lines))
    rows = text.splitlines()
    assert sum("ordered" in row for row in rows) == 4
    assert sum("first-ready" in row for row in rows) == 4
    assert "6.00 k" in text
    record = {**record_of(*measured), "scaling": scaling.record_of(lines, 2)}
    pytest.importorskip("matplotlib")
    path = tmp_path / "scaling.svg"
    scaling_plot.draw(record, path)
    drawn = path.read_text()
    for label in ("envpool_py, ordered", "EnvPool, first-ready", "2 environments per thread"):
        assert label in drawn
    nothing = {OURS: [{"threads": 1, "steps_per_s": None, "efficiency": None}]}
    record["scaling"]["curves"] = {"ordered": nothing}
    with pytest.raises(PlotError, match="nothing was measured"):
        scaling_plot.draw(record, path)
