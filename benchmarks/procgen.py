"""`python -m benchmarks.procgen`: Procgen's games beside the library alone; see `make bench-arena`.

The rates of EnvPool are measured as in the other benchmarks. The library is stepped as Procgen's
own `ProcgenGym3Env` steps it: in the calling thread, with copies of observations, rewards and
flags, and without most of its Python code. Pools of one and of two threads and the library
alternate in short turns in one process, with the same levels and actions, and ratios are taken
between consecutive turns. Prints tables of the rates, and the floors with PASS or MISS.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.table import Table

import envpool_py
from benchmarks import run, tables
from benchmarks.cases import SuiteCase, check, checks
from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.output import make_console
from envpool_py.pool import core
from tools.procgen_library import Games

TASKS = ("CoinrunEasy-v0", "StarpilotEasy-v0", "BossfightEasy-v0", "MazeEasy-v0")
NUM_ENVS = 64
LEAST_OF_LIBRARY = {1: 0.98, 2: 1.9}
"""Floors of our rate, divided by the library's in one thread, by the number of threads."""
LEAST_OF_ENVPOOL = 2.0
_SECONDS, _QUICK_SECONDS = 0.25, 0.05  # length of a turn
_TURNS, _QUICK_TURNS = 24, 3
_SEED = 7


@dataclasses.dataclass(frozen=True)
class Turn:
    """Environment steps per second of the library, and of our pools by the number of threads."""

    library: float
    pools: dict[int, float]


def lines_of(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of the tasks, with EnvPool as peer."""
    return [
        SuiteCase(
            Case(task, NUM_ENVS, NUM_ENVS, num_threads), ("envpool",), {"envpool": LEAST_OF_ENVPOOL}
        )
        for task in tasks
    ]


def _timed(step: Callable[[Any], object], actions: Any) -> float:
    start = time.perf_counter()
    for batch in actions:
        step(batch)
    return int(actions.size) / (time.perf_counter() - start)


def _step_library(games: Games, actions: Any) -> tuple[Any, Any, Any]:
    games.act(actions)
    return games.reward.copy(), games.rgb.copy(), games.first.copy()


def measure(task: str, threads: Sequence[int], seconds: float, turns: int) -> list[Turn]:
    """Measures a task in alternating turns of about `seconds`.

    In SameStep a pool does what the library does, so all have the same games at each time.
    """
    pools = {
        count: envpool_py.make(
            task,
            num_envs=NUM_ENVS,
            num_threads=count,
            seed=_SEED,
            seeding="procgen",
            autoreset_mode="SameStep",
        )
        for count in threads
    }
    games = Games(task, NUM_ENVS, _SEED)
    rng = np.random.default_rng(_SEED)

    def one(batches: int) -> Turn:
        actions = rng.integers(0, 15, (batches, NUM_ENVS))
        rates = {count: _timed(pool.step, actions) for count, pool in pools.items()}
        return Turn(_timed(lambda batch: _step_library(games, batch), actions), rates)

    for pool in pools.values():
        pool.reset()
    warm = one(20)
    batches = max(2, int(warm.library * seconds / NUM_ENVS))
    found = [one(batches) for _ in range(turns)]
    for pool in pools.values():
        pool.close()
    games.close()
    return found


def ratio(turns: Sequence[Turn], threads: int) -> float:
    """The ratio of our rate to that of the library: the median over the turns."""
    return float(statistics.median(each.pools[threads] / each.library for each in turns))


def library_table(found: Sequence[tuple[str, Sequence[Turn]]]) -> Table:
    """One row per task: the library's rate, and ours with its multiple of it."""
    table = tables.make_table(
        f"Steps per second of {NUM_ENVS} games beside the library in one thread, and ours as a "
        "multiple"
    )
    threads = list(found[0][1][0].pools)
    for heading in ("library", *(f"{count} threads" for count in threads)):
        table.add_column(heading, justify="right")
    for task, turns in found:
        library = statistics.median(each.library for each in turns)
        rates = (
            f"{format_rate(statistics.median(each.pools[count] for each in turns))}\n"
            f"{ratio(turns, count):.3f}"
            for count in threads
        )
        table.add_row(task, format_rate(library), *rates)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    arguments = run.parse_family("procgen", "Procgen's games", TASKS, argv)
    system = core.system_info()
    num_threads = arguments.num_threads or min(2, len(system["cpus"]))
    threads = sorted({1, num_threads})
    seconds = _QUICK_SECONDS if arguments.quick else _SECONDS
    turns = _QUICK_TURNS if arguments.quick else _TURNS
    out, errors = make_console(), make_console(stderr=True)
    lines = lines_of(arguments.tasks, num_threads)
    timing = run.make_timing(arguments)
    rates = run.measure_lines(lines, timing, num_threads, system["cpu"], errors)
    beside = [(task, measure(task, threads, seconds, turns)) for task in arguments.tasks]
    found = checks(lines, rates)
    found += [
        check(
            f"{task}, {count} threads", "times the library in one thread", ratio(each, count),
            LEAST_OF_LIBRARY[count], at_least=True,
        )
        for task, each in beside
        for count in threads
        if count in LEAST_OF_LIBRARY
    ]  # fmt: skip
    for table in (tables.rate_table(rates), library_table(beside), tables.floor_table(found)):
        out.print(table)
    for text in report.problems(rates):
        errors.print(text, soft_wrap=True)
    record = {
        **run.make_record(rates, found, timing, system),
        "library": [
            {"task": task, "num_envs": NUM_ENVS, "turns": [dataclasses.asdict(x) for x in each]}
            for task, each in beside
        ],
    }
    run.write_results(arguments.name, record)
    return run.exit_code(arguments, found)


if __name__ == "__main__":
    sys.exit(main())
