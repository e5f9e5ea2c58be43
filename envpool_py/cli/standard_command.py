"""`envpool-py bench` without a task: the cases that a reader knows, on all processors."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from envpool_py.authoring.paths import package_root
from envpool_py.cli.bench import report, standard, standard_plot
from envpool_py.cli.bench.measure import CaseResult, KeptWorkers, Timing, run_case
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench_output import write_files
from envpool_py.cli.output import UsageError, make_console
from envpool_py.pool import core

__all__ = ["DEFAULT_ROUNDS", "DEFAULT_SECONDS", "run"]

DEFAULT_SECONDS, DEFAULT_ROUNDS = 0.3, 3
_WARMUP_SECONDS = 0.1
# Starting a process and a library, making environments, and the first reset.
_START_SECONDS = 1.1
_NOT_WITH = (
    "num_envs", "batch_size", "against", "consumer_us", "consumer_waits", "scaling",
    "envs_per_thread", "profile", "trace",
)  # fmt: skip


def run(arguments: argparse.Namespace, system: dict[str, Any]) -> int:
    """Measures, prints tables and a sentence, writes the files.

    Returns 1 if ours could not be measured in any case.
    """
    for name in _NOT_WITH:
        if getattr(arguments, name):
            raise UsageError(f"--{name.replace('_', '-')}: needs a TASK")
    threads = arguments.num_threads or system["default_num_threads"]
    seconds = arguments.seconds or DEFAULT_SECONDS
    timing = Timing(seconds, min(_WARMUP_SECONDS, seconds), arguments.rounds or DEFAULT_ROUNDS)
    lines, scaling = standard.lines(threads), standard.scaling_lines(threads)
    cases = [line.case for line in lines]
    further = [line for line in scaling if line.case not in cases]
    errors = make_console(stderr=True)
    turns = timing.rounds * sum(len(line.participants) for line in (*lines, *further))
    errors.print(
        f"{len(lines)} cases and {len(scaling)} points of a scaling line with up to {threads} "
        f"threads on {system['cpu']}: {turns} measurements, about "
        f"{_minutes((*lines, *further), timing):.0f} minutes",
        soft_wrap=True,
    )
    with TurnProgress(errors, turns) as progress, KeptWorkers() as workers:
        results, measured = (
            [_measured(line, timing, workers, progress) for line in each]
            for each in (lines, further)
        )
    by_case = [(result.case, result) for result in (*results, *measured)]
    points = [next(result for case, result in by_case if case == line.case) for line in scaling]
    console = make_console()
    console.print(standard.table(results, threads))
    console.print(standard.scaling_table(points))
    for line in report.problems(results):
        errors.print(line, soft_wrap=True)
    said = standard.sentence(results, system["cpu"], len(system["cpus"]))
    if said is not None:
        console.print(said, soft_wrap=True)
    source = report.source_record(Path(package_root()))
    record = {
        **report.record(results, timing, system, source, core.version),
        "scaling": [result.to_json() for result in points],
        "sentence": said,
    }
    write_files(arguments.json, arguments.plot, record, standard_plot.draw)
    return 0 if all(_ours_measured(result) for result in results) else 1


def _measured(
    line: standard.Line, timing: Timing, workers: KeptWorkers, progress: TurnProgress
) -> CaseResult:
    longer = dataclasses.replace(timing, seconds=timing.seconds * line.length)
    progress.case(line.case.title)
    return run_case(
        line.case, line.participants, longer, workers.launch, progress.start, progress.end
    )


def _minutes(lines: Sequence[standard.Line], timing: Timing) -> float:
    def seconds(line: standard.Line) -> float:
        turn = timing.warmup_seconds + timing.seconds * line.length
        return len(line.participants) * (_START_SECONDS + timing.rounds * turn)

    return max(sum(map(seconds, lines)) / 60, 1.0)


def _ours_measured(result: CaseResult) -> bool:
    ours = result.find(OURS)
    return ours is not None and (ours.problem is None or ours.problem.status == "unavailable")
