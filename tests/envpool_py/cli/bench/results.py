"""Makes samples, results and records for the tests of the benchmarks."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, Result, Timing
from envpool_py.cli.bench.sample import Sample

CASE = Case("CartPole-v1", num_envs=4, batch_size=4, num_threads=1)
SHORT = Timing(seconds=0.005, warmup_seconds=0.0, rounds=1)
MS = 1_000_000  # ns
MACHINE = {
    "cpu": "Some CPU",
    "cpus": [0, 1],
    "numa_nodes": [{"id": 0, "cpus": [0, 1]}],
    "default_num_threads": 2,
    "compiler": "g++ 12",
    "build_type": "Release",
}


def sample(rate: float, calls: int = 10) -> Sample:
    """Returns a sample of one second at `rate` steps per second."""
    return Sample(calls=calls, rows=int(rate), wall_ns=1_000 * MS, cpu_ns=0)


def result_of(rates: Mapping[str, Iterable[float]], case: Case = CASE) -> CaseResult:
    return CaseResult(
        case, [Result(name, [sample(rate) for rate in values]) for name, values in rates.items()]
    )


def record_of(*results: CaseResult) -> dict[str, Any]:
    return report.record(results, Timing(1.0, 0.1, 3), MACHINE, {"commit": None}, "1.2.3")


def text_of(table: Table, width: int = 200) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()
