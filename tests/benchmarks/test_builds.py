"""benchmarks.builds: alternating runs of two builds, their ratios, cases that one build lacks."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import builds
from benchmarks.builds import Build, BuildError, Comparison
from envpool_py.cli.bench.case import Case


def test_ratios_are_of_turns() -> None:
    # In the second turn the machine is half as fast; in both the new build is 1.1 times as fast.
    found = Comparison("case", [(100.0, 104.0), (50.0, 52.0)], [(110.0, 114.4), (55.0, 57.2)])
    assert found.ratio == pytest.approx(1.1)
    assert found.copy_ratio == pytest.approx(1.04)


def test_every_case_has_a_title_of_its_own() -> None:
    titles = [builds.title_of(case, 2) for case in builds.all_cases(2)]
    assert len(set(titles)) == len(titles)
    assert "CartPole-v1, 256 envs, 1 thread" in titles
    assert "Pong-v5, 32 envs, batches of 16, consumer 1,000 us" in titles


@pytest.mark.parametrize("batch_size", [8, 4])
def test_a_build_steps_the_pool_that_it_opened(batch_size: int) -> None:
    build = Build(sys.executable, "ours")
    try:
        case = Case("CartPole-v1", 8, batch_size, 2)
        assert build.ask({"case": case.to_json()}) == {}
        answer = build.ask({"seconds": 0.02})
        assert answer["steps"] % batch_size == 0
        assert answer["steps"] > 0
        assert answer["ns"] >= 20_000_000
        assert build.rate(0.001) > 0
    finally:
        build.close()


def test_a_task_that_the_build_does_not_have_is_an_answer() -> None:
    build = Build(sys.executable, "ours")
    try:
        answer = build.ask({"case": Case("NoSuchTask-v0", 1, 1, 1).to_json()})
        assert "NoSuchTask-v0" in answer["error"]
        assert build.ask({"seconds": 0.01}) == {"error": "no pool is open"}
    finally:
        build.close()


def test_a_process_that_ends_is_an_error() -> None:
    build = Build(sys.executable, "ours")
    build._process.kill()
    build._process.wait()
    with pytest.raises(BuildError, match="ours: ended with exit code -9"):
        build.rate(0.01)
    build._process.communicate()


def test_the_program_measures_and_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rates.json"
    arguments = [sys.executable, "--only", "CartPole-v1, 8 envs", "--turns", "1"]
    assert builds.main([*arguments, "--seconds", "0.01", "--json", str(path)]) == 0
    (found,) = json.loads(path.read_text())
    assert found["title"] == "CartPole-v1, 8 envs"
    assert len(found["old"]) == len(found["new"]) == 1
    assert "CartPole-v1, 8 envs" in capsys.readouterr().out
