"""Every Python example of the README and of docs/ runs, in a process of its own, as a reader's."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples(page: Path) -> list[str]:
    return EXAMPLE.findall(page.read_text())


def name_of(page: Path, number: int) -> str:
    before = page.read_text().split(examples(page)[number])[0]
    headings: list[str] = re.findall(r"^#+ (.*)$", before, re.MULTILINE)
    return f"{page.stem}: {headings[-1]} ({number})"


ALL = [(page, number) for page in PAGES for number in range(len(examples(page)))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_has_examples(page: Path) -> None:
    assert len(examples(page)) >= (5 if page.name == "README.md" else 1)


@pytest.mark.parametrize(
    "example",
    [examples(page)[number] for page, number in ALL],
    ids=[name_of(page, number) for page, number in ALL],
)
def test_example_runs(example: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
