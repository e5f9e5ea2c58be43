"""Random calls of four threads, checked against a model; `python -m tests.stress` for longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from .lifecycle import RunScript

TESTS = Path(__file__).parents[1]

SOURCE = f"""
import sys
sys.path.append({str(TESTS)!r})
from stress.__main__ import main
sys.exit(main(["--seconds", "{{seconds}}", "--seed", "{{seed}}"]))
"""


@pytest.mark.parametrize(
    ("seconds", "seed"), [(6, 0), pytest.param(300, 1_000_000, marks=pytest.mark.long)]
)
def test_random_calls(run_script: RunScript, seconds: int, seed: int) -> None:
    printed = run_script(SOURCE.format(seconds=seconds, seed=seed))
    assert "rounds" in printed.splitlines()[-1]
