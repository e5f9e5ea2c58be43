"""Every Python example of the README runs, in a process of its own, as a reader would run it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


def examples() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)


def heading_of(example: str) -> str:
    before = README.read_text().split(example)[0]
    headings: list[str] = re.findall(r"^## (.*)$", before, re.MULTILINE)
    return headings[-1]


def test_the_readme_has_examples() -> None:
    assert len(examples()) >= 5


@pytest.mark.parametrize("example", examples(), ids=heading_of)
def test_example_runs(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if "MuJoCo's renderer needs EGL or OSMesa" in done.stderr:
        pytest.skip("no OpenGL without a screen here")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
