"""`python -m benchmarks.samplers`: rollouts of this package beside Sample Factory's sampler.

    python -m benchmarks.samplers --sample-factory PYTHON [--quick] [--rounds R] [--name NAME]

Both use the same environments, the same network on the processor and as many workers, and learn
nothing. Rounds alternate, each measurement in a process of its own (`ours.py`,
`with_sample_factory.py`). Prints a table, and writes every sample to `results/NAME.json`.
`make bench-peers` installs what it needs.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.console import Console

from benchmarks import records
from benchmarks.child import ROOT, run_child
from benchmarks.run import add_name
from benchmarks.tables import make_table
from envpool_py.cli.arguments import positive_int
from envpool_py.cli.bench.report import format_rate, format_ratio
from envpool_py.cli.bench_command import positive_seconds
from envpool_py.cli.output import make_console
from envpool_py.pool import core

OURS = "envpool_py"
# Starting Sample Factory's processes takes ten seconds.
_START_S = 120.0


@dataclass(frozen=True)
class Case:
    """A task, and the size of a sampler."""

    task: str
    num_envs: int
    length: int  # steps of each environment in a rollout

    @property
    def title(self) -> str:
        """Name in the table."""
        return f"{self.task}, {self.num_envs} envs"


CASES = (Case("CartPole-v1", 32, 20), Case("CartPole-v1", 256, 20), Case("Pong-v5", 32, 20))


class MeasurementError(Exception):
    """A process gave no result."""


@dataclass
class Sampler:
    """One participant.

    Attributes:
        title: name in the table.
        command: the command that measures it, without the arguments of a case.
        rates: steps per second, one per round.
        versions: versions of its packages.
        problem: why it has no result.
    """

    title: str
    command: Sequence[str]
    rates: list[float] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    problem: str | None = None

    @property
    def rate(self) -> float | None:
        """Median steps per second."""
        return statistics.median(self.rates) if self.rates else None

    def measure(self, case: Case, workers: int, seconds: float) -> None:
        """Measures once. After a failure, stores the reason in `problem` and measures no more."""
        if self.problem is not None:
            return
        values = {
            "--task": case.task,
            "--num-envs": case.num_envs,
            "--length": case.length,
            "--workers": workers,
            "--seconds": seconds,
        }
        arguments = [str(part) for pair in values.items() for part in pair]
        try:
            printed = run_child(
                [*self.command, *arguments], _START_S + 4 * seconds, MeasurementError
            )
        except MeasurementError as error:
            self.problem = str(error)
            return
        result: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
        self.versions = result["versions"]
        self.rates.append(result["steps"] / result["seconds"])


def make_samplers(sample_factory: str) -> list[Sampler]:
    """Returns the participants, ours first."""
    other = [sample_factory, "-m", "benchmarks.samplers.with_sample_factory"]
    return [
        Sampler(OURS, [sys.executable, "-m", "benchmarks.samplers.ours"]),
        Sampler("Sample Factory", other),
        Sampler("Sample Factory, batched", [*other, "--batched"]),
    ]


def measure(
    case: Case, sample_factory: str, workers: int, seconds: float, rounds: int, errors: Console
) -> list[Sampler]:
    """Measures all participants of a case in turn."""
    found = make_samplers(sample_factory)
    for turn in range(rounds):
        for each in found:
            errors.print(f"{case.title}: {each.title}, {turn + 1} of {rounds}", soft_wrap=True)
            each.measure(case, workers, seconds)
            if each.problem is not None and turn == 0:
                errors.print(f"{each.title} gave no result: {each.problem}", soft_wrap=True)
    return found


def show(console: Console, results: Sequence[tuple[Case, Sequence[Sampler]]]) -> None:
    """Prints the table."""
    table = make_table("Steps per second with a policy; below the others', how many times ours is")
    for each in results[0][1]:
        table.add_column(each.title, justify="right")
    for case, found in results:
        ours = found[0].rate
        cells = []
        for each in found:
            if each.rate is None:
                cells.append("")
            elif each.title == OURS or ours is None:
                cells.append(format_rate(each.rate))
            else:
                cells.append(f"{format_rate(each.rate)}\n{format_ratio(ours / each.rate)}")
        table.add_row(case.title, *cells)
    console.print(table)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code: 1 if ours gave no result."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.samplers",
        description="Rollouts beside Sample Factory's sampler.",
    )
    parser.add_argument(
        "--sample-factory",
        required=True,
        metavar="PYTHON",
        help="interpreter of an environment with Sample Factory",
    )
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their title")
    parser.add_argument("--seconds", type=positive_seconds, metavar="S", help="of a turn (10)")
    parser.add_argument("--rounds", type=positive_int, metavar="R", help="turns of each (3)")
    add_name(parser, "latest.samplers")
    given = parser.parse_args(argv)
    seconds = given.seconds or (3.0 if given.quick else 10.0)
    rounds = given.rounds or (1 if given.quick else 3)
    console, errors = make_console(), make_console(stderr=True)
    cases = [case for case in CASES if given.only.lower() in case.title.lower()]
    if not cases:
        errors.print(f"benchmarks: no case has {given.only!r} in its title", soft_wrap=True)
        return 2
    workers = min(2, len(core.system_info()["cpus"]))
    results = [
        (case, measure(case, given.sample_factory, workers, seconds, rounds, errors))
        for case in cases
    ]
    show(console, results)
    record = {
        "cpu": core.system_info()["cpu"],
        "python": platform.python_version(),
        "workers": workers,
        "seconds": seconds,
        "cases": [
            {
                **asdict(case),
                "samplers": [
                    {
                        "title": each.title,
                        "steps_per_s": each.rate,
                        "rates": each.rates,
                        "versions": each.versions,
                        "problem": each.problem,
                    }
                    for each in found
                ],
            }
            for case, found in results
        ],
    }
    path = records.RESULTS / f"{given.name}.json"
    records.write(path, record)
    errors.print(f"wrote {path.relative_to(ROOT)}", soft_wrap=True)
    return 1 if any(found[0].problem for _, found in results) else 0


if __name__ == "__main__":
    sys.exit(main())
