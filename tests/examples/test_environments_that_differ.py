"""The programs of examples/environments_that_differ."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import envpool_py

DIRECTORY = Path(__file__).resolve().parents[2] / "examples" / "environments_that_differ"


def program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DIRECTORY / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_a_curriculum_solves_a_large_lake() -> None:
    curriculum = program("curriculum")
    assert curriculum.lake_of(3) == ["SHF", "FHF", "FFG"]
    solved, sizes = curriculum.train(4_000, 2, seed=1)
    assert solved is not None
    assert sizes == sorted(sizes)
    assert sizes[-1] == 8
    without, _ = curriculum.train(solved, 8, seed=1)
    assert without is None


def test_minibatches_have_equally_many_rows_of_each_game() -> None:
    pytest.importorskip("ale_py")
    multi_game = program("multi_game")
    memory, _ = multi_game.collect(["Pong-v5", "Breakout-v5"], 2, 400, 50, seed=1)
    assert (memory.counts > 50).all()
    batch = memory.sample(8, np.random.default_rng(0))
    assert batch.games.tolist() == [0] * 8 + [1] * 8
    assert batch.observations.shape == batch.after.shape == (16, 4, 84, 84)
    # The three latest frames before a step are the three before the latest after it.
    np.testing.assert_array_equal(batch.observations[:, 1:], batch.after[:, :-1])


def test_each_episode_has_another_model() -> None:
    pytest.importorskip("mujoco")
    example = program("ant_randomisation")
    with envpool_py.make("Ant-v5", num_envs=3, max_episode_steps=2) as envs:
        ants = example.RandomModels(envs, 0.3, seed=1)
        ants.reset(seed=0)
        seen = []
        for _ in range(6):  # two episodes of two steps, each with a step that resets
            seen.append(
                [np.sum(options["model"]["body_mass"]) for options in envs.get_env_options()]
            )
            ants.step(np.zeros((3, 8), np.float32))
        assert len({mass for masses in seen for mass in masses}) == 6
        assert seen[0] == seen[2] != seen[3] == seen[5]


def test_agents_are_compared_on_frictions_they_have_not_seen(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("mujoco")
    paths = [
        str(Path(envpool_py.__file__).resolve().parent.parent),
        *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)),
    ]
    command = [sys.executable, DIRECTORY / "ant_agents.py", "--steps", "4096", "--episodes", "1"]
    done = subprocess.run(
        [*command, "--results", tmp_path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "ant.json").read_text())
    assert len(record["agents"]) == 2
    for agent in record["agents"].values():
        assert len(agent["returns"]) == len(agent["survived"]) == len(record["frictions"])
    assert (tmp_path / "ant.png").stat().st_size > 1_000
