"""Installs training libraries, tests their adapters and trains CartPole with each.

    python examples/check.py [--only NAME ...] [--seed 0] [--results DIRECTORY]

For each library, this program makes a virtual environment `.venv-libraries-<name>` with the
packages in `examples/requirements/<name>.txt` (compatible libraries share one), and runs the
adapter's tests and the example on its engines. It writes a table and plots. It exits with status 1
if a test fails, a mean return is too low, or the returns in training differ between two engines
with the same environments. The name `from-envpool` selects the programs of `examples/from_envpool`,
which run with EnvPool and with the compat module (compare.py). The package under test is the one
that this program imports; `make check-libraries` builds that package and calls this program.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

import envpool_py
import report
from cartpole import ENGINES, PROCESS_ENGINES, TARGET
from envpool_py import _core

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "libraries"


@dataclass(frozen=True)
class Library:
    """A training library with its tests and its example."""

    name: str
    environment: str  # .venv-libraries-<environment>, requirements/<environment>.txt
    example: str
    tests: Sequence[str]
    engines: Sequence[str] = ENGINES


LIBRARIES = (
    Library(
        "stable-baselines3",
        "common",
        "sb3_ppo",
        ("batches", "guide", "stable_baselines3", "stable_baselines3_python_envs"),
        ENGINES + PROCESS_ENGINES,
    ),
    Library(
        "torchrl",
        "common",
        "torchrl_ppo",
        ("torchrl",),
        ENGINES + PROCESS_ENGINES,
    ),
    Library("tianshou", "common", "tianshou_ppo", ("tianshou",)),
    Library("pfrl", "common", "pfrl_ppo", ("pfrl",)),
    Library("skrl", "common", "skrl_ppo", ("skrl",)),
    Library("rllib", "rllib", "rllib_ppo", ("guide", "rllib", "rllib_runner")),
)
PICTURES = {
    ENGINES: "cartpole.png",
    PROCESS_ENGINES: "cartpole-processes.png",
}
FROM_ENVPOOL = "from-envpool"
_FROM_ENVPOOL_TEST = ROOT / "tests" / "examples" / "test_from_envpool.py"


class StepFailedError(Exception):
    """A part of the check failed; the message names it."""


def main() -> None:
    """Runs the check."""
    arguments = _arguments()
    # Wide enough for the table, even without a terminal.
    console = Console(width=max(130, Console().width))
    chosen = [library for library in LIBRARIES if library.name in arguments.only]
    failures: dict[str, str] = {}
    package = _stage()
    installed: dict[str, Path] = {}
    for library in chosen:
        console.rule(library.name)
        try:
            if library.environment not in installed:
                installed[library.environment] = _install(library.environment)
            python = installed[library.environment]
            _test(library, python, package)
            for engine in library.engines:
                _learn(library, python, package, engine, arguments)
        except StepFailedError as error:
            failures[library.name] = str(error)
    if FROM_ENVPOOL in arguments.only:
        console.rule(FROM_ENVPOOL)
        try:
            _compare(_install("envpool"), package, arguments.results)
        except StepFailedError as error:
            failures[FROM_ENVPOOL] = str(error)
            console.print(f"{FROM_ENVPOOL}: {error}")
    if chosen:
        records = report.read(arguments.results, [library.name for library in chosen])
        console.print(report.table(records, failures))
        for pair, picture in PICTURES.items():
            if any(not set(pair).isdisjoint(runs) for runs in records.values()):
                report.draw(records, arguments.results / picture, pair)
        returns = [report.mean_return(run) for runs in records.values() for run in runs.values()]
        if not failures and min(returns, default=0.0) < TARGET:
            sys.exit("failed: a mean return is too low")
        differing = [
            f"{name} on {' and '.join(pair)}"
            for name, runs in records.items()
            for pair in report.PAIRS
            if set(pair) <= set(runs) and not report.same_training(runs, pair)
        ]
        if differing and not failures:
            sys.exit(f"failed: returns in training differ: {', '.join(differing)}")
    if failures:
        sys.exit(f"failed: {', '.join(failures)}")


def _arguments() -> argparse.Namespace:
    names = [*(library.name for library in LIBRARIES), FROM_ENVPOOL]
    parser = argparse.ArgumentParser(description="Tests and trains with training libraries.")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, default=BUILD / "results")
    return parser.parse_args()


def _stage() -> Path:
    """Copies this package to a new directory, and returns the directory.

    In an installation, the sources and the compiled modules may be in different directories.
    """
    site = BUILD / "site"
    shutil.rmtree(site, ignore_errors=True)
    copy = site / "envpool_py"
    shutil.copytree(
        Path(envpool_py.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    for module in Path(_core.__file__).parent.glob("_*.so"):
        shutil.copy2(module, copy)
    return site


def _install(name: str) -> Path:
    """Makes a virtual environment, or updates it; returns its Python."""
    directory = ROOT / f".venv-libraries-{name}"
    python = directory / "bin" / "python"
    if not python.exists():
        _run("venv", sys.executable, "-m", "venv", directory)
    requirements = ROOT / "examples" / "requirements" / f"{name}.txt"
    pip = (python, "-m", "pip", "install", "-q")
    # Installs torch first and separately. As a dependency of a library, pip would select a build
    # with CUDA libraries.
    _run("installation of torch", *pip, _torch(requirements))
    _run("installation", *pip, "-r", requirements, *_dependencies())
    return python


def _dependencies() -> list[str]:
    """Returns the requirements of the package itself."""
    needed = importlib.metadata.requires("envpool_py") or []
    return [requirement for requirement in needed if "extra ==" not in requirement]


def _torch(requirements: Path) -> str:
    lines = requirements.read_text().splitlines()
    return next(line.split()[0] for line in lines if line.startswith("torch=="))


def _test(library: Library, python: Path, package: Path) -> None:
    files = [ROOT / "tests" / "integrations" / f"test_{name}.py" for name in library.tests]
    _run("tests", python, "-m", "pytest", "-q", *files, package=package)


def _learn(
    library: Library, python: Path, package: Path, engine: str, arguments: argparse.Namespace
) -> None:
    record = arguments.results / f"{library.name}.{engine}.json"
    record.unlink(missing_ok=True)
    _run(
        f"example on {engine}",
        *(python, ROOT / "examples" / f"{library.example}.py"),
        *("--engine", engine, "--seed", arguments.seed, "--json", record),
        package=package,
    )


def _compare(python: Path, package: Path, results: Path) -> None:
    """Runs the programs that were written for EnvPool with both libraries."""
    _run("tests", python, "-m", "pytest", "-q", _FROM_ENVPOOL_TEST, package=package)
    program = ROOT / "examples" / "from_envpool" / "compare.py"
    _run("the comparison", python, program, "--results", results / "from_envpool", package=package)


def _run(what: str, *command: object, package: Path | None = None) -> None:
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    if package is not None:
        variables["PYTHONPATH"] = str(package)
    words = [str(word) for word in command]
    status = subprocess.run(words, cwd=BUILD, env=variables, check=False).returncode
    if status != 0:
        raise StepFailedError(f"{what} failed with status {status}")


if __name__ == "__main__":
    main()
