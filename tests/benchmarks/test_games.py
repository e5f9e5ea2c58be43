"""benchmarks.games: one case per game, floors of each and of their mean, and a short run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("ale_py")

from benchmarks import games, records, run
from benchmarks.cases import SuiteCase
from envpool_py.cli.bench.measure import CaseResult, Result
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Sample
from envpool_py.tasks.families.atari import roms


def result(line: SuiteCase, ours: float, theirs: float | None) -> CaseResult:
    rates = {OURS: ours, games.PEER: theirs}
    return CaseResult(
        line.case,
        [
            Result(name, [] if rate is None else [Sample(1, int(rate), 1_000_000_000, 1)])
            for name, rate in rates.items()
        ],
    )


def test_every_game_has_a_case() -> None:
    lines = games.suite(roms.games(), 2)
    assert len(lines) == 104
    assert len({line.case.task for line in lines}) == 104
    assert {line.case.num_envs for line in lines} == {games.NUM_ENVS}


def test_floors_are_those_of_each_game_and_of_their_mean() -> None:
    lines = games.suite(("pong", "breakout"), 2)
    found = games.floors(lines, [result(lines[0], 700, 100), result(lines[1], 1000, 100)])
    assert [one.bound for one in found] == [8.0, 6.0, 6.0]
    assert [one.verdict for one in found] == ["PASS", "PASS", "PASS"]
    found = games.floors(lines, [result(lines[0], 590, 100), result(lines[1], 1000, 100)])
    assert [one.verdict for one in found] == ["MISS", "MISS", "PASS"]
    found = games.floors(lines, [result(lines[0], 700, None), result(lines[1], 1000, 100)])
    assert [one.verdict for one in found] == ["UNKNOWN", "UNKNOWN", "PASS"]


def test_a_short_run_writes_a_record_and_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_ROOT", tmp_path)
    assert games.main(["pong", "--quick", "--seconds", "0.02", "--num-threads", "2"]) == 0
    record = json.loads((tmp_path / "latest.games.json").read_text())
    assert [game["game"] for game in record["games"]] == ["pong"]
    assert record["games"][0]["problem"] is None
    assert set(record["ratios"]) == {"pong"}
    assert "pong" in capsys.readouterr().out
    if record["ratios"]["pong"] is not None:
        assert (tmp_path / "latest.games.png").stat().st_size > 10_000
