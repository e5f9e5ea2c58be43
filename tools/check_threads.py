"""Checks the locks of the engine: `python -m tools.check_threads BUILD_DIRECTORY`.

Compiles each layer with Clang's -Wthread-safety, which reports where a field is used or a function
is called without the lock that its attribute names (engine/base/thread_annotations.h). It exits
with 1 if there is a report. Clang is a clang++ on the path, or the one in the package ziglang.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

_FLAGS = (
    "-fsized-deallocation",  # as in GCC
    *("-Wno-everything", "-Wthread-safety", "-Werror"),
)
_NAMES = ("clang++", *(f"clang++-{version}" for version in range(30, 13, -1)))


def clang(output: Path) -> list[str] | None:
    """Returns a command of Clang that checks a file; None if there is no Clang.

    `output`: an object file that the command may write.
    """
    for name in _NAMES:
        if path := shutil.which(name):
            return [path, "-fsyntax-only"]
    if importlib.util.find_spec("ziglang"):  # has no -fsyntax-only
        return [sys.executable, "-m", "ziglang", "c++", "-c", "-o", str(output)]
    return None


def commands(build: Path, compiler: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yields each layer and the command that checks it."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = Path(entry["directory"], entry["file"])
        layer = unit.parent.parent.name.removesuffix(".dir")
        if unit.parent.name != "Unity" or not layer.startswith("engine_"):
            continue
        words = shlex.split(entry["command"])
        flags = [word for word in words if word.startswith(("-I", "-D", "-std="))]
        for before, word in itertools.pairwise(words):
            flags += ["-isystem", word] if before == "-isystem" else []
        yield layer, [*compiler, *flags, *_FLAGS, str(unit)]


def main(argv: Sequence[str] | None = None) -> int:
    """Checks all layers; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_threads")
    parser.add_argument("build", type=Path, help="build directory, configured and built")
    build = parser.parse_args(argv).build
    compiler = clang(build / "check_threads.o")
    if compiler is None:
        print(
            "check_threads: needs Clang: apt-get install clang, or pip install ziglang",
            file=sys.stderr,
        )
        return 1
    found = dict(commands(build, compiler))
    failed = [layer for layer, command in found.items() if subprocess.run(command).returncode]
    print(f"check_threads: {len(found)} layers, {len(failed)} with errors: {', '.join(failed)}")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
