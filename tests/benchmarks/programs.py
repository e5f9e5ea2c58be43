"""Runs a benchmark as its users do, with the package that the tests import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import envpool_py

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = str(Path(envpool_py.__file__).resolve().parent.parent)


def record_of(module: str, *arguments: str, directory: Path, timeout: float) -> dict[str, Any]:
    """Returns what `python -m benchmarks.<module>` writes with `--json`.

    Args:
        module: name of the benchmark.
        *arguments: its arguments, without `--json`.
        directory: directory to run it in.
        timeout: seconds after which it counts as hung.
    """
    path = directory / "record.json"
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)), str(ROOT)]
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{module}", *arguments, "--json", str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    record: dict[str, Any] = json.loads(path.read_text())
    return record
