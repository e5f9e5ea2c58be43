"""Compares the choice of `envpool-py tune` with a grid; shows how much policy time pools hide.

    python -m benchmarks.tuning [TASK]... [--quick] [--json FILE]

For every task and every time of a policy, a search chooses the settings. Then every setting of a
grid is measured, and the best of them and the choice run in turn. The first table has the rate of
the choice divided by that of the grid's best, from these turns.

The second table has first-ready pools with a policy that waits, as for a GPU: if its time is hidden
fully, the rate is the smaller of the pool's rate alone and the policy's.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import records
from benchmarks.tables import make_table
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench.tuning import Limits, Setting, Tuner
from envpool_py.cli.bench.tuning_pools import PoolMeasurer, default_most_envs, worker_counts
from envpool_py.cli.output import make_console
from envpool_py.pool import core

TASKS = ("CartPole-v1", "HalfCheetah-v5", "Pong-v5")
CONSUMERS_US = (100.0, 1_000.0, 10_000.0)
HIDING_TASK = "Pong-v5"


@dataclasses.dataclass(frozen=True)
class Lengths:
    """Durations, seconds, and the number of turns."""

    search: float
    grid: float  # of each setting
    turn: float
    turns: int


STANDARD = Lengths(search=30.0, grid=0.25, turn=1.0, turns=7)
QUICK = Lengths(search=3.0, grid=0.05, turn=0.2, turns=2)


def measurer(task: str, consumer_us: float, *, waits: bool = False) -> PoolMeasurer:
    """Returns the measurer of a task's settings."""
    return PoolMeasurer(
        task,
        {},
        in_python=False,
        policy=None,
        consumer_us=consumer_us,
        consumer_waits=waits,
    )


def grid(limits: Limits) -> list[Setting]:
    """Returns the settings of the grid: whole, half and quarter batches."""
    return sorted(
        {
            Setting(num_envs, workers, math.ceil(num_envs / parts))
            for num_envs in limits.envs()
            for workers in limits.workers
            for parts in (1, 2, 4)
        }
    )


def compare(task: str, consumer_us: float, lengths: Lengths) -> dict[str, Any]:
    """Searches, measures the grid, and then the choice and the grid's best in turn."""
    measure = measurer(task, consumer_us)
    system = core.system_info()
    limits = Limits(worker_counts(system, False, False), default_most_envs(system))
    default = Setting(limits.envs()[-1], limits.workers[-1], limits.envs()[-1])
    choice = Tuner(limits, measure, lengths.search, time.monotonic).run(default)
    rates = {setting: measure(setting, lengths.grid) for setting in grid(limits)}
    best = sorted(rates, key=lambda setting: -rates[setting])[:3]
    turns: dict[Setting, list[float]] = {setting: [] for setting in dict.fromkeys([choice, *best])}
    for _ in range(lengths.turns):
        for setting, taken in turns.items():
            taken.append(measure(setting, lengths.turn))
    medians = {setting: statistics.median(taken) for setting, taken in turns.items()}
    fastest = max(best, key=medians.__getitem__)
    return {
        "task": task,
        "consumer_us": consumer_us,
        "settings": len(rates),
        "choice": dataclasses.asdict(choice),
        "choice_steps_per_s": medians[choice],
        "best": dataclasses.asdict(fastest),
        "best_steps_per_s": medians[fastest],
        "ratio": medians[choice] / medians[fastest],
    }


def hide(consumer_us: float, lengths: Lengths) -> dict[str, Any]:
    """Measures first-ready batches with a policy that waits, and without one, in turn."""
    workers = len(core.system_info()["cpus"])
    alone, paced = (measurer(HIDING_TASK, us, waits=True) for us in (0.0, consumer_us))
    # So many environments that the others have work for as long as the policy takes.
    batch = 32 * workers
    setting = Setting(4 * batch, workers, batch)
    rates: dict[str, list[float]] = {"alone": [], "with": []}
    for _ in range(lengths.turns):
        rates["alone"].append(alone(setting, lengths.turn))
        rates["with"].append(paced(setting, lengths.turn))
    medians = {name: statistics.median(taken) for name, taken in rates.items()}
    possible = min(medians["alone"], batch / consumer_us * 1e6)
    return {
        "task": HIDING_TASK,
        "consumer_us": consumer_us,
        "setting": dataclasses.asdict(setting),
        "alone_steps_per_s": medians["alone"],
        "steps_per_s": medians["with"],
        "ratio": medians["with"] / possible,
    }


def text_of(setting: dict[str, int]) -> str:
    """Returns a setting as text."""
    return "{num_envs} envs, batches of {batch_size}, {workers} threads".format(**setting)


def show(console: Console, chosen: Sequence[Any], hidden: Sequence[Any]) -> None:
    """Prints the tables."""
    table = make_table("The choice of tune beside the best of a grid")
    for heading in ("policy, us", "choice", "steps/s", "best of the grid", "steps/s", "ratio"):
        table.add_column(heading, justify="right")
    for row in chosen:
        table.add_row(
            row["task"],
            f"{row['consumer_us']:,.0f}",
            text_of(row["choice"]),
            format_rate(row["choice_steps_per_s"]),
            text_of(row["best"]),
            format_rate(row["best_steps_per_s"]),
            f"{row['ratio']:.3f}",
        )
    console.print(table)
    table = make_table("First-ready pools with a policy that waits")
    for heading in ("policy, us", "settings", "pool alone", "with the policy", "of the possible"):
        table.add_column(heading, justify="right")
    for row in hidden:
        table.add_row(
            row["task"],
            f"{row['consumer_us']:,.0f}",
            text_of(row["setting"]),
            format_rate(row["alone_steps_per_s"]),
            format_rate(row["steps_per_s"]),
            f"{row['ratio']:.3f}",
        )
    console.print(table)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.tuning", description="Compares tune's choice with a grid."
    )
    parser.add_argument("tasks", nargs="*", metavar="TASK", default=TASKS)
    parser.add_argument("--quick", action="store_true", help="does it run")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    given = parser.parse_args(argv)
    lengths = QUICK if given.quick else STANDARD
    console, errors = make_console(), make_console(stderr=True)
    chosen, hidden = [], []
    for task in given.tasks:
        for consumer_us in CONSUMERS_US:
            errors.print(f"{task}, policy of {consumer_us:,.0f} us", soft_wrap=True)
            chosen.append(compare(task, consumer_us, lengths))
    if HIDING_TASK in given.tasks:
        for consumer_us in CONSUMERS_US:
            errors.print(f"{HIDING_TASK}, policy that waits {consumer_us:,.0f} us", soft_wrap=True)
            hidden.append(hide(consumer_us, lengths))
    show(console, chosen, hidden)
    if given.json is not None:
        record = {"cpu": core.system_info()["cpu"], "chosen": chosen, "hidden": hidden}
        records.write(given.json, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
