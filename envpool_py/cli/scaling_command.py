"""`envpool-py bench TASK --scaling`: step rates from one thread to all processors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from envpool_py.authoring.paths import package_root
from envpool_py.cli.bench import report, scaling, scaling_plot
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing, launch_worker, run_case
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench_output import WARMUP_SECONDS, write_files
from envpool_py.cli.output import UsageError, make_console
from envpool_py.pool import core

__all__ = ["run"]


def run(case: Case, arguments: argparse.Namespace, system: dict[str, Any]) -> int:
    """Measures, prints the table, writes the files; returns 1 if ours could not be measured."""
    if case.in_python:
        raise UsageError(
            f"--scaling: not supported for {case.task}, whose environments are written in Python"
        )
    envs_per_thread = arguments.envs_per_thread or scaling.ENVS_PER_THREAD
    peers = scaling.peers_of(case) if arguments.against is None else arguments.against
    participants = (OURS, *peers)
    sized = scaling.cases(case, envs_per_thread)
    warmup = min(WARMUP_SECONDS, arguments.seconds)
    timing = Timing(arguments.seconds, warmup, arguments.rounds)
    errors = make_console(stderr=True)
    results = []
    with TurnProgress(errors, timing.rounds * len(participants) * len(sized)) as progress:
        for one in sized:
            progress.case(f"{one.title}, {one.num_threads} threads")
            results.append(
                run_case(one, participants, timing, launch_worker, progress.start, progress.end)
            )
    lines = scaling.curves(results)
    make_console().print(scaling.table(case.task, lines))
    for line in report.problems(results):
        errors.print(line, soft_wrap=True)
    source = report.source_record(Path(package_root()))
    record = {
        **report.record(results, timing, system, source, core.version),
        "scaling": scaling.record_of(lines, envs_per_thread),
    }
    write_files(arguments.json, arguments.plot, record, scaling_plot.draw)
    measured = all(point.steps_per_s is not None for line in lines.values() for point in line[OURS])
    return 0 if measured else 1
