"""Runs other projects' own tests on the pools of this package.

    python -m tools.foreign gymnasium DIRECTORY [pytest's arguments]
    python -m tools.foreign gymnasium-python DIRECTORY
    python -m tools.foreign ale DIRECTORY
    python -m tools.foreign envpool DIRECTORY

DIRECTORY is a checkout of the project. Nothing is copied from it into this repository, and nothing
is written into it. `make check-foreign` runs these suites in an environment with all their imports.

A test counts if it requests a pool of this package; all tests of EnvPool count. `excluded.py` lists
the tests that are known to fail, each with the reason. The exit code is 1 if another test fails, if
a listed test passes (unless the reason is the version of the checkout), or if no test passes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.foreign.suites import SUITES, Suite

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Runs the tests of one project; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.foreign")
    parser.add_argument("project", choices=sorted(SUITES))
    parser.add_argument("directory", type=Path, help="a checkout of the project")
    arguments, others = parser.parse_known_args()
    suite = SUITES[arguments.project]
    checkout = arguments.directory.resolve()
    files = suite.files(checkout)
    if not files:
        parser.error(f"{checkout}: has none of {', '.join(suite.patterns)}")
    with tempfile.TemporaryDirectory() as place:
        return _run(suite, arguments.project, checkout, files, Path(place), others)


def _run(
    suite: Suite, project: str, checkout: Path, files: list[Path], place: Path, others: list[str]
) -> int:
    (place / "pytest.ini").write_text("[pytest]\n")  # not this project's settings, nor theirs
    if suite.copied:
        # In its own package, a test would import the checkout's modules instead of the installed
        # ones.
        for file in files:
            (place / file.relative_to(checkout)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place / file.relative_to(checkout))
        files = [place / file.relative_to(checkout) for file in files]
    environment = {
        "MUJOCO_GL": "egl",  # by default, MuJoCo needs a display
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*_paths(), str(ROOT)]),
        "ENVPOOL_FOREIGN_PROJECT": project,
        "ENVPOOL_FOREIGN_CHECKOUT": str(checkout),
        "SDL_VIDEODRIVER": "dummy",
    }
    command = [sys.executable, "-m", "pytest", "-c", str(place / "pytest.ini")]
    command += ["--rootdir", str(place if suite.copied else checkout), "-p", "no:cacheprovider"]
    command += [f"--import-mode={suite.import_mode}", "-p", "tools.foreign.plugin", "-q"]
    command += ["--disable-warnings"]  # Gymnasium warns that its tests use older versions of tasks
    command += [*others, *map(str, files)]
    return subprocess.run(command, cwd=place, env=environment, check=False).returncode


def _paths() -> list[str]:
    return [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]


if __name__ == "__main__":
    sys.exit(main())
