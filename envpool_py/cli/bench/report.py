"""Formats results: the printed table, and the record that is written to files."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich import box
from rich.table import Table

from envpool_py.cli.bench.measure import CaseResult, Result, Timing
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS

__all__ = [
    "SCHEMA",
    "comparison_table",
    "format_rate",
    "format_ratio",
    "problems",
    "record",
    "run_record",
    "source_record",
    "title_of",
]

SCHEMA = 1
"""Version of the record's layout; increased by changes that readers of the record must handle."""


def title_of(name: str) -> str:
    """The name of participant `name` in tables and plots."""
    participant = PARTICIPANTS.get(name)
    return participant.title if participant else name


def format_rate(per_second: float) -> str:
    """A rate in three digits: "980", "60.7 k", "2.69 M"."""
    for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        # From 999.5 on, rounding to three digits reaches the next unit.
        if per_second >= 0.9995 * scale:
            return f"{_three_digits(per_second / scale)} {unit}"
    return _three_digits(per_second)


def format_ratio(ratio: float) -> str:
    """A ratio in three digits: "12.4x"."""
    return f"{_three_digits(ratio)}x"


def _three_digits(value: float) -> str:
    if value >= 99.95:
        return f"{value:,.0f}"
    if value >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 0.0995 else f"{value:.2g}"


def comparison_table(result: CaseResult) -> Table:
    """One row per participant that was measured, ours first."""
    case = result.case
    threads = "1 thread" if case.num_threads == 1 else f"{case.num_threads} threads"
    table = Table(title=f"{case.title}, {threads}", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("", no_wrap=True)
    table.add_column("version", no_wrap=True)
    table.add_column("steps/s", justify="right", no_wrap=True)
    if case.frame_skip > 1:
        table.add_column("frames/s", justify="right", no_wrap=True)
    table.add_column("call", justify="right", no_wrap=True)
    table.add_column("spread", justify="right", no_wrap=True)
    table.add_column("ours is", justify="right", no_wrap=True)
    for entry in result.results:
        if entry.steps_per_s is not None:
            table.add_row(
                *_comparison_row(result, entry), style="bold" if entry.name == OURS else ""
            )
    return table


def _comparison_row(result: CaseResult, entry: Result) -> list[str]:
    assert entry.steps_per_s is not None
    assert entry.call_us is not None
    assert entry.spread is not None
    ratio = None if entry.name == OURS else result.ratio(entry.name)
    row = [title_of(entry.name), entry.version or "", format_rate(entry.steps_per_s)]
    if result.case.frame_skip > 1:
        row.append(format_rate(entry.steps_per_s * result.case.frame_skip))
    row += [
        f"{_three_digits(entry.call_us)} us",
        f"{entry.spread:.0%}",
        "" if ratio is None else format_ratio(ratio),
    ]
    return row


def problems(results: Sequence[CaseResult]) -> list[str]:
    """One line for each participant that was skipped: why, in which cases, and what helps."""
    where: dict[tuple[str, str, str | None], list[str]] = {}
    for result in results:
        for entry in result.results:
            if entry.problem is not None:
                key = (entry.name, entry.problem.reason or "no reason given", entry.problem.remedy)
                where.setdefault(key, []).append(result.case.title)
    lines = []
    for (name, reason, remedy), titles in where.items():
        scope = "" if len(titles) == len(results) else f" ({'; '.join(titles)})"
        advice = f"; to add it: {remedy}" if remedy else ""
        lines.append(f"without {title_of(name)}{scope}: {reason}{advice}")
    return lines


def source_record(root: Path) -> dict[str, Any]:
    """The commit of the git work tree whose top is `root`, and whether its files differ from it.

    Both are None if `root` is not the top of a work tree. An installed package may be inside
    another project's tree.
    """
    top = _git(root, "rev-parse", "--show-toplevel")
    commit = _git(root, "rev-parse", "HEAD")
    if commit is None or top is None or Path(top).resolve() != root.resolve():
        return {"commit": None, "dirty": None}
    return {"commit": commit, "dirty": bool(_git(root, "status", "--porcelain"))}


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def record(
    results: Sequence[CaseResult],
    timing: Timing,
    machine: Mapping[str, Any],
    source: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """All data of a run, as a JSON object.

    Args:
        results: the measurements.
        timing: how long and how often.
        machine: the result of `system_info`, about the machine and the build.
        source: the result of `source_record`.
        version: version of this package.
    """
    versions = {
        entry.name: entry.version
        for result in results
        for entry in result.results
        if entry.version is not None
    }
    return {
        **run_record(machine, source, version),
        "timing": {
            "seconds": timing.seconds,
            "warmup_seconds": timing.warmup_seconds,
            "rounds": timing.rounds,
        },
        "versions": versions,
        "cases": [result.to_json() for result in results],
    }


def run_record(
    machine: Mapping[str, Any], source: Mapping[str, Any], version: str
) -> dict[str, Any]:
    """Date, machine and source of a run, with which every record begins.

    The arguments are those of `record`.
    """
    return {
        "schema": SCHEMA,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "version": version,
        **source,
        "machine": {
            **machine,
            "cores": len(machine["cpus"]),
            "load_1min": os.getloadavg()[0],
            "system": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
        },
    }
