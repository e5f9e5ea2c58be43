"""examples/learners/torch_ddp.py: equal parameters, and recovery from a killed rank."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import envpool_py

pytest.importorskip("torch", reason="PyTorch is not installed")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "examples" / "learners" / "torch_ddp.py"
PACKAGE = str(Path(envpool_py.__file__).parent.parent)
UPDATE = 4_096  # steps
STARTED: list[subprocess.Popen[str]] = []


# More than one, because other work on the machine may let a rank time out.
RESTARTS = 3


def start(ranks: int, tmp_path: Path, *arguments: Any) -> subprocess.Popen[str]:
    paths = [PACKAGE, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "torch.distributed.run", "--standalone"),
            *("--nproc-per-node", str(ranks), "--max-restarts", str(RESTARTS), str(PROGRAM)),
            *(str(argument) for argument in arguments),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """Ends torchrun, and with it its child processes, if a failed test left it running."""
    yield
    while STARTED:
        process = STARTED.pop()
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=60)


def finish(process: subprocess.Popen[str], record: Path) -> tuple[str, dict[str, Any]]:
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 0, output
    for process_id in processes_in(output):  # no process remains
        with pytest.raises(ProcessLookupError):
            os.kill(process_id, 0)
    return output, json.loads(record.read_text())


def processes_in(output: str) -> list[int]:
    return [int(found) for found in re.findall(r"process (\d+)", output)]


@pytest.mark.parametrize(("ranks", "alone"), [(1, False), (2, False), (2, True)])
def test_runs(ranks: int, alone: bool, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    arguments = ["--steps", 2 * UPDATE, "--json", record, *(["--alone"] if alone else [])]
    output, written = finish(start(ranks, tmp_path, *arguments), record)
    assert len(processes_in(output)) >= ranks
    assert written["steps"] == 2 * UPDATE
    assert (written["ranks"], written["alone"]) == (ranks, alone)
    assert written["episodes"] > 20
    assert len(written["parameters"]) == ranks
    assert len(set(written["parameters"])) == (ranks if alone else 1)


def test_a_killed_rank(tmp_path: Path) -> None:
    """All ranks resume from the checkpoint; the result equals a new run's from that checkpoint."""
    record, checkpoint, copied = (tmp_path / name for name in ("record", "checkpoint", "copied"))
    arguments = ["--steps", 6 * UPDATE, "--checkpoint-every", 3, "--json", record]
    process = start(2, tmp_path, *arguments, "--checkpoint", checkpoint)
    assert process.stdout is not None
    seen = ""
    for line in process.stdout:
        seen += line
        if line.startswith("checkpoint of update 3"):
            break
    shutil.copy(checkpoint, copied)
    second = re.findall(r"rank 1 of 2: process (\d+)", seen)
    assert second, seen
    os.kill(int(second[-1]), signal.SIGKILL)
    output, resumed = finish(process, record)
    assert re.search(r"rank 1 of 2: process \d+, restart \d, from update 3", output), output
    assert resumed["restarts"] >= 1
    assert (resumed["resumed_at"], resumed["steps"]) == (3, 6 * UPDATE)
    points = [steps for steps, *_ in resumed["curve"]]
    assert points == sorted(points)
    assert points[0] <= 3 * UPDATE < points[-1]

    arguments = [*arguments, "--checkpoint", copied]
    _, again = finish(start(2, tmp_path, *arguments), record)
    assert again["resumed_at"] == 3
    assert again["parameters"] == resumed["parameters"]
    assert again["episodes"] == resumed["episodes"]
