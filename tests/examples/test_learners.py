"""The programs of examples/learners run and resume; their recorded runs are as described."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import envpool_py

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "examples" / "learners"
PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)
# Program with arguments, task, engine, and the steps of a run with some updates of the learner.
RUNS = [
    ("torch_ppo", "CartPole-v1", "envpool_py", 2_048),
    ("torch_ppo", "CartPole-v1", "gymnasium", 2_048),
    ("torch_ppo", "Pong-v5", "envpool_py", 1_024),
    ("torch_ppo", "HalfCheetah-v5", "envpool_py", 2_048),
    ("torch_ppo", "MPE-SimpleSpread-v3", "envpool_py", 6_400),
    ("torch_ppo", "MPE-SimpleSpread-v3", "mpe2", 6_400),
    ("torch_sac", "Pendulum-v1", "envpool_py", 5_040),
    ("torch_sac", "Pendulum-v1", "gymnasium", 5_040),
    ("torch_sac", "Hopper-v5", "envpool", 5_040),
    ("sb3_her", "FetchReach-v4", "envpool_py", 4_400),
    ("torch_impala", "CartPole-v1", "envpool_py", 4_000),
    ("torch_ppo --bfloat16", "Pong-v5", "envpool_py", 1_024),
    ("torch_impala", "Pong-v5", "envpool_py", 1_500),
    ("torch_impala --bfloat16", "Pong-v5", "envpool_py", 1_500),
]
NEEDS = {"Pong-v5": "ale_py", "HalfCheetah-v5": "mujoco", "FetchReach-v4": "gymnasium_robotics"}


@pytest.mark.parametrize(("program", "task", "engine", "steps"), RUNS)
def test_runs(program: str, task: str, engine: str, steps: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    library = "stable_baselines3" if program == "sb3_her" else None
    for needed in (NEEDS.get(task), engine, library):
        if needed is not None and importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    record = tmp_path / "record.json"
    name, *arguments = program.split()
    command = [sys.executable, DIRECTORY / f"{name}.py", "--task", task, "--engine", engine]
    done = subprocess.run(
        [*command, *arguments, "--seed", "1", "--steps", str(steps), "--json", record],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    written = json.loads(record.read_text())
    assert written["steps"] >= steps
    assert written["engine"] == engine
    assert written.get("bfloat16", False) == ("--bfloat16" in arguments)


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("CartPole-v1", 12_288),
        pytest.param("HalfCheetah-v5", 16_384, marks=pytest.mark.long),
        pytest.param("Pong-v5", 16_384, marks=pytest.mark.long),
    ],
)
def test_a_killed_run_has_the_same_returns(task: str, steps: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    if task in NEEDS:
        pytest.importorskip(NEEDS[task])
    saved = tmp_path / "run.pt"
    command = [sys.executable, DIRECTORY / "torch_ppo.py", "--task", task, "--steps", str(steps)]
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}

    def records(*arguments: str | Path, kills: int = 0) -> dict[str, object]:
        record = tmp_path / "record.json"
        for kill in range(kills + 1):
            before = saved.stat().st_mtime_ns if saved.exists() else 0
            with subprocess.Popen(
                [*command, "--json", record, *arguments],
                env=environment,
                stdout=subprocess.DEVNULL,
            ) as child:
                while kill < kills and child.poll() is None:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        child.wait(0.02)
                    if saved.exists() and saved.stat().st_mtime_ns != before:
                        child.kill()
                ended = child.wait()
            assert ended == (-signal.SIGKILL if kill < kills else 0)
        return dict(json.loads(record.read_text()))

    expected = records()
    found = records("--resume", saved, "--save-every", "0", kills=5)
    assert found["returns_sha256"] == expected["returns_sha256"]
    assert found["episodes"] == expected["episodes"]
    curves = [[(point[0], point[2]) for point in run["curve"]] for run in (found, expected)]
    assert curves[0] == curves[1]


@pytest.mark.parametrize(
    ("task", "other", "steps"),
    [("CartPole-v1", "gymnasium", 4_096), ("MPE-SimpleSpread-v3", "mpe2", 9_600)],
)
def test_the_returns_are_those_of_the_reference(
    task: str, other: str, steps: int, tmp_path: Path
) -> None:
    """The environments are bit-equal, so the training is too."""
    pytest.importorskip("torch")
    digests = []
    for engine in ("envpool_py", other):
        test_runs("torch_ppo", task, engine, steps, tmp_path)
        digests.append(json.loads((tmp_path / "record.json").read_text())["returns_sha256"])
    assert digests[0] == digests[1]
