"""benchmarks.procgen: turns of pools and of the library, the floors, and a run."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import procgen, records, run
from envpool_py.cli.bench.measure import CaseResult, Result
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Sample
from envpool_py.tasks.families.procgen.manifest import PACKAGE

TASK = "CoinrunEasy-v0"
SECOND = 1_000_000_000  # ns


def test_the_ratio_is_that_of_consecutive_turns() -> None:
    turns = [
        procgen.Turn(library, {1: library * factor})
        for library, factor in ((100.0, 1.0), (300.0, 1.2), (200.0, 0.9))
    ]
    assert procgen.ratio(turns, 1) == 1.0


@pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None, reason=f"the package {PACKAGE} is not installed"
)
def test_turns_measure_the_library_and_pools() -> None:
    turns = procgen.measure(TASK, (1, 2), 0.02, 2)
    assert len(turns) == 2
    assert all(turn.library > 0 and min(turn.pools.values()) > 0 for turn in turns)
    assert [*turns[0].pools] == [1, 2]


@pytest.mark.parametrize(
    ("ours", "verdicts"),
    [(3000, ["PASS", "PASS", "PASS"]), (1500, ["MISS", "MISS", "MISS"])],
)
def test_a_run_writes_rates_and_floors(
    ours: int, verdicts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rates_of(lines: Any, *_: Any) -> list[CaseResult]:
        def result(name: str) -> Result:
            return Result(name, [Sample(100, ours if name == OURS else 1000, SECOND, SECOND)])

        return [
            CaseResult(line.case, [result(name) for name in line.participants]) for line in lines
        ]

    turns = [procgen.Turn(3000.0, {1: float(ours), 2: 2.0 * ours})]
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_shown", lambda path: path)
    monkeypatch.setattr(run, "measure_lines", rates_of)
    monkeypatch.setattr(procgen, "measure", lambda *_: turns)
    missed = "MISS" in verdicts
    arguments = [TASK, "--quick", "--num-threads", "2", "--name", "one", "--check"]
    assert procgen.main(arguments) == int(missed)
    record = json.loads((tmp_path / "one.json").read_text())
    assert [floor["verdict"] for floor in record["floors"]] == verdicts
    assert record["library"][0]["turns"] == [
        {"library": 3000.0, "pools": {"1": ours, "2": 2 * ours}}
    ]
