"""A killed learner continues from its checkpoint, and leaves no process behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

from envpool_py.ray.fleet import load_checkpoint

from .processes import is_gone, with_variable

PROGRAM = Path(__file__).with_name("learner.py")


def start(address: str, path: Path, updates: int, **variables: str) -> subprocess.Popen[str]:
    command = [sys.executable, str(PROGRAM), address, str(path), str(updates)]
    return subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **variables},
    )


def test_a_killed_learner_goes_on(cluster: Any, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    lines = []
    with start(cluster.address, path, 10_000) as first:
        assert first.stdout is not None
        for text in first.stdout:
            if text.startswith("{"):
                lines.append(json.loads(text))
            # At least 30 updates, with fragments of both actors.
            if len(lines) >= 30 and sum(line["first"] is not None for line in lines) >= 2:
                os.kill(first.pid, signal.SIGKILL)
    # The learner's actors end with it.
    assert all(is_gone(pid) for pid in lines[-1]["actors"])
    saved = load_checkpoint(path)
    assert saved["updates"] >= 30
    second = start(cluster.address, path, saved["updates"] + 20)
    output, _ = second.communicate(timeout=120)
    assert second.returncode == 0
    again = [json.loads(text) for text in output.splitlines() if text.startswith("{")]
    assert len(again) >= 20
    assert [line["updates"] for line in again] == list(
        range(saved["updates"] + 1, saved["updates"] + 1 + len(again))
    )
    assert {line["resumes"] for line in lines} == {0}
    assert {line["resumes"] for line in again} == {1}
    begun = [[line["first"] for line in each if line["first"]] for each in (lines, again)]
    assert len(begun[0]) == len(begun[1]) == 2
    assert not any(each in begun[0] for each in begun[1]), "pools got the seeds of earlier ones"


def test_no_process_is_left(tmp_path: Path) -> None:
    token = uuid.uuid4().hex
    done = start("local", tmp_path / "checkpoint", 3, ENVPOOL_RAY_TEST=token)
    output, _ = done.communicate(timeout=120)
    assert done.returncode == 0, output
    left = with_variable("ENVPOOL_RAY_TEST", token)
    assert all(is_gone(pid) for pid in left), left
    assert not with_variable("ENVPOOL_RAY_TEST", token)
