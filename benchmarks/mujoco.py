"""`python -m benchmarks.mujoco`: compares MuJoCo with other libraries; see `make bench-mujoco`.

Measures step rates of several tasks, their ratio to `mj_step` alone, and time and memory of pools
of a thousand Ants. Prints a table of each and the floors with PASS or MISS. Writes every sample to
`results/NAME.json` and a plot of the rates to `results/NAME.png`.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks import mujoco_limit, pool_cost, run, tables
from benchmarks.cases import MUJOCO_TASKS, Check, SuiteCase, check, checks, mujoco_suite
from benchmarks.mujoco_limit import WAYS, Limit, LimitError
from benchmarks.pool_cost import PoolCost
from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.report import format_rate, title_of
from envpool_py.cli.output import make_console
from envpool_py.pool import core

POOL_TASK = "Ant-v5"
POOL_ENVS = 1024
TIMES_FASTER_TO_MAKE = 5.0
"""Floor of the time to make EnvPool's environments, divided by that of ours."""
LEAST_OF_LIMIT = 0.95
"""Floor of our rate, divided by that of the plain loop."""
LEAST_OF_LIMIT_BY_CASE = {"HalfCheetah-v5, 16 envs, batches of 8": 0.90}
"""Floors that differ, by the case's title.

A batch of this case takes hardly longer than waking the thread that waits for it, which the loop
does not do.
"""

_PEER = "envpool"
_QUICK_ENVS = 64
_TURN_SECONDS, _QUICK_TURN_SECONDS = 0.1, 0.05
_TURNS, _QUICK_TURNS = 60, 2
_TITLES = {
    "loop": "a plain C++ loop",
    "in_step": "a plain C++ loop, its threads in step",
    "batch": "MuJoCo's own batch",
}


@dataclasses.dataclass
class Measured:
    """All measurements of a run."""

    rates: list[CaseResult]
    pools: list[PoolCost]
    limits: list[Limit]
    limit_problem: str | None = None


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments and applies `--quick`."""
    arguments = run.parse_family("mujoco", "MuJoCo tasks", list(MUJOCO_TASKS), argv)
    arguments.pool_envs = _QUICK_ENVS if arguments.quick else POOL_ENVS
    arguments.turn_seconds = _QUICK_TURN_SECONDS if arguments.quick else _TURN_SECONDS
    arguments.turns = _QUICK_TURNS if arguments.quick else _TURNS
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = parse(argv)
    out, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    timing = run.make_timing(arguments)
    num_threads = arguments.num_threads or min(2, len(system["cpus"]))
    lines = mujoco_suite(arguments.tasks, num_threads)
    sizes = dict.fromkeys((OURS, _PEER), arguments.pool_envs)
    pools = {name: Case(POOL_TASK, size, size, num_threads) for name, size in sizes.items()}
    try:
        measured = Measured(
            rates=run.measure_lines(lines, timing, num_threads, system["cpu"], errors),
            pools=pool_cost.show_and_measure(pools, timing.rounds, errors),
            limits=[],
        )
        measure_limits(measured, lines, arguments.turn_seconds, arguments.turns, errors)
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = checks(lines, measured.rates)
    found += more_checks(measured, lines, arguments.pool_envs)
    show(out, measured, found)
    for text in problems(measured):
        errors.print(text, soft_wrap=True)
    record = {
        **run.make_record(measured.rates, found, timing, system),
        "limits": [limit.to_json() for limit in measured.limits],
        "pools": {
            "task": POOL_TASK,
            "num_threads": num_threads,
            "libraries": [cost.to_json() for cost in measured.pools],
        },
    }
    run.write_results(arguments.name, record)
    return run.exit_code(arguments, found)


def measure_limits(
    measured: Measured, lines: Sequence[SuiteCase], seconds: float, turns: int, errors: Console
) -> None:
    """Adds the ratios of the cases to their limits, or the reason if they cannot be measured."""
    with tempfile.TemporaryDirectory() as directory, TurnProgress(errors, len(lines)) as progress:
        try:
            library = mujoco_limit.build(Path(directory))
            for line in lines:
                title = f"{line.case.title}, beside mj_step"
                progress.case(title)
                progress.start(0, OURS)
                if not errors.is_terminal:
                    errors.print(title, soft_wrap=True)
                measured.limits.append(mujoco_limit.measure(line.case, library, seconds, turns))
                progress.end(0, OURS, None)
        except LimitError as error:
            measured.limit_problem = str(error)


def limit_of(case: Case) -> str:
    """The loop, one of `WAYS`, for the floor of a case: its threads wait as those of the pool."""
    return "loop" if case.first_ready else "in_step"


def more_checks(measured: Measured, lines: Sequence[SuiteCase], pool_envs: int) -> list[Check]:
    """Compares the limits and the pools with their floors."""
    limits = {limit.case.title: limit for limit in measured.limits}
    found = []
    for line in lines:
        limit, way = limits.get(line.case.title), limit_of(line.case)
        found.append(
            check(
                line.case.title, f"times {_TITLES[way]}", limit.ratio(way) if limit else None,
                LEAST_OF_LIMIT_BY_CASE.get(line.case.title, LEAST_OF_LIMIT), at_least=True,
            )
        )  # fmt: skip
    pool, peer = f"{POOL_TASK}, {pool_envs:,} envs", title_of(_PEER)
    return [
        *found,
        check(
            pool, f"times faster to make than {peer}",
            pool_cost.make_ratio(measured.pools, _PEER), TIMES_FASTER_TO_MAKE, at_least=True,
        ),
        check(
            pool, f"times less memory than {peer}",
            pool_cost.memory_ratio(measured.pools, _PEER), 1.0, at_least=True,
        ),
    ]  # fmt: skip


def problems(measured: Measured) -> list[str]:
    """One line for each failed measurement."""
    found = report.problems(measured.rates) + pool_cost.problems(measured.pools)
    if measured.limit_problem is not None:
        found.append(f"no limits: {measured.limit_problem}")
    return found


def show(out: Console, measured: Measured, found: Sequence[Check]) -> None:
    """Prints the tables, except empty ones."""
    for table in (
        tables.rate_table(measured.rates),
        limit_table(measured.limits),
        pool_cost.pool_table(POOL_TASK, measured.pools),
        tables.floor_table(found),
    ):
        if table.row_count:
            out.print(table)


def limit_table(limits: Sequence[Limit]) -> Table:
    """One row per case: our rate, and its ratio to each limit, from alternating turns."""
    table = tables.make_table(
        "Steps per second beside mj_step on the same states, and ours as a multiple: "
        + "; ".join(_TITLES[way] for way in WAYS)
    )
    for heading in ("ours", "loop", "in step", "batch"):
        table.add_column(heading, justify="right")
    for limit in limits:
        rates = (f"{format_rate(limit.rate(way))}\n{limit.ratio(way):.3f}" for way in WAYS)
        table.add_row(limit.case.title, format_rate(limit.rate("pool")), *rates)
    return table


if __name__ == "__main__":
    sys.exit(main())
