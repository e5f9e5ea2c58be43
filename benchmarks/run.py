"""`python -m benchmarks.run`: measures the standard cases; `make bench` sets up and calls it.

Prints a table of all cases, the ratio of each result to a plain C++ loop, and the floors with PASS
or MISS. Writes every sample to `results/NAME.json` and a plot to `results/NAME.png`.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import plain_loop, records, tables
from benchmarks.cases import Check, SuiteCase, checks, standard_suite
from benchmarks.plain_loop import PlainLoop
from envpool_py.cli.arguments import positive_int
from envpool_py.cli.bench import plot, report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, KeptWorkers, Timing, run_case
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.sample import Outcome
from envpool_py.cli.bench_command import positive_seconds
from envpool_py.cli.output import make_console
from envpool_py.errors import suggestion
from envpool_py.pool import core

_ROOT = Path(__file__).resolve().parents[1]

_STANDARD = Timing(seconds=0.8, warmup_seconds=0.2, rounds=3)
_QUICK = Timing(seconds=0.2, warmup_seconds=0.05, rounds=1)


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The arguments, checked."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description="Measures the standard cases."
    )
    add_arguments(parser)
    add_only(parser)
    add_name(parser, "latest")
    return parser.parse_args(argv)


def add_only(parser: argparse.ArgumentParser) -> None:
    """Adds `--only`, which selects cases."""
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only cases whose title contains TEXT"
    )


def add_name(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds `--name`, the name of the results; git ignores the default, `latest` or `latest.*`."""
    parser.add_argument(
        "--name", default=default, metavar="NAME", help="name of the results (%(default)s)"
    )


def add_arguments(parser: argparse.ArgumentParser, *, threads: bool = True) -> None:
    """Adds the arguments that all benchmarks of step rates share, and `--num-threads`."""
    parser.add_argument(
        "--quick", action="store_true", help="one short round: does it run, and roughly how fast"
    )
    parser.add_argument(
        "--seconds",
        type=positive_seconds,
        metavar="S",
        help=f"length of one measurement ({_STANDARD.seconds})",
    )
    parser.add_argument(
        "--rounds",
        type=positive_int,
        metavar="R",
        help=f"measurements of each library ({_STANDARD.rounds})",
    )
    if threads:
        parser.add_argument(
            "--num-threads",
            type=positive_int,
            metavar="T",
            help="threads of a pool (2, as the floors say, or 1 where there is one cpu)",
        )
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a floor is missed or not measured"
    )


def parse_family(
    family: str,
    what: str,
    tasks: Sequence[str],
    argv: Sequence[str] | None,
    task: Callable[[str], str] | None = None,
) -> argparse.Namespace:
    """Parses the arguments of a family's benchmark.

    Args:
        family: name of the module `benchmarks.<family>` and of the results, `latest.<family>`.
        what: name of the measured tasks, in the plural, for the help text.
        tasks: the tasks that are measured by default.
        argv: the arguments. None: those of the process.
        task: function that checks a task from the command line. None: one of `tasks`.
    """

    def one_of(text: str) -> str:
        if text in tasks:
            return text
        near = suggestion(text, tasks) or f", one of {' '.join(tasks)}"
        raise argparse.ArgumentTypeError(f"expected a task of this benchmark, got {text!r}{near}")

    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{family}", description=f"Measures {what} beside the peers."
    )
    parser.add_argument(
        "tasks", nargs="*", metavar="TASK", type=task or one_of, help=f"which ({' '.join(tasks)})"
    )
    add_arguments(parser)
    add_name(parser, f"latest.{family}")
    arguments = parser.parse_args(argv)
    arguments.tasks = tuple(dict.fromkeys(arguments.tasks)) or tuple(tasks)
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = parse(argv)
    num_threads = arguments.num_threads or min(2, len(core.system_info()["cpus"]))
    return run_suite(standard_suite(num_threads), arguments, num_threads)


