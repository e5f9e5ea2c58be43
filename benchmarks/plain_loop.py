"""Plain C++ loops over an environment's equations: the limit that the engine is held against.

The source is `limits/<name>.cc`. A loop is compiled when a run first needs it and then takes its
turns beside the libraries; without a compiler the run goes on without it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from envpool_py.bench.case import Case
from envpool_py.bench.measure import Timing, run_process
from envpool_py.bench.sample import Outcome

NAME = "plain C++ loop"
"""What results, tables and plots call the loop."""

_SOURCES = Path(__file__).resolve().parent / "limits"
# As cmake/flags.cmake has it for the engine.
_FLAGS = ("-std=c++20", "-O3", "-ffp-contract=off", "-pthread")


class PlainLoop:
    """One compiled loop.

    Args:
        name: name of the source in `limits`, without its ending.
        build_dir: where the program goes.
    """

    def __init__(self, name: str, build_dir: Path) -> None:
        self._source = _SOURCES / f"{name}.cc"
        self._program = build_dir / name
        self._problem: Outcome | None = None

    def build(self) -> None:
        """Compiles the loop; what goes wrong is the outcome of each later `launch`."""
        compiler = os.environ.get("CXX") or "c++"
        if shutil.which(compiler) is None:
            self._problem = Outcome(
                "unavailable", reason=f"no compiler called {compiler}", remedy="set CXX"
            )
            return
        command = [compiler, *_FLAGS, "-o", str(self._program), str(self._source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["no message"]
            self._problem = Outcome("failed", reason=f"{compiler}: {lines[0]}")

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
