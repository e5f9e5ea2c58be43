"""benchmarks.mpe: the cases, the floors, and a run that writes its results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from benchmarks import records, run
from benchmarks.cases import MPE_TASKS, checks, mpe_suite
from benchmarks.mpe import FAMILY
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, Result
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.sample import Sample
from envpool_py.cli.bench.unavailable import UnavailableError

SECOND = 1_000_000_000  # ns
SUITE = mpe_suite(tuple(MPE_TASKS), 2)


def rates_of(lines: Any, ours: int) -> list[CaseResult]:
    """Returns results: our pool takes `ours` steps per second, MPE2 1,000."""

    def result(name: str) -> Result:
        return Result(name, [Sample(100, ours if name == OURS else 1000, SECOND, SECOND)])

    return [CaseResult(line.case, [result(name) for name in line.participants]) for line in lines]


def test_the_cases() -> None:
    for task, scenario in MPE_TASKS.items():
        assert envpool_py.make_spec(scenario).id == task
    assert {line.case.num_envs: dict(line.floors) for line in SUITE} == {
        8: {"mpe2": 40.0},
        256: {"mpe2": 200.0},
    }


@pytest.mark.parametrize(("ours", "missed"), [(200_000, 0), (100_000, 3), (1000, 6)])
def test_floors(ours: int, missed: int) -> None:
    found = checks(SUITE, rates_of(SUITE, ours))
    assert sum(floor.verdict == "MISS" for floor in found) == missed


def test_a_run_writes_rates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_shown", lambda path: path)
    monkeypatch.setattr(run, "measure_lines", lambda lines, *_: rates_of(lines, 100_000))
    assert FAMILY.main(["MPE-SimpleTag-v3", "--quick", "--name", "one"]) == 0
    assert FAMILY.main(["MPE-SimpleTag-v3", "--quick", "--name", "one", "--check"]) == 1
    record = json.loads((tmp_path / "one.json").read_text())
    assert [floor["verdict"] for floor in record["floors"]] == ["PASS", "MISS"]
    assert "pools" not in record


def test_the_peer_steps_environments_of_mpe2() -> None:
    pytest.importorskip("mpe2")
    peer = PARTICIPANTS["mpe2"]
    driver = peer.start(SUITE[2].case)  # simple_tag, 8 environments of 4 agents
    assert (driver.num_actions, driver.rows_per_call) == (32, 8)
    assert driver.action_space().n == 5
    driver.advance(np.zeros((60, 32), np.int64))  # episodes end after 25 steps
    driver.close()
    with pytest.raises(UnavailableError, match="MPE2 has no CartPole-v1"):
        peer.start(Case("CartPole-v1", 1, 1, 1))
