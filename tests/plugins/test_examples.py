"""The projects of examples/plugins compile with their READMEs' commands and pass their tests.

`tools/check_examples.sh`, a part of `make package` and `make wheels`, tests them with the wheel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import envpool_py

pytestmark = pytest.mark.unsanitized  # the projects' compiler commands have no sanitizer flags

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "plugins"
PROJECTS = ("arena", "cartpole_simd", "duel", "lander", "snake", "warehouse")
PLAYERS = ("arena", "duel")


def run(command: list[str], directory: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=directory,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(directory)},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def compiled(project: str, directory: Path, flags: str = "") -> Path:
    """Copies a project and runs the last block of its README as written."""
    copy = directory / project
    shutil.copytree(EXAMPLES / project, copy)
    block = re.findall(r"^```sh\n(.*?)^```", (copy / "README.md").read_text(), re.S | re.M)[-1]
    assert "--compile" in block
    printed = run(["bash", "-euc", f"export CXXFLAGS={flags!r}\n{block}"], copy)
    assert printed == f"{project}.so\n"
    return copy


def test_a_c_library_is_wrapped(made_once: Callable[..., Path]) -> None:
    """The quick variant: a part of the project's tests, compiled without optimisation."""
    where = made_once("example_snake", lambda directory: compiled("snake", directory, "-O0"))
    quick = "walls or circle or library or rows or states or pools"
    printed = run([sys.executable, "-m", "pytest", "-q", "-k", quick], where / "snake")
    assert re.search(r"^\d\d passed", printed, re.MULTILINE), printed


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS)
def test_each_passes_its_tests(project: str, tmp_path: Path) -> None:
    copy = compiled(project, tmp_path)
    printed = run([sys.executable, "-m", "pytest", "-q"], copy)
    assert re.search(r"^\d\d passed", printed, re.MULTILINE), printed


def test_they_are_for_this_version_and_listed() -> None:
    page = (EXAMPLES / "README.md").read_text()
    assert {path.name for path in EXAMPLES.iterdir() if path.is_dir()} == set(PROJECTS)
    for project in PROJECTS:
        text = (EXAMPLES / project / "pyproject.toml").read_text()
        # The C interface, which later releases keep, does not support players.
        versions = r"envpool_py==([\w.]+)" if project in PLAYERS else r"envpool_py>=([\w.]+),<1"
        assert set(re.findall(versions, text)) == {envpool_py.__version__}
        assert f"[`{project}`]({project})" in page
