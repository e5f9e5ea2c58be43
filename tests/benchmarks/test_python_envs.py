"""benchmarks.python_envs: its environments, its cases, and a short run."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import pytest

from benchmarks import python_envs, records, run
from benchmarks.cases import PYTHON_PEERS, python_suite
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS

SUITE = python_suite()
TASKS = sorted({line.case.task for line in SUITE})


@pytest.mark.parametrize("task", TASKS)
def test_the_environments_are_gymnasium_environments(task: str) -> None:
    env = gymnasium.make(task, disable_env_checker=False)
    observation, _ = env.reset(seed=0)
    for _ in range(30):
        assert observation in env.observation_space
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()
    assert env.spec is not None
    assert env.spec.max_episode_steps
    env.close()


def test_the_cases_can_be_measured() -> None:
    titles = [line.case.title for line in SUITE]
    assert len(set(titles)) == len(titles) == 9
    assert titles[0] == "PythonCartPole-v0, 8 envs"
    for line in SUITE:
        assert line.case.in_python
        assert line.participants[0] == OURS
        assert set(line.floors) <= {*line.peers, *PYTHON_PEERS}
        assert set(line.peers) <= set(PARTICIPANTS)


def test_a_quick_run_prints_and_writes_everything(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_ROOT", tmp_path)
    arguments = ["--only", "PythonCartPole-v0, 8", "--seconds", "0.02", "--rounds", "1"]
    assert python_envs.main([*arguments, "--name", "short"]) == 0
    printed = capsys.readouterr().out
    assert "PythonCartPole-v0, 8 envs" in printed
    record = json.loads((tmp_path / "short.json").read_text())
    assert record["floors"][0]["what"] == "at least 5 times Gymnasium async"
    measured = {entry["name"] for entry in record["cases"][0]["results"] if entry["steps_per_s"]}
    assert measured >= {OURS, "gymnasium-single", "gymnasium-sync", "gymnasium-async"}


def test_no_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert python_envs.main(["--only", "Checkers"]) == 2
    assert "no case has 'Checkers'" in capsys.readouterr().err
