"""Builds plug-ins as authors do: outside the repository, from the installed package's files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py.authoring import building

SOURCES = Path(__file__).parent

Compile = Callable[..., Path]
RunPython = Callable[..., str]


@pytest.fixture(scope="session")
def compile_plugin(made_once: Callable[..., Path]) -> Compile:
    """Compiles a file of this directory once per test run, without optimisation."""

    def compile_file(name: str) -> Path:
        stem = Path(name).stem
        directory = made_once(
            f"plugin_{stem}",
            lambda where: building.compile_plugin([SOURCES / name], where, ["-O0"]),
        )
        return directory / f"{stem}.so"

    return compile_file


@pytest.fixture(scope="session")
def run_python() -> RunPython:
    """Runs a program in a new process, in a directory, and returns its output."""

    def run(directory: Path, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program, *arguments],
            cwd=directory,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
        return done.stdout

    return run
