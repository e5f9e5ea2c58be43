"""benchmarks.fleet: every part runs, for a short time."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import envpool_py

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)
NEEDED = ("ray", "torch", "ale_py")

pytestmark = [
    pytest.mark.unsanitized,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED),
        reason=f"needs {', '.join(NEEDED)}",
    ),
]


def test_all_parts(tmp_path: Path) -> None:
    path = tmp_path / "fleet.json"
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), str(ROOT)]
    arguments = ["--rounds", "1", "--seconds", "0.05", "--json", str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fleet", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    record = json.loads(path.read_text())
    rates = record["fragments"]["fragments_per_s"]
    assert set(rates) == {"Ray alone", "stream", "Ray alone, ten arrays"}
    assert all(rate > 0 for rate in rates.values())
    assert record["fragments"]["nbytes"] > 29_000_000
    assert all(record["weights"]["ms"][name] > 0 for name in ("published", "used by all"))
    for part in ("steps", "inference"):
        assert all(rate > 0 for rate in record[part]["steps_per_s"].values())
    checks = record["sizing"]["checks"]
    assert set(checks) == {"1", "2"}
    assert all(check["predicted"] > 0 < check["measured"] for check in checks.values())
    assert len(record["sizing"]["fleets"]) == 10
