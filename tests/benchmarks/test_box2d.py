"""benchmarks.box2d: the cases, the floors, and a run that writes all results."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import envpool_py
from benchmarks import family, pool_cost, records, run
from benchmarks.box2d import FAMILY
from benchmarks.cases import BOX2D_TASKS, box2d_suite, checks
from benchmarks.pool_cost import PoolCost, PoolSample
from envpool_py.cli.bench.measure import CaseResult, Result
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Sample

SECOND = 1_000_000_000  # ns
SUITE = box2d_suite(BOX2D_TASKS, 2)


def rates_of(lines: Any, ours: int) -> list[CaseResult]:
    """Returns results: our pool takes `ours` steps per second, each peer 1,000."""

    def result(name: str) -> Result:
        return Result(name, [Sample(100, ours if name == OURS else 1000, SECOND, SECOND)])

    return [CaseResult(line.case, [result(name) for name in line.participants]) for line in lines]


def pools_of(make_s: float) -> list[PoolCost]:
    return [
        PoolCost(OURS, 1000, [PoolSample(make_s, 0.1, 2000.0)]),
        PoolCost("envpool", 64, [PoolSample(0.2, 0.1, 3000.0)]),
        PoolCost("gymnasium-sync", 16, problem="not installed"),
    ]


def test_the_cases() -> None:
    assert {line.case.task for line in SUITE} == set(BOX2D_TASKS)
    for task in BOX2D_TASKS:
        assert task in envpool_py.list_all_envs()
    floors = {line.case.title: dict(line.floors) for line in SUITE}
    assert floors["LunarLander-v3, 8 envs"] == {"envpool": 4.0, "gymnasium-sync": 8.0}
    assert floors["BipedalWalker-v3, 256 envs"] == {"envpool": 2.0, "gymnasium-sync": 6.0}
    assert floors["CarRacing-v3, 8 envs"] == {"envpool": 3.0, "gymnasium-sync": 30.0}
    assert floors["CarRacing-v3, 256 envs"] == {"envpool": 3.0}


@pytest.mark.parametrize(
    ("ours", "missed"), [(40_000, 0), (20_000, 1), (5000, 9), (1000, len(SUITE) * 2 - 1)]
)
def test_floors_of_rates(ours: int, missed: int) -> None:
    found = checks(SUITE, rates_of(SUITE, ours))
    assert len(found) == len(SUITE) * 2 - 1
    assert sum(floor.verdict == "MISS" for floor in found) == missed


def test_floor_of_pools() -> None:
    found = FAMILY.pool_checks({"A": pools_of(0.5), "B": pools_of(1.5), "C": []})
    assert [floor.verdict for floor in found] == ["PASS", "MISS", "UNKNOWN"]


def test_pools_have_a_thousand_environments() -> None:
    for quick, envpool in ((False, 1000), (True, 64)):
        cases = FAMILY.pool_cases("LunarLander-v3", SUITE, quick)
        assert {name: case.num_envs for name, case in cases.items()} == {
            OURS: 1000, "envpool": envpool, "gymnasium-sync": 16,
        }  # fmt: skip


def test_a_run_writes_rates_and_pools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_shown", lambda path: path)
    monkeypatch.setattr(run, "measure_lines", lambda lines, *_: rates_of(lines, 5000))
    monkeypatch.setattr(pool_cost, "show_and_measure", lambda *_: pools_of(0.5))
    assert FAMILY.main(["CarRacing-v3", "--quick", "--name", "one"]) == 0
    assert FAMILY.main(["CarRacing-v3", "--quick", "--name", "one", "--check"]) == 1
    record = json.loads((tmp_path / "one.json").read_text())
    (pool,) = record["pools"]
    assert pool["task"] == "CarRacing-v3"
    assert [library["env_bytes"] for library in pool["libraries"]] == [2000.0, 3000.0, None]
    # Every case is 5 times as fast as both peers. CarRacing misses its floor, 30 times Gymnasium.
    assert [floor["verdict"] for floor in record["floors"]] == ["PASS", "MISS", "PASS", "PASS"]
    printed = capsys.readouterr()
    assert "KB an environment" in printed.out
    assert "CarRacing-v3, pools without" in printed.err


def test_other_tasks_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        FAMILY.parse(["LunarLander-v33"])
    assert "LunarLander-v3" in capsys.readouterr().err


def test_tables_of_all_tasks() -> None:
    out = io.StringIO()
    pools = {task: pools_of(0.5) for task in BOX2D_TASKS}
    console = Console(file=out, width=150)
    family.show(console, rates_of(SUITE, 5000), pools, FAMILY.pool_checks(pools))
    for task in BOX2D_TASKS:
        assert f"A pool of {task}" in out.getvalue()
