"""The learners on Ray run: with all kinds of inference, from a checkpoint, with a replay buffer."""

from __future__ import annotations

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
LEARNERS = ROOT / "examples" / "learners"
PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)

pytestmark = pytest.mark.unsanitized


def run(tmp_path: Path, *arguments: str, program: str = "ray_impala.py") -> dict[str, Any]:
    pytest.importorskip("ray")
    pytest.importorskip("torch")
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    variables = {
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_memory_monitor_refresh_ms": "0",
    }
    record = tmp_path / "record.json"
    done = subprocess.run(
        [sys.executable, LEARNERS / program, "--actors", "2", *arguments, "--json", record],
        env={**os.environ, **variables},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    written: dict[str, Any] = json.loads(record.read_text())
    fragments = written["fragments"]
    ends = ("delivered", "stale", "lost", "failed", "abandoned")
    assert fragments["requested"] == sum(fragments[end] for end in ends)
    assert written["steps"] == fragments["steps"] > 0
    return written


def test_cartpole_with_a_checkpoint(tmp_path: Path) -> None:
    path = str(tmp_path / "checkpoint")
    first = run(tmp_path, "--steps", "2000", "--checkpoint", path)
    second = run(tmp_path, "--steps", "4000", "--checkpoint", path)
    assert 2_000 <= first["steps"] < 4_000 <= second["steps"]
    # The second run made only the remaining steps, and continued the learning curve.
    assert second["episodes"] > first["episodes"]
    before = [point for point in second["curve"] if point[0] <= first["steps"]]
    assert before
    assert all(point in first["curve"] for point in before)
    assert second["curve"][-1][1] > first["wall_s"]


def test_cartpole_synchronously_with_central_inference(tmp_path: Path) -> None:
    written = run(tmp_path, "--steps", "1000", "--synchronous", "--inference", "central")
    assert written["inference"] == "central"


@pytest.mark.skipif(importlib.util.find_spec("ale_py") is None, reason="needs ale_py")
def test_pong(tmp_path: Path) -> None:
    written = run(tmp_path, "--steps", "1200", "--task", "Pong-v5", "--bfloat16")
    assert written["steps"] >= 1_200


def test_dqn(tmp_path: Path) -> None:
    pytest.importorskip("torchrl")
    written = run(tmp_path, "--steps", "4000", program="ray_dqn.py")
    # The updates began after the 1,000 random steps, and made up for no others. Each learns 64
    # transitions, and each transition is learned 32 times; a fragment has at most 128.
    assert abs(written["updates"] - (written["steps"] - 1_000) * 32 / 64) <= 64
    assert written["episodes"] > 50


@pytest.mark.skipif(importlib.util.find_spec("ale_py") is None, reason="needs ale_py")
def test_dqn_on_pong(tmp_path: Path) -> None:
    pytest.importorskip("torchrl")
    assert run(tmp_path, "--steps", "1200", "--task", "Pong-v5", program="ray_dqn.py")["steps"]
