"""The tables that a run prints at its end."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import plain_loop
from benchmarks.cases import Check, SuiteCase
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.report import format_rate, format_ratio, title_of


def show(
    console: Console,
    lines: Sequence[SuiteCase],
    results: Sequence[CaseResult],
    found: Sequence[Check],
) -> None:
    """Prints the three tables, except empty ones."""
    for table in (
        rate_table(results),
        limit_table(lines, results),
        floor_table(found),
    ):
        if table.row_count:
            console.print(table)


def rate_table(results: Sequence[CaseResult]) -> Table:
    """One row per case: our rate, and each peer's rate with our speed-up below it."""
    measured = {entry.name for result in results for entry in result.results if entry.samples}
    names = [name for name in PARTICIPANTS if name in measured]
    table = make_table("Environment steps per second; below a peer's, how many times ours is that")
    for name in names:
        table.add_column(title_of(name), justify="right")
    for result in results:
        table.add_row(result.case.title, *(_rate_cell(result, name) for name in names))
    return table


def _rate_cell(result: CaseResult, name: str) -> str:
    entry = result.find(name)
    if entry is None or entry.steps_per_s is None:
        return ""
    ratio = None if name == OURS else result.ratio(name)
    rate = format_rate(entry.steps_per_s)
    return rate if ratio is None else f"{rate}\n{format_ratio(ratio)}"


def limit_table(lines: Sequence[SuiteCase], results: Sequence[CaseResult]) -> Table:
    """One row per case with a limit: time of a step on a core, pool and plain loop."""
    table = make_table("Nanoseconds a step and core (threads / rate), and how far from the limit")
    for heading in ("ours", "plain loop", "ours / loop", "reference", "call us", "outside us"):
        table.add_column(heading, justify="right")
    for line, result in zip(lines, results, strict=True):
        ours, loop = result.find(OURS), result.find(plain_loop.NAME)
        if ours is None or ours.steps_per_s is None or not line.limit:
            continue
        step_ns = _core_ns(line, ours.steps_per_s)
        loop_ns = _core_ns(line, loop.steps_per_s) if loop and loop.steps_per_s else None
        outside = ours.outside_us if line.most_outside_us is not None else None
        table.add_row(
            line.case.title,
            f"{step_ns:,.1f}",
            "" if loop_ns is None else f"{loop_ns:.1f}",
            "" if loop_ns is None else format_ratio(step_ns / loop_ns),
            "" if line.reference_ns is None else f"{line.reference_ns:g}",
            f"{ours.call_us:.2f}",
            "" if outside is None else f"{outside:.2f}",
        )
    return table


def _core_ns(line: SuiteCase, steps_per_s: float) -> float:
    return line.case.num_threads * 1e9 / steps_per_s


def floor_table(found: Sequence[Check]) -> Table:
    """One row per floor: the requirement, the measurement, PASS or MISS."""
    table = make_table("Floors")
    table.add_column("floor")
    table.add_column("measured", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    styles = {"PASS": "green", "MISS": "bold red", "UNKNOWN": "yellow"}
    for check in found:
        table.add_row(
            check.case,
            check.what,
            "not measured" if check.measured is None else f"{check.measured:.2f}",
            check.verdict,
            style=styles[check.verdict],
        )
    return table


def make_table(title: str) -> Table:
    """An empty table whose first column has no heading."""
    # Ensures that all libraries get a column, even on a terminal of 80 characters.
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD,
        collapse_padding=True, pad_edge=False,
    )  # fmt: skip
    # On a narrow terminal long titles wrap instead of being cut off.
    table.add_column("", min_width=10, overflow="fold")
    return table
