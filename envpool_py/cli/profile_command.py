"""`envpool-py bench TASK --profile`: what the threads of a pool do."""

from __future__ import annotations

import argparse

from envpool_py.cli.bench import profiling
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.plot import PlotError
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench_output import WARMUP_SECONDS
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import EnvPoolError

__all__ = ["run"]


def run(case: Case, arguments: argparse.Namespace) -> int:
    """Measures in this process, prints the tables and writes the files; returns the exit code."""
    warmup = min(WARMUP_SECONDS, arguments.seconds)
    try:
        result = profiling.run(case, arguments.seconds, warmup)
    except EnvPoolError as error:
        raise UsageError(str(error)) from error
    stats = result.profile.stats()
    console, errors = make_console(), make_console(stderr=True)
    rate = result.recorded[-1].steps_per_s
    title = f"{case.title}, {case.num_threads} threads: {format_rate(rate)} steps/s"
    console.print(profiling.thread_table(title, stats))
    console.print(profiling.distribution_table(stats))
    console.print(f"recording changed the rate by {-result.cost:+.1%}")
    try:
        if arguments.trace is not None:
            result.profile.save_trace(arguments.trace)
            errors.print(f"wrote {arguments.trace}", soft_wrap=True)
        if arguments.plot is not None:
            profiling.draw(result.profile, title, arguments.plot)
            errors.print(f"wrote {arguments.plot}", soft_wrap=True)
    except PlotError as error:
        errors.print(f"no plot: {error}", soft_wrap=True)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    return 0
