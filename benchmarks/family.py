"""The benchmark of a family: the rates of its tasks, and the time and memory of large pools.

Prints a table of each and the floors with PASS or MISS. Writes every sample to `results/NAME.json`
and a plot of the rates to `results/NAME.png`.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Mapping, Sequence

from rich.console import Console

from benchmarks import pool_cost, run, tables
from benchmarks.cases import Check, SuiteCase, check, checks
from benchmarks.pool_cost import PoolCost
from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.output import make_console
from envpool_py.pool import core

POOL_ENVS = 1000
"""Environments of the pools whose time and memory are measured."""
QUICK_ENVS = 64
"""Environments of other libraries' pools with `--quick`."""


@dataclasses.dataclass(frozen=True)
class Pools:
    """What is measured of pools of `POOL_ENVS` environments.

    Attributes:
        most_make_s: most seconds that making one may take.
        peers: the other libraries, with the number of their environments.
    """

    most_make_s: float
    peers: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class Family:
    """What is measured of a family.

    Attributes:
        name: of the module `benchmarks.<name>` and of the results, `latest.<name>`.
        what: its tasks, in the plural, for the help text.
        tasks: the ids that are measured by default.
        suite: returns the cases of some tasks, for pools of some number of threads.
        pools: what is measured of large pools; None: nothing.
    """

    name: str
    what: str
    tasks: Sequence[str]
    suite: Callable[[Sequence[str], int], list[SuiteCase]]
    pools: Pools | None = None

    def parse(self, argv: Sequence[str] | None) -> argparse.Namespace:
        """Parses the arguments."""
        return run.parse_family(self.name, self.what, self.tasks, argv)

    def main(self, argv: Sequence[str] | None = None) -> int:
        """Measures, prints and writes; returns the exit code."""
        arguments = self.parse(argv)
        out, errors = make_console(), make_console(stderr=True)
        system = core.system_info()
        timing = run.make_timing(arguments)
        num_threads = arguments.num_threads or min(2, len(system["cpus"]))
        lines = self.suite(arguments.tasks, num_threads)
        costs: dict[str, list[PoolCost]] = {}
        try:
            rates = run.measure_lines(lines, timing, num_threads, system["cpu"], errors)
            for task in arguments.tasks if self.pools else ():
                cases = self.pool_cases(task, lines, arguments.quick)
                costs[task] = pool_cost.show_and_measure(cases, timing.rounds, errors)
        except KeyboardInterrupt:
            errors.print("benchmarks: interrupted")
            return 130
        found = [*checks(lines, rates), *self.pool_checks(costs)]
        show(out, rates, costs, found)
        for text in problems(rates, costs):
            errors.print(text, soft_wrap=True)
        pools = [
            {
                "task": task,
                "num_threads": num_threads,
                "libraries": [cost.to_json() for cost in some],
            }
            for task, some in costs.items()
        ]
        record = run.make_record(rates, found, timing, system)
        run.write_results(arguments.name, {**record, "pools": pools} if self.pools else record)
        return run.exit_code(arguments, found)

    def pool_cases(self, task: str, lines: Sequence[SuiteCase], quick: bool) -> dict[str, Case]:
        """The cases of the measurements of time and memory, by library."""
        assert self.pools is not None
        line = next(line for line in lines if line.case.task == task)
        sizes = {OURS: POOL_ENVS}
        for peer, size in self.pools.peers.items():
            if peer in line.peers:
                sizes[peer] = min(size, QUICK_ENVS) if quick else size
        return {
            name: dataclasses.replace(line.case, num_envs=size, batch_size=size)
            for name, size in sizes.items()
        }

    def pool_checks(self, costs: Mapping[str, Sequence[PoolCost]]) -> list[Check]:
        """Compares pools, by task, with their floor."""
        assert self.pools is not None or not costs
        found = []
        for task, some in costs.items():
            ours = next((cost for cost in some if cost.name == OURS), None)
            made = ours.median("make_s") if ours else None
            title = f"{task}, {POOL_ENVS:,} envs"
            most = self.pools.most_make_s if self.pools else 0.0
            found.append(check(title, "s to make", made, most, at_least=False))
        return found


def problems(rates: Sequence[CaseResult], costs: Mapping[str, Sequence[PoolCost]]) -> list[str]:
    """One line for each failed measurement."""
    return report.problems(rates) + [
        f"{task}, {text}" for task, some in costs.items() for text in pool_cost.problems(some)
    ]


def show(
    out: Console,
    rates: Sequence[CaseResult],
    costs: Mapping[str, Sequence[PoolCost]],
    found: Sequence[Check],
) -> None:
    """Prints the tables, except empty ones."""
    for table in (
        tables.rate_table(rates),
        *(pool_cost.pool_table(task, some) for task, some in costs.items()),
        tables.floor_table(found),
    ):
        if table.row_count:
            out.print(table)
