"""`python -m benchmarks.box2d`: compares Box2D tasks with other libraries; see `make bench-box2d`.

Measures step rates, and time and memory of pools of a thousand environments of each task. Prints a
table of each and the floors with PASS or MISS. Writes every sample to `results/NAME.json` and a
plot of the rates to `results/NAME.png`.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console

from benchmarks import pool_cost, run, tables
from benchmarks.cases import BOX2D_TASKS, Check, box2d_suite, check, checks
from benchmarks.pool_cost import PoolCost
from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.output import make_console
from envpool_py.pool import core

POOL_ENVS = 1000
MOST_MAKE_S = 1.0
"""The most time that making `POOL_ENVS` environments may take, seconds."""

_ENVPOOL, _GYMNASIUM = "envpool", "gymnasium-sync"
_QUICK_ENVS = 64
_GYMNASIUM_ENVS = 16  # Gymnasium needs a tenth of a second for a reset of CarRacing


@dataclasses.dataclass
class Measured:
    """All measurements of a run; `pools` is by task."""

    rates: list[CaseResult]
    pools: Mapping[str, list[PoolCost]]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments and applies `--quick`."""
    arguments = run.parse_family("box2d", "Box2D tasks", BOX2D_TASKS, argv)
    arguments.peer_envs = _QUICK_ENVS if arguments.quick else POOL_ENVS
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = parse(argv)
    out, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    timing = run.make_timing(arguments)
    num_threads = arguments.num_threads or min(2, len(system["cpus"]))
    lines = box2d_suite(arguments.tasks, num_threads)
    try:
        measured = Measured(
            rates=run.measure_lines(lines, timing, num_threads, system["cpu"], errors),
            pools={
                task: pool_cost.show_and_measure(
                    pool_cases(task, arguments.peer_envs, num_threads), timing.rounds, errors
                )
                for task in arguments.tasks
            },
        )
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = checks(lines, measured.rates)
    found += pool_checks(measured.pools)
    show(out, measured, found)
    for text in problems(measured):
        errors.print(text, soft_wrap=True)
    record = {
        **run.make_record(measured.rates, found, timing, system),
        "pools": [
            {
                "task": task,
                "num_threads": num_threads,
                "libraries": [cost.to_json() for cost in costs],
            }
            for task, costs in measured.pools.items()
        ],
    }
    run.write_results(arguments.name, record)
    return run.exit_code(arguments, found)


def pool_cases(task: str, peer_envs: int, num_threads: int) -> dict[str, Case]:
    """The cases of the measurements of time and memory, by library."""
    sizes = {OURS: POOL_ENVS, _ENVPOOL: peer_envs, _GYMNASIUM: _GYMNASIUM_ENVS}
    return {name: Case(task, size, size, num_threads) for name, size in sizes.items()}


def pool_checks(pools: Mapping[str, Sequence[PoolCost]]) -> list[Check]:
    """Compares the pools with their floor."""
    found = []
    for task, costs in pools.items():
        ours = next((cost for cost in costs if cost.name == OURS), None)
        made = ours.median("make_s") if ours else None
        title = f"{task}, {POOL_ENVS:,} envs"
        found.append(check(title, "s to make", made, MOST_MAKE_S, at_least=False))
    return found


def problems(measured: Measured) -> list[str]:
    """One line for each failed measurement."""
    return report.problems(measured.rates) + [
        f"{task}, {text}"
        for task, costs in measured.pools.items()
        for text in pool_cost.problems(costs)
    ]


def show(out: Console, measured: Measured, found: Sequence[Check]) -> None:
    """Prints the tables, except empty ones."""
    for table in (
        tables.rate_table(measured.rates),
        *(pool_cost.pool_table(task, costs) for task, costs in measured.pools.items()),
        tables.floor_table(found),
    ):
        if table.row_count:
            out.print(table)


if __name__ == "__main__":
    sys.exit(main())
