"""Shared code of these programs: arguments, the library, the learning curve, the record.

A program runs with EnvPool or with the compat module, depending on `--library`. The two runs do not
differ otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import importlib.metadata
import json
import os
import platform
import time
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

# The module that the program imports, by the name of the package.
LIBRARIES = {"envpool": "envpool", "envpool_py": "envpool_py.compat.envpool"}
WINDOW = 50  # number of episodes averaged in a point of the learning curve
_MOST_POINTS = 150  # most points of a learning curve in a record


class Trial:
    """One training run: its arguments, its learning curve and its record.

    Attributes:
        envpool: EnvPool, or the compat module.
        library: "envpool" or "envpool_py".
        seed: seed of all randomness.
        steps: least number of steps of the run, over all environments.
    """

    def __init__(
        self,
        program: str,
        task: str,
        *,
        steps: int,
        num_envs: int,
        packages: Sequence[str] = (),
        arguments: Sequence[str] | None = None,
    ) -> None:
        """Reads the command line and imports the library.

        Args:
            program: the program's name, for the record.
            task: id of the task, for the record.
            steps: the default of `--steps`.
            num_envs: number of environments, for the record.
            packages: additional packages whose versions are in the record.
            arguments: the command line; None: the arguments of the process.
        """
        parser = argparse.ArgumentParser(description=f"Learns {task}.")
        parser.add_argument("--library", choices=LIBRARIES, default="envpool_py")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--steps", type=int, default=steps, help="of all environments")
        parser.add_argument("--json", type=Path, help="file to write the record to")
        given = parser.parse_args(arguments)
        self.library: str = given.library
        self.seed: int = given.seed
        self.steps: int = given.steps
        self.envpool: Any = importlib.import_module(LIBRARIES[given.library])
        self._json: Path | None = given.json
        self._known = {"program": program, "task": task, "num_envs": num_envs}
        self._packages = packages
        self._digest = hashlib.sha256()
        self._episodes = 0
        self._recent: deque[float] = deque(maxlen=WINDOW)
        self._curve: list[tuple[int, float]] = []
        self._began = time.perf_counter()

    @property
    def mean_return(self) -> float:
        """Mean return of the latest episodes; 0 if none has ended."""
        return float(np.mean(self._recent)) if self._recent else 0.0

    def episodes_ended(self, steps: int, returns: Iterable[float]) -> None:
        """Records the returns of episodes that ended.

        Args:
            steps: steps of all environments since the run began.
            returns: one number per episode.
        """
        for value in returns:
            self._digest.update(np.float64(value).tobytes())
            self._episodes += 1
            self._recent.append(float(value))
            self._curve.append((steps, self.mean_return))

    def finish(self, steps: int) -> None:
        """Prints the result and writes the record.

        Args:
            steps: steps of all environments that were taken.
        """
        seconds = time.perf_counter() - self._began
        record = {
            **self._known,
            "library": self.library,
            "seed": self.seed,
            "steps": steps,
            "wall_s": round(seconds, 1),
            "episodes": self._episodes,
            # Two runs have equal hashes if they had the same returns in the same order.
            "returns_sha256": self._digest.hexdigest(),
            "mean_return": round(self.mean_return, 3),
            "curve": _thinned(self._curve),
            "versions": {
                name: _version(name)
                for name in (self.library, "numpy", "gymnasium", *self._packages)
            },
            "python": platform.python_version(),
            "machine": {
                "cpu": _processor(),
                "cores": os.cpu_count(),
                "load_at_end": round(os.getloadavg()[0], 1),
            },
        }
        print(
            f"{record['program']} on {self.library}, seed {self.seed}: mean return "
            f"{self.mean_return:.1f} of the latest episodes, after {steps:,} steps, "
            f"{self._episodes:,} episodes and {seconds:.0f} s"
        )
        if self._json is not None:
            self._json.parent.mkdir(parents=True, exist_ok=True)
            self._json.write_text(json.dumps(record) + "\n")


def _thinned(curve: list[tuple[int, float]]) -> list[list[float]]:
    """Returns at most 150 points of a curve, including the last one."""
    if not curve:
        return []
    chosen = np.unique(np.linspace(0, len(curve) - 1, _MOST_POINTS).round().astype(int))
    return [[curve[index][0], round(curve[index][1], 2)] for index in chosen.tolist()]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _version(package: str) -> str:
    if package == "envpool_py":  # it may be imported without being installed
        import envpool_py

        return envpool_py.__version__
    return importlib.metadata.version(package)
