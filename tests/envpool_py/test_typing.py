"""A user's program passes strict type checks against the installed package."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

USER_CODE = Path(__file__).parents[1] / "typing" / "user_code.py"


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], str]:
    """Checks a program as a user would: in strict mode, without this repository's configuration."""
    pytest.importorskip("mypy", reason="the dev extra brings mypy")
    # Another directory, so that mypy finds the installed package.
    elsewhere = tmp_path_factory.mktemp("mypy")

    def run(path: Path) -> str:
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", str(path)]
        done = subprocess.run(command, cwd=elsewhere, capture_output=True, text=True, check=False)
        assert not done.stderr
        return done.stdout

    return run


def test_package_says_it_is_typed() -> None:
    assert (files("envpool_py") / "py.typed").is_file()
    assert (files("envpool_py") / "_core.pyi").is_file()


def test_user_code_is_clean(check: Callable[[Path], str]) -> None:
    assert check(USER_CODE).startswith("Success")


def test_mistakes_are_seen(check: Callable[[Path], str], tmp_path: Path) -> None:
    mistakes = {
        "envpool_py.make(5)": "call-overload",
        "envpool_py.make('CartPole-v1', num_envs='8')": "arg-type",
        "envpool_py.make('CartPole-v1').no_such_method()": "attr-defined",
        "envpool_py.make_dm('CartPole-v1').recv(timeout='1')": "arg-type",
        "envpool_py.make_spec('CartPole-v1').id = 'x'": "misc",
    }
    program = tmp_path / "program.py"
    program.write_text("\n".join(["import envpool_py", *mistakes]) + "\n")
    errors = [line for line in check(program).splitlines() if ": error:" in line]
    assert len(errors) == len(mistakes)
    for number, (error, code) in enumerate(zip(errors, mistakes.values(), strict=True), start=2):
        assert f"program.py:{number}:" in error
        assert f"[{code}]" in error
