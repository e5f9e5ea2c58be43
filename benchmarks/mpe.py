"""`python -m benchmarks.mpe`: compares MPE2 scenarios with MPE2; see `make bench-arena`.

Measures step rates of pools, and of MPE2's environments with PettingZoo's parallel API, which one
thread steps one after another. Prints a table and the floors with PASS or MISS. Writes every sample
to `results/NAME.json` and a plot of the rates to `results/NAME.png`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks import run, tables
from benchmarks.cases import MPE_TASKS, checks, mpe_suite
from envpool_py.cli.bench import report
from envpool_py.cli.output import make_console
from envpool_py.pool import core


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = run.parse_family("mpe", "MPE2 scenarios", tuple(MPE_TASKS), argv)
    out, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    timing = run.make_timing(arguments)
    num_threads = arguments.num_threads or min(2, len(system["cpus"]))
    lines = mpe_suite(arguments.tasks, num_threads)
    try:
        rates = run.measure_lines(lines, timing, num_threads, system["cpu"], errors)
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = checks(lines, rates)
    for table in (tables.rate_table(rates), tables.floor_table(found)):
        if table.row_count:
            out.print(table)
    for text in report.problems(rates):
        errors.print(text, soft_wrap=True)
    run.write_results(arguments.name, run.make_record(rates, found, timing, system))
    return run.exit_code(arguments, found)


if __name__ == "__main__":
    sys.exit(main())
