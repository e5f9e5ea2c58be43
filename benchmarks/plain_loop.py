"""Plain C++ loops over an environment's equations, as an upper limit for the engine.

The source is `limits/<name>.cc`. A loop is compiled when a run first needs it, and then measured in
turn with the libraries. Without a compiler the run omits it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing, run_process
from envpool_py.cli.bench.sample import Outcome, Status

NAME = "plain C++ loop"
"""What results, tables and plots call the loop."""

_SOURCES = Path(__file__).resolve().parent / "limits"
# The same flags as in cmake/flags.cmake.
_FLAGS = ("-std=c++20", "-O3", "-ffp-contract=off", "-pthread")


class CompileError(Exception):
    """A program could not be compiled.

    Attributes:
        remedy: a command that helps, if known.
    """

    def __init__(self, reason: str, remedy: str | None = None) -> None:
        super().__init__(reason)
        self.remedy = remedy


def compile_source(name: str, output: Path, options: Sequence[str] = ()) -> None:
    """Compiles `limits/<name>.cc` to `output`; raises CompileError."""
    compiler = os.environ.get("CXX") or "c++"
    if shutil.which(compiler) is None:
        raise CompileError(f"no compiler called {compiler}", "set CXX")
    command = [compiler, *_FLAGS, "-o", str(output), str(_SOURCES / f"{name}.cc"), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise CompileError(f"{compiler}: {lines[0]}")


class PlainLoop:
    """One compiled loop.

    Args:
        name: name of the source in `limits`, without its ending.
        build_dir: directory for the compiled program.
    """

    def __init__(self, name: str, build_dir: Path) -> None:
        self._name = name
        self._program = build_dir / name
        self._problem: Outcome | None = None

    def build(self) -> None:
        """Compiles the loop; an error becomes the outcome of each later `launch`."""
        try:
            compile_source(self._name, self._program)
        except CompileError as error:
            status: Status = "failed" if error.remedy is None else "unavailable"
            self._problem = Outcome(status, reason=str(error), remedy=error.remedy)

    def launch(self, case: Case, timing: Timing) -> Outcome:
        """Measures the loop once with the environments and threads of `case`."""
        if self._problem is not None:
            return self._problem
        command = [
            str(self._program),
            str(case.num_envs),
            str(case.num_threads),
            str(timing.seconds),
            str(timing.warmup_seconds),
        ]
        return run_process(command, timing)
