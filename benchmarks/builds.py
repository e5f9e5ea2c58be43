"""Compares the step rates of two builds of this package: `python -m benchmarks.builds OLD`.

OLD is the Python interpreter of a build of another commit; the other build is that of `--new`, by
default of the interpreter that runs this program. Four processes take turns in the order A1 B1 B2
A2, where A is the old build and B the new one, so that slow changes of the machine's speed affect
both alike. A1 and A2 are the same build, so their ratio shows the noise of the measurement.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks import records
from benchmarks.cases import (
    ATARI_TASKS,
    BOX2D_TASKS,
    MUJOCO_TASKS,
    atari_suite,
    box2d_suite,
    mujoco_suite,
    standard_suite,
)
from envpool_py.cli.bench.case import Case

WORKER = Path(__file__).with_name("build_worker.py")

CONSUMERS_US = (1000.0,)
"""The times of a policy with which the first-ready cases are measured as well, microseconds."""


class BuildError(RuntimeError):
    """A worker process ended or gave no answer."""


class Build:
    """A worker process that steps pools of one build.

    Args:
        python: the build's interpreter.
        label: name of the build in messages.
    """

    def __init__(self, python: str, label: str) -> None:
        self._label = label
        # -I, because the worker's directory has modules with the names of libraries (mujoco).
        self._process = subprocess.Popen(
            [python, "-I", str(WORKER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Sends a request and returns the answer.

        Raises:
            BuildError: the process has ended.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise BuildError(f"{self._label}: ended with exit code {self._process.wait()}")
        decoded: dict[str, Any] = json.loads(answer)
        return decoded

    def rate(self, seconds: float) -> float:
        """Steps the open pool for `seconds`; returns environment steps per second."""
        answer = self.ask({"seconds": seconds})
        return float(answer["steps"]) / float(answer["ns"]) * 1e9

    def close(self) -> None:
        """Ends the process."""
        self._process.communicate()


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The rates of one case.

    Attributes:
        title: name of the case.
        old: environment steps per second of A1 and A2, one pair per turn.
        new: environment steps per second of B1 and B2, one pair per turn.
    """

    title: str
    old: list[tuple[float, float]]
    new: list[tuple[float, float]]

    @property
    def ratio(self) -> float:
        """The new build's rate divided by the old build's: the median over the turns."""
        return statistics.median(
            sum(new) / sum(old) for old, new in zip(self.old, self.new, strict=True)
        )

    @property
    def copy_ratio(self) -> float:
        """The rate of the old build's second process divided by that of its first."""
        return statistics.median(second / first for first, second in self.old)


def all_cases(num_threads: int) -> list[Case]:
    """Every case of `make bench`, `bench-atari`, `bench-mujoco` and `bench-box2d`.

    Includes CartPole with 256 environments also with one thread, and each first-ready case also
    with a consumer of `CONSUMERS_US`.
    """
    lines = (
        *standard_suite(num_threads),
        *atari_suite(ATARI_TASKS, num_threads),
        *mujoco_suite(list(MUJOCO_TASKS), num_threads),
        *box2d_suite(BOX2D_TASKS, num_threads),
    )
    cases = list({line.case.title: line.case for line in lines}.values())
    for case in list(cases):
        if case.first_ready:
            cases += [dataclasses.replace(case, consumer_us=us) for us in CONSUMERS_US]
        elif case.title.startswith("CartPole-v1, 256"):
            cases.append(dataclasses.replace(case, num_threads=1))
    return cases


def title_of(case: Case, num_threads: int) -> str:
    """The name of a case, with its number of threads unless this is the usual one."""
    usual = min(num_threads, case.num_envs)
    return case.title + ("" if case.num_threads == usual else f", {case.num_threads} thread")


def compare(
    builds: Sequence[Build], case: Case, title: str, turns: int, seconds: float
) -> Comparison | str:
    """Measures one case with A1, B1, B2 and A2; returns the reason as text if this fails."""
    for build in builds:
        answer = build.ask({"case": case.to_json()})
        if "error" in answer:
            return str(answer["error"])
    found = Comparison(title, [], [])
    for _ in range(turns):
        first_old, first_new, second_new, second_old = (build.rate(seconds) for build in builds)
        found.old.append((first_old, second_old))
        found.new.append((first_new, second_new))
    return found


def table_of(found: Iterable[Comparison]) -> Table:
    """The comparisons as a table."""
    table = Table(title="Steps per second of two builds")
    table.add_column("case")
    for name in ("old", "new", "new / old", "old / old"):
        table.add_column(name, justify="right")
    for each in found:
        rates = (statistics.median(map(statistics.mean, turns)) for turns in (each.old, each.new))
        table.add_row(
            each.title,
            *(f"{rate:,.0f}" for rate in rates),
            f"{each.ratio:.3f}",
            f"{each.copy_ratio:.3f}",
        )
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the comparison, prints a table and writes the file of `--json`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.builds", description=__doc__)
    parser.add_argument("old", help="Python interpreter of the old build")
    parser.add_argument("--new", default=sys.executable, help="that of the new one")
    parser.add_argument("--num-threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=4, help="turns of each case")
    parser.add_argument("--seconds", type=float, default=0.4, help="length of a measurement")
    parser.add_argument("--only", default="", help="the cases whose title contains this text")
    parser.add_argument("--json", type=Path, help="file for the rates of every turn")
    options = parser.parse_args(arguments)
    console = Console()
    cases = [
        (case, title)
        for case in all_cases(options.num_threads)
        if options.only in (title := title_of(case, options.num_threads))
    ]
    found: list[Comparison] = []
    with contextlib.ExitStack() as stack, Progress(console=console, transient=True) as progress:
        pairs = ((options.old, "old"), (options.new, "new"))
        builds = [Build(python, label) for python, label in (*pairs, *reversed(pairs))]
        for build in builds:
            stack.callback(build.close)
        task = progress.add_task("", total=len(cases))
        for case, title in cases:
            progress.update(task, description=title)
            result = compare(builds, case, title, options.turns, options.seconds)
            if isinstance(result, str):
                console.print(f"{title}: not measured: {result}", highlight=False)
            else:
                found.append(result)
            progress.advance(task)
    console.print(table_of(found))
    if options.json:
        records.write(options.json, [dataclasses.asdict(each) for each in found])
    return 0


if __name__ == "__main__":
    sys.exit(main())
