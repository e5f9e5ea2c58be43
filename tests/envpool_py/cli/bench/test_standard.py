"""`envpool-py bench` without a task."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envpool_py.cli import main
from envpool_py.cli.bench import standard, standard_plot
from envpool_py.cli.bench.measure import CaseResult, KeptWorkers
from envpool_py.cli.bench.peers import ALE, OURS, PARTICIPANTS
from envpool_py.cli.bench.sample import Outcome

from .results import record_of, result_of, sample, text_of


@pytest.mark.parametrize("threads", [1, 2, 16, 256])
def test_the_cases_use_all_threads(threads: int) -> None:
    pytest.importorskip("ale_py")
    lines = standard.lines(threads)
    assert 9 <= len(lines) <= 12
    for line in lines:
        assert line.case.num_threads == min(threads, line.case.num_envs)
        assert line.case.num_envs >= threads or line.case.num_envs == 8
        assert set(line.peers) <= set(PARTICIPANTS)
        if "gymnasium-async" in line.peers:
            assert line.case.num_envs <= 32
    assert any(line.case.first_ready for line in lines) == (threads > 1)
    counts = {line.case.num_threads for line in standard.scaling_lines(threads)}
    assert {1, threads} <= counts


def results() -> list[CaseResult]:
    pytest.importorskip("ale_py")
    found = []
    for line in standard.lines(2):
        rates = {OURS: [90.0, 100.0, 110.0], "envpool": [20.0], ALE: [50.0]}
        rates |= {"gymnasium-async": [10.0], "gymnasium-sync": [4.0], "gymnasium-vectorized": [8.0]}
        found.append(result_of({name: rates[name] for name in line.participants}, line.case))
    return found


def test_the_table_fits_100_columns() -> None:
    text = text_of(standard.table(results(), 2), width=100)
    assert max(map(len, text.splitlines())) <= 100
    row = next(row for row in text.splitlines() if row.lstrip().startswith("Pong-v5, 16 envs "))
    assert row.split()[-5:] == ["100", "20%", "5.00x", "2.00x", "10.0x"]
    row = next(row for row in text.splitlines() if "CartPole-v1, 1,024 envs" in row)
    assert row.split()[-2:] == ["5.00x", "12.5x"]


def test_what_is_missing_has_no_number() -> None:
    (pong, *_) = results()
    assert pong.results[1].name == "envpool"
    pong.results[1].samples.clear()
    row = text_of(standard.table([pong], 2)).splitlines()[-2]
    assert "-" in row
    pong.results[0].samples.clear()
    assert "-" in text_of(standard.table([pong], 2))
    assert standard.sentence([pong], "Some CPU", 2) is None


def test_the_sentence() -> None:
    assert standard.sentence(results(), "Some CPU", 2) == (
        "This machine (Some CPU, 2 processors) steps Pong at 400 frames a second: 5.00 times "
        "EnvPool and 10.0 times Gymnasium."
    )


def test_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    points = [
        result_of({OURS: [100.0 * line.case.num_threads], "envpool": [30.0]}, line.case)
        for line in standard.scaling_lines(4)
    ]
    record = {**record_of(*results()), "scaling": [point.to_json() for point in points]}
    standard_plot.draw(record, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 20_000
    assert "Pong-v5, envpool_py" in text_of(standard.scaling_table(points))


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ale_py")
    asked = []

    def launch(name: str, case: Any, timing: Any) -> Outcome:
        asked.append((name, case.title))
        if name != OURS:
            return Outcome("unavailable", reason=f"{name} is not installed")
        return Outcome("ok", sample(1000.0))

    monkeypatch.setattr(KeptWorkers, "launch", staticmethod(launch))
    record = tmp_path / "bench.json"
    assert main(["bench", "--num-threads", "2", "--rounds", "2", "--json", str(record)]) == 0
    printed = capsys.readouterr()
    assert "about" in printed.err
    assert "steps Pong at 4,000 frames a second." in printed.out
    assert "without EnvPool" in printed.err
    written = json.loads(record.read_text())
    assert written["sentence"] in printed.out
    assert len(written["scaling"]) == 4
    assert len(asked) > 20
    # The last points of the scaling line are cases of the table.
    assert asked.count((OURS, "Pong-v5, 32 envs, batches of 16")) == 2
    assert main(["bench", "--scaling"]) == 2
    assert "--scaling: needs a TASK" in capsys.readouterr().err
