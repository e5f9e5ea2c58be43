"""`python -m benchmarks.python_envs`: environments in Python beside other libraries' pools.

Measures the environments of `python_tasks.py`; see `make bench-python`. Prints a table of the step
rates and the floors with PASS or MISS. Writes every sample to `results/NAME.json` and a plot to
`results/NAME.png`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import run, tables
from benchmarks.cases import checks, python_suite
from envpool_py import _core
from envpool_py.bench import report
from envpool_py.cli.output import make_console


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.python_envs",
        description="Measures environments in Python beside the peers.",
    )
    run.add_arguments(parser, threads=False)
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only cases whose title contains TEXT"
    )
    run.add_name(parser, "latest.python")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = parse(argv)
    console, errors = make_console(), make_console(stderr=True)
    system = _core.system_info()
    timing = run.make_timing(arguments)
    lines = [line for line in python_suite() if arguments.only.lower() in line.case.title.lower()]
    if not lines:
        errors.print(f"benchmarks: no case has {arguments.only!r} in its title", soft_wrap=True)
        return 2
    try:
        results = run.measure_lines(lines, timing, None, system["cpu"], errors)
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = [
        check for line, result in zip(lines, results, strict=True) for check in checks(line, result)
    ]
    tables.show(console, lines, results, found)
    for text in report.problems(results):
        errors.print(text, soft_wrap=True)
    run.write_results(arguments.name, run.make_record(results, found, timing, system))
    missed = any(check.verdict != "PASS" for check in found)
    return 1 if arguments.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
