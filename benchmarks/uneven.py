"""What one slow environment costs the others: `python -m benchmarks.uneven`.

Steps of one environment in 32 do 50 times the work of the others' steps. The tables have the work
that all environments do in a second, relative to a pool without the slow one, which takes turns
with it. In first-ready mode, the others go on while the slow one computes. In ordered mode, each
step waits for it.

Builds `benchmarks/plugin/uneven_plugin.cc` like a plug-in of a user.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import envpool_py
from benchmarks.tables import make_table
from envpool_py.authoring import building

_SOURCE = Path(__file__).resolve().parent / "plugin" / "uneven_plugin.cc"
_ENVS = 32
_SLOW = 50  # how many times the work of the others
_FLOOR = 0.9  # first-ready
MODES = {"ordered": _ENVS, "first-ready": _ENVS // 2}


def work_per_second(
    task: str, batch_size: int, num_threads: int, slow: int, seconds: float
) -> float:
    """Returns the work per second of one pool; a step of a fast environment is 1."""
    work = np.ones(_ENVS, np.int64)
    work[-1] = slow
    done = 0
    pool: Any
    with envpool_py.make(
        task, num_envs=_ENVS, batch_size=batch_size, num_threads=num_threads, seed=0
    ) as pool:
        if batch_size == _ENVS:
            pool.reset()
            pool.step(work - 1)
        else:
            pool.async_reset()
            pool.send(np.zeros(batch_size, np.int64), pool.recv()[4]["env_id"])
        start = time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            if batch_size == _ENVS:
                pool.step(work - 1)
                done += int(work.sum())
            else:
                infos = pool.recv()[4]
                ids = infos["env_id"]
                # The first results are those of resets and of steps without the slow one.
                done += int(np.where(infos["elapsed_step"] > 1, work[ids], 1).sum())
                pool.send(work[ids] - 1, ids)
        return done / passed


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; returns 1 if the floor of first-ready mode is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.uneven")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.0, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as directory:
        module = building.compile_plugin([_SOURCE], Path(directory))
        sys.path.insert(0, str(Path(module).parent))
        table = make_table(f"1 environment of {_ENVS} does {_SLOW} times the work, relative")
        for column in (f"{arguments.threads} threads", "floor"):
            table.add_column(column, justify="right")
        missed = False
        for mode, batch_size in MODES.items():
            ratios = []
            for _ in range(arguments.rounds):
                even, uneven = (
                    work_per_second(
                        "uneven_plugin:Uneven-v0",
                        batch_size,
                        arguments.threads,
                        slow,
                        arguments.seconds,
                    )
                    for slow in (1, _SLOW)
                )
                ratios.append(uneven / even)
            ratio = statistics.median(ratios)
            floor = _FLOOR if mode == "first-ready" else None
            missed |= floor is not None and ratio < floor
            table.add_row(mode, f"{ratio:.2f}", "" if floor is None else f"{floor}")
        Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
