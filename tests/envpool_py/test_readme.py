"""The README and the pages of docs/: every Python example runs, and every link has a target.

Each example runs in a separate process. To save time, the process is forked from one that has
imported the package (`tests/forked_python.py`). An example that begins with
```` ```python needs torch ```` is skipped if torch is not installed.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import envpool_py
from envpool_py import errors
from envpool_py.tasks import registry
from tests.forked_python import ForkedPython

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Example:
    """A block of Python, and the heading above it."""

    page: str
    heading: str
    info: str
    code: str

    @property
    def needs(self) -> list[str]:
        """Returns the modules without which the example is skipped."""
        words = self.info.split()
        if words == ["python"]:
            return []
        assert words[1] == "needs", f"{self.page}: {self.heading}: {self.info!r} is not known"
        assert words[2:], f"{self.page}: {self.heading}: needs what?"
        return words[2:]


def examples_of(path: Path) -> Iterator[Example]:
    text = path.read_text()
    for block in BLOCK.finditer(text):
        if block[1].split()[:1] == ["python"]:
            before = BLOCK.sub("", text[: block.start()])
            yield Example(
                str(path.relative_to(ROOT)), HEADING.findall(before)[-1], block[1], block[2]
            )


# Pages whose examples build extension modules and depend on each other, with the languages of the
# blocks that run, in order.
OWN_ENVIRONMENTS = {
    DOCS / "your-own-environment.md": ["sh", "python"] * 2,
    DOCS / "plugin-interface.md": ["sh", "python"],
    DOCS / "several-players.md": ["sh", *["python"] * 4],
}
EXAMPLES = [
    example for page in PAGES if page not in OWN_ENVIRONMENTS for example in examples_of(page)
]


def anchor_of(heading: str) -> str:
    """Return the anchor that Markdown renderers generate for a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_of(path: Path) -> set[str]:
    return {anchor_of(heading) for heading in HEADING.findall(BLOCK.sub("", path.read_text()))}


def test_the_pages_have_examples() -> None:
    assert len(EXAMPLES) >= 5
    assert {example.page for example in EXAMPLES} >= {"README.md", "docs/coming-from-envpool.md"}


@pytest.mark.parametrize(
    "example", EXAMPLES, ids=lambda example: f"{example.page}: {example.heading}"
)
def test_example_runs(example: Example, tmp_path: Path, forked_python: ForkedPython) -> None:
    for module in example.needs:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module}")
    if "compile_plugin(" in example.code and os.environ.get("ENVPOOL_SANITIZER"):
        pytest.skip("its compiler line has no sanitizer")
    done = forked_python.run("-W", "error", "-c", example.code, cwd=tmp_path, timeout=300)
    if "MuJoCo's renderer needs EGL or OSMesa" in done.stderr:
        pytest.skip("no OpenGL without a screen here")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text())):
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{link}: there is no {target.relative_to(ROOT)}"
        if anchor:
            assert anchor in anchors_of(target), f"{link}: no such heading in {target.name}"


def test_the_index_names_every_page() -> None:
    named = LINK.findall((DOCS / "README.md").read_text())
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    assert pages <= set(named)


def test_the_readme_names_the_page_of_every_family() -> None:
    links = LINK.findall((ROOT / "README.md").read_text())
    pages = {f"docs/{family.page}" for family in registry.all_families().values()}
    assert pages <= set(links)


def test_the_tables_are_what_the_package_says() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.guide", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_error_has_an_example() -> None:
    code = "".join(example.code for example in EXAMPLES if example.page == "docs/errors.md")
    for name in set(errors.__all__) - {"EnvPoolError"}:
        assert re.search(rf"\b{name}\b", code), name


@pytest.mark.parametrize(
    ("heading", "task_id"),
    [
        ("## Preprocessed frames: Pong-v5", "Pong-v5"),
        ("## Gymnasium's own: ALE/Pong-v5", "ALE/Pong-v5"),
    ],
)
def test_the_options_of_atari_tasks_are_described(heading: str, task_id: str) -> None:
    """These tables are written by hand, because they need more than one line per option."""
    section = (DOCS / "atari.md").read_text().split(heading)[1].split("\n## ")[0]
    defaults = {}
    for line in section.splitlines():
        row = re.match(r"\| ((?:`\w+`(?:, )?)+) \| `(.*?)` \| (.*)", line)
        if row:
            defaults |= dict.fromkeys(re.findall(r"\w+", row[1]), ast.literal_eval(row[2]))
            if ", as are " in row[3]:  # the row refers to the other table's options
                shared = re.findall(r"`(\w+)`", row[3].split(", as are ")[1])
    options = {
        name: option.default for name, option in envpool_py.make_spec(task_id).options.items()
    }
    if task_id == "Pong-v5":
        assert set(defaults) | set(shared) == set(options)
    else:
        assert set(defaults) == set(options)
    # A single number means a list of one (frameskip).
    single = {"frameskip": [4]} if task_id.startswith("ALE/") else {}
    assert {**defaults, **single} == {name: options[name] for name in defaults}


SHELL = [
    (path.name, line)
    for path in PAGES
    for block in BLOCK.finditer(path.read_text())
    if block[1] == "sh run"
    for line in block[2].splitlines()
]


@pytest.mark.parametrize(("page", "line"), SHELL, ids=lambda text: text)
def test_command_runs(page: str, line: str, tmp_path: Path, forked_python: ForkedPython) -> None:
    program, *arguments = shlex.split(line)
    assert program == "envpool-py", page
    done = forked_python.run(
        "-W", "error", "-m", "envpool_py.cli", *arguments, cwd=tmp_path, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.unsanitized  # the page's compiler command has no sanitizer flags
@pytest.mark.parametrize("page", OWN_ENVIRONMENTS, ids=lambda page: page.name)
def test_an_environment_of_ones_own(page: Path, tmp_path: Path) -> None:
    """Runs the blocks of the page in order: writes C and C++ files, runs commands and Python."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = []
    for block in BLOCK.finditer(page.read_text()):
        words, source = block[1].split(), block[2]
        if words[1:2] == ["needs"]:
            for module in words[2:]:
                assert importlib.util.find_spec(module) is not None, f"the tests need {module}"
            words = words[:1]
        if words[:1] in (["c"], ["cpp"]) and words[1:] != ["fragment"]:
            (tmp_path / words[1]).write_text(source)
        if words == ["sh", "build"]:
            command = ["bash", "-euc", source]
        elif words == ["python"]:
            command = [sys.executable, "-W", "error", "-c", source]
        else:
            continue
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "CXXFLAGS": "-O1"},
            capture_output=True,
            text=True,
            timeout=1200,  # time for a compiler on a busy machine
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        ran.append(words[0])
    assert ran == OWN_ENVIRONMENTS[page]
