"""`python -m benchmarks.python_envs`: compares pools of environments written in Python.

Measures the environments of `python_tasks.py`; see `make bench-python`. Prints a table of the step
rates and the floors with PASS or MISS. Writes every sample to `results/NAME.json` and a plot to
`results/NAME.png`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import run
from benchmarks.cases import python_suite


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.python_envs",
        description="Measures environments in Python beside the peers.",
    )
    run.add_arguments(parser, threads=False)
    run.add_only(parser)
    run.add_name(parser, "latest.python")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    return run.run_suite(python_suite(), parse(argv), None)


if __name__ == "__main__":
    sys.exit(main())
