"""Runs measurements in separate processes, and reads their output."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).absolute().parents[1]
"""Where `python -m benchmarks...` finds its module."""


def run_child(command: Sequence[str], seconds: float, error: type[Exception]) -> str:
    """Runs a command in the repository's root and returns its output.

    Args:
        command: the program and its arguments.
        seconds: time limit.
        error: exception to raise if the command cannot be run, takes too long or fails; the message
            is the last line of its standard error.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=ROOT, timeout=seconds, check=False
        )
    except OSError as problem:
        raise error(f"{command[0]} cannot be run: {problem.strerror}") from problem
    except subprocess.TimeoutExpired as problem:
        raise error(f"no result after {seconds:.0f} s") from problem
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise error(lines[-1])
    return done.stdout
