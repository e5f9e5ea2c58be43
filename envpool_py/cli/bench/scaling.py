"""Step rates from one thread to all processors: cases, table and record.

Every number of threads is measured in ordered and in first-ready mode, with the same number of
environments per thread. A participant's efficiency is its rate divided by the rate of perfect
scaling: the number of threads times its rate with one thread, in the same mode.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import OURS, default_peers
from envpool_py.cli.bench.report import format_rate, title_of

__all__ = [
    "ENVS_PER_THREAD",
    "MODES",
    "Point",
    "cases",
    "curves",
    "mode_of",
    "peers_of",
    "record_of",
    "table",
    "thread_counts",
]

MODES = ("ordered", "first-ready")
ENVS_PER_THREAD = 8

# Peers whose number of threads can be set.
_THREADED = ("envpool", "ale-py")


@dataclasses.dataclass(frozen=True)
class Point:
    """The result of one participant in one mode with one number of threads.

    Attributes:
        threads: threads that step environments.
        steps_per_s: the median; None if it could not be measured.
        efficiency: fraction of perfect scaling, 1.0 with one thread; None if one of the two rates
            is missing.
    """

    threads: int
    steps_per_s: float | None
    efficiency: float | None


Curves = dict[str, dict[str, list[Point]]]
"""By mode and participant: the points in order of threads."""


def thread_counts(most: int) -> list[int]:
    """Returns 1, 2, 4, ... and `most`, which is at least 1."""
    counts = [1]
    while counts[-1] * 2 <= most:
        counts.append(counts[-1] * 2)
    return counts if counts[-1] == most else [*counts, most]


def cases(case: Case, envs_per_thread: int) -> list[Case]:
    """Returns the cases to measure: both modes for each number of threads up to the case's.

    In first-ready mode a batch has half of the environments, so that the other half is stepped
    while a batch is used. `envs_per_thread` is at least 2.
    """
    sized = []
    for threads in thread_counts(case.num_threads):
        envs = threads * envs_per_thread
        for batch in (envs, envs // 2):
            sized.append(
                dataclasses.replace(case, num_envs=envs, batch_size=batch, num_threads=threads)
            )
    return sized


def peers_of(case: Case) -> tuple[str, ...]:
    """Returns the peers that take part by default: those with several threads."""
    return tuple(name for name in default_peers(case) if name in _THREADED)


def mode_of(case: Case) -> str:
    """Returns one of `MODES`."""
    return MODES[case.first_ready]


def curves(results: Sequence[CaseResult]) -> Curves:
    """Returns the curves of all participants, from the results of `cases`."""
    lines: Curves = {mode: {} for mode in MODES}
    for result in results:
        line = lines[mode_of(result.case)]
        for entry in result.results:
            points = line.setdefault(entry.name, [])
            threads, rate = result.case.num_threads, entry.steps_per_s
            single = points[0].steps_per_s if points else rate  # the first case has one thread
            known = rate is not None and single is not None
            efficiency = rate / (threads * single) if known else None  # type: ignore[operator]
            points.append(Point(threads, rate, efficiency))
    return lines


def table(task: str, lines: Mapping[str, Mapping[str, Sequence[Point]]]) -> Table:
    """One row per mode, number of threads and participant."""
    made = Table(title=f"{task}, scaling", title_justify="left", box=box.SIMPLE_HEAD)
    for column in ("mode", "threads"):
        made.add_column(column, no_wrap=True)
    names = list(dict.fromkeys(name for line in lines.values() for name in line))
    for name in names:
        made.add_column(title_of(name), justify="right", no_wrap=True)
        made.add_column("efficiency", justify="right", no_wrap=True)
    for mode, line in lines.items():
        for index, threads in enumerate(point.threads for point in line[OURS]):
            row = [mode, str(threads)]
            for name in names:
                point = line[name][index]
                rate, share = point.steps_per_s, point.efficiency
                row.append("" if rate is None else format_rate(rate))
                row.append("" if share is None else f"{share:.2f}")
            made.add_row(*row)
    return made


def record_of(
    lines: Mapping[str, Mapping[str, Sequence[Point]]], envs_per_thread: int
) -> dict[str, Any]:
    """Returns the curves as a JSON object."""
    return {
        "envs_per_thread": envs_per_thread,
        "curves": {
            mode: {
                name: [dataclasses.asdict(point) for point in points]
                for name, points in line.items()
            }
            for mode, line in lines.items()
        },
    }
