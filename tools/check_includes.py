"""Compiles each file of the layers by itself: `python -m tools.check_includes BUILD_DIRECTORY`.

Each layer is built as one translation unit, in which a file can use headers that only other files
include. This program compiles every file alone, with the flags of its layer, and writes no objects.
It exits with 1 if a file does not compile.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

_INCLUDE = re.compile(r'^#include "(.*\.cc)"$', re.MULTILINE)


def commands(build: Path) -> Iterator[tuple[str, list[str]]]:
    """Yields each file of a unity build, and the command that checks it."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        unit = Path(entry["directory"], entry["file"])
        if unit.parent.name != "Unity":
            continue
        words = iter(shlex.split(entry["command"]))
        flags = []
        for word in words:
            if word in ("-o", "-MF", "-MT"):
                next(words)
            elif word not in ("-c", "-MD", entry["file"]):
                flags.append(word)
        for source in _INCLUDE.findall(unit.read_text()):
            yield source, [*flags, "-fsyntax-only", source]


def run(command: Sequence[str]) -> str:
    """Returns the compiler's error messages; "" if the command succeeds."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main(argv: Sequence[str] | None = None) -> int:
    """Checks all files; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.check_includes")
    parser.add_argument("build", type=Path, help="build directory, configured and built")
    found = dict(commands(parser.parse_args(argv).build))
    console = Console(stderr=True)
    if not found:
        console.print("check_includes: no unity build in this directory", soft_wrap=True)
        return 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        results = threads.map(run, found.values())
        for message in track(results, "Files by themselves", len(found), console=console):
            if message:
                failed += 1
                console.print(message, markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(found)} files, {failed} do not compile by themselves")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
