"""A user's program passes a strict type check against the installed package."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

USER_CODE = Path(__file__).parents[1] / "typing" / "user_code.py"


def check(path: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Checks as a user would: strictly, with no configuration of this repository."""
    pytest.importorskip("mypy", reason="the dev extra brings mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file="]
    # From elsewhere, so that the package is found where it is installed.
    return subprocess.run(
        [*command, "--cache-dir", str(cache), str(path)],
        cwd=cache,
        capture_output=True,
        text=True,
        check=False,
    )


def test_package_says_it_is_typed() -> None:
    assert (files("envpool_py") / "py.typed").is_file()
    assert (files("envpool_py") / "_core.pyi").is_file()


def test_user_code_is_clean(tmp_path: Path) -> None:
    done = check(USER_CODE, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("envpool_py.make(5)", "arg-type"),
        ("envpool_py.make('CartPole-v1', num_envs='8')", "arg-type"),
        ("envpool_py.make('CartPole-v1').no_such_method()", "attr-defined"),
        ("envpool_py.make_dm('CartPole-v1').recv(timeout='1')", "arg-type"),
        ("envpool_py.make_spec('CartPole-v1').id = 'x'", "misc"),
    ],
)
def test_mistakes_are_seen(line: str, complaint: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import envpool_py\n{line}\n")
    done = check(program, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert complaint in done.stdout
