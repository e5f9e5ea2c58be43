"""Programs written for EnvPool: they run, and their recorded runs are as described."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import envpool_py

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "examples" / "from_envpool"
PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)
# The modules that each needs, and the steps of a run that includes an update of the learner.
PROGRAMS: dict[str, tuple[list[str], int]] = {
    "async_loop": ([], 4_000),
    "cleanrl_ppo": (["torch", "ale_py"], 1_024),
    "rl_games_wrapper": (["torch", "mujoco"], 4_096),
    "sb3_adapter": (["torch", "stable_baselines3"], 512),
    "tianshou_collector": (["torch", "tianshou"], 1_024),
}


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Returns the program that runs the others."""
    monkeypatch.syspath_prepend(DIRECTORY)
    for name in ("trial", "compare"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("compare")


@pytest.mark.parametrize("library", ["envpool_py", "envpool"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_runs(program: str, library: str, tmp_path: Path) -> None:
    needed, steps = PROGRAMS[program]
    for module in [*needed, library]:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    record = tmp_path / "record.json"
    command = [sys.executable, DIRECTORY / f"{program}.py", "--library", library]
    done = subprocess.run(
        [*command, "--seed", "1", "--steps", str(steps), "--json", record],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    written = json.loads(record.read_text())
    assert written["steps"] >= steps
    assert written["episodes"] > 0
    assert written["library"] == library
    assert written["curve"][-1][1] == pytest.approx(written["mean_return"], abs=0.01)


def test_every_program_is_compared(compare: Any) -> None:
    assert {program.name for program in compare.PROGRAMS} == set(PROGRAMS)
    written = {path.stem for path in DIRECTORY.glob("*.py")}
    assert written == {*PROGRAMS, "ppo", "trial", "compare"}


def test_recorded_runs(compare: Any) -> None:
    """All runs are recorded and have learned, and those that should be equal are equal."""
    programs = compare.PROGRAMS
    records = compare.read(compare.RESULTS, programs)
    assert compare.problems(records, programs) == []
    written = {path.name.partition(".")[0] for path in compare.RESULTS.glob("*.json")}
    assert written == set(PROGRAMS)
    for program in programs:
        for library, runs in records[program.name].items():
            assert [run["seed"] for run in runs] == list(program.seeds)
            assert {run["library"] for run in runs} == {library}
            assert all(library in run["versions"] for run in runs)


def test_problems_are_named(compare: Any) -> None:
    program = compare.Program("async_loop", "", target=100.0, seeds=(0,), equal=True)
    good = {"seed": 0, "mean_return": 120.0, "episodes": 3, "returns_sha256": "a"}
    other = {**good, "returns_sha256": "b"}
    low = {**good, "mean_return": 99.0}

    def problems(envpool: list[Any], ours: list[Any]) -> list[str]:
        records = {"async_loop": {"envpool": envpool, "envpool_py": ours}}
        found: list[str] = compare.problems(records, [program])
        return found

    assert problems([good], [good]) == []
    assert problems([good], [other]) == ["async_loop: the returns differ between the libraries"]
    assert problems([good], [low]) == [
        "async_loop on envpool_py, seed 0: a mean return of 99, expected 100"
    ]
    assert "async_loop on envpool: 0 runs are recorded" in problems([], [good])


def test_draws_the_records(compare: Any, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    compare.draw(compare.read(compare.RESULTS, compare.PROGRAMS), tmp_path / "curves.png")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