def run_suite(
    suite: Sequence[SuiteCase], arguments: argparse.Namespace, num_threads: int | None
) -> int:
    """Measures the cases that `--only` selects, prints and writes; returns the exit code.

    `num_threads` None: the pools choose.
    """
    console, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    timing = make_timing(arguments)
    lines = [line for line in suite if arguments.only.lower() in line.case.title.lower()]
    if not lines:
        errors.print(f"benchmarks: no case has {arguments.only!r} in its title", soft_wrap=True)
        return 2
    try:
        results = measure_lines(lines, timing, num_threads, system["cpu"], errors)
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = checks(lines, results)
    tables.show(console, lines, results, found)
    for text in report.problems(results):
        errors.print(text, soft_wrap=True)
    write_results(arguments.name, make_record(results, found, timing, system))
    return exit_code(arguments, found)


def exit_code(arguments: argparse.Namespace, found: Sequence[Check]) -> int:
    """1 if `--check` was given and a floor is missed or not measured."""
    missed = any(check.verdict != "PASS" for check in found)
    return 1 if arguments.check and missed else 0


def make_timing(arguments: argparse.Namespace) -> Timing:
    """Length and number of measurements: the defaults, those of `--quick`, or the arguments'."""
    base = _QUICK if arguments.quick else _STANDARD
    seconds = arguments.seconds or base.seconds
    return Timing(seconds, min(base.warmup_seconds, seconds), arguments.rounds or base.rounds)


def measure_lines(
    lines: Sequence[SuiteCase], timing: Timing, num_threads: int | None, cpu: str, errors: Console
) -> list[CaseResult]:
    """Announces the measurements, and makes them."""
    turns = timing.rounds * sum(len(line.participants) for line in lines)
    lengths = sorted({timing.seconds * line.length for line in lines})
    errors.print(
        f"{len(lines)} cases, {turns} measurements of "
        f"{' or '.join(f'{length:g}' for length in lengths)} s in turn, "
        f"{'' if num_threads is None else f'{num_threads} threads '}on {cpu}",
        soft_wrap=True,
    )
    return measure(lines, timing, TurnProgress(errors, turns))


def measure(lines: Sequence[SuiteCase], timing: Timing, progress: TurnProgress) -> list[CaseResult]:
    """Measures the cases one after another, the participants of each in turn."""
    with tempfile.TemporaryDirectory() as build_dir, progress, KeptWorkers() as workers:
        loops = {line.limit: PlainLoop(line.limit, Path(build_dir)) for line in lines if line.limit}
        for loop in loops.values():
            loop.build()
        return [_measure_line(line, loops, timing, workers, progress) for line in lines]


def _measure_line(
    line: SuiteCase,
    loops: Mapping[str, PlainLoop],
    timing: Timing,
    workers: KeptWorkers,
    progress: TurnProgress,
) -> CaseResult:
    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        if line.limit is not None and name == plain_loop.NAME:
            return loops[line.limit].launch(case, timing)
        return workers.launch(name, case, timing)

    longer = dataclasses.replace(
        timing,
        seconds=timing.seconds * line.length,
        warmup_seconds=timing.warmup_seconds * line.length,
    )
    progress.case(line.case.title)
    return run_case(line.case, line.participants, longer, launch, progress.start, progress.end)


def make_record(
    results: Sequence[CaseResult],
    found: Sequence[Check],
    timing: Timing,
    system: Mapping[str, Any],
) -> dict[str, Any]:
    """The record of the run, including floors."""
    source = report.source_record(_ROOT)
    record = report.record(results, timing, system, source, core.version)
    return {**record, "floors": [check.to_json() for check in found]}


def write_results(
    name: str,
    record: Mapping[str, Any],
    draw: Callable[[Mapping[str, Any], Path], None] = plot.draw,
) -> None:
    """Writes the record and its plot to `results`."""
    errors = make_console(stderr=True)
    json_path, plot_path = records.RESULTS / f"{name}.json", records.RESULTS / f"{name}.png"
    records.write(json_path, record)
    errors.print(f"wrote {_shown(json_path)}", soft_wrap=True)
    try:
        draw(record, plot_path)
        errors.print(f"wrote {_shown(plot_path)}", soft_wrap=True)
    except plot.PlotError as error:
        errors.print(f"no plot: {error}", soft_wrap=True)


def _shown(path: Path) -> Path:
    return path.relative_to(_ROOT)


if __name__ == "__main__":
    sys.exit(main())
