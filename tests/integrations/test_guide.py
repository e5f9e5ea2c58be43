"""The guide's examples with training libraries run, if the library is installed.

Other examples run with warnings as errors. Here warnings are allowed: these libraries emit some.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
LIBRARIES = {"pfrl", "ray", "skrl", "stable_baselines3", "tianshou", "torchrl"}
BLOCK = re.compile(r"^```python needs ([\w ]+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

EXAMPLES = [
    pytest.param(needs.split(), code, id=f"{page.stem}-{needs.split()[0]}")
    for page in sorted(DOCS.glob("*.md"))
    for needs, code in BLOCK.findall(page.read_text())
    if LIBRARIES & set(needs.split())
]


def test_the_guide_has_examples_of_each() -> None:
    shown = {name for example in EXAMPLES for name in example.values[0]}
    assert shown >= LIBRARIES


@pytest.mark.parametrize(("needs", "code"), EXAMPLES)
def test_example_runs(needs: list[str], code: str, tmp_path: Path) -> None:
    missing = [name for name in needs if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
