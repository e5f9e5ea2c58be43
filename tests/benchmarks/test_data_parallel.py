"""benchmarks.data_parallel: every way to learn runs, for one update."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import envpool_py

pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.unsanitized

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)


def test_all_ways(tmp_path: Path) -> None:
    path = tmp_path / "data_parallel.json"
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), str(ROOT)]
    arguments = ["--updates", "1", "--rounds", "1", "--json", str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.data_parallel", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(path.read_text())
    rates = record["steps_per_s"]
    assert set(rates) == {
        "1 rank",
        "2 ranks",
        "2 ranks, no checks",
        "2 alone, waiting",
        "2 alone",
    }
    assert all(len(each) == 1 and each[0] > 0 for each in rates.values())
    two, alone = rates["2 ranks"][0], rates["2 alone"][0]
    assert record["ratios"]["2 ranks / 2 alone"] == round(two / alone, 2)
