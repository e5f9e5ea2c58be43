"""Draws the record of `bench --scaling`: throughput and efficiency against threads."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool_py.cli.bench.peers import PARTICIPANTS
from envpool_py.cli.bench.plot import COLOURS, PlotError, figure_class
from envpool_py.cli.bench.report import title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

_STYLES = {"ordered": "o-", "first-ready": "s--"}


def draw(record: Mapping[str, Any], path: Path) -> None:
    """Writes the plot of a record with "scaling" (see `scaling.record_of`) to `path`.

    Raises:
        PlotError: if matplotlib is missing or nothing was measured.
        OSError: if the file cannot be written.
    """
    figure_of = figure_class()
    lines = [
        (mode, name, points)
        for mode, line in record["scaling"]["curves"].items()
        for name, points in line.items()
        if any(point["steps_per_s"] is not None for point in points)
    ]
    if not lines:
        raise PlotError("nothing was measured")
    figure = figure_of(figsize=(11, 4.6), dpi=120, layout="constrained")
    rates, shares = figure.subplots(1, 2)
    _draw(rates, lines, "steps_per_s")
    _draw(shares, lines, "efficiency")
    rates.set_yscale("log")
    rates.set_ylabel("environment steps per second")
    rates.legend(fontsize=8)
    shares.set_ylim(0, 1.25)
    shares.axhline(1.0, color="#999999", linewidth=0.8)
    shares.set_ylabel("efficiency: rate / (threads x rate of one thread)")
    machine = record["machine"]
    case = record["cases"][0]["case"]
    consumer = f", consumer {case['consumer_us']:,.4g} us a batch" if case["consumer_us"] else ""
    figure.suptitle(
        f"{case['task']}: {record['scaling']['envs_per_thread']} environments per thread{consumer}"
        f"\n{machine['cpu']}, {machine['cores']} processors; envpool_py {record['version']}, "
        f"{record['date'][:10]}",
        fontsize=9,
    )
    figure.savefig(path)


def _draw(axes: Axes, lines: list[tuple[str, str, list[Mapping[str, Any]]]], key: str) -> None:
    colours = dict(zip(PARTICIPANTS, itertools.cycle(COLOURS), strict=False))
    for mode, name, points in lines:
        measured = [point for point in points if point[key] is not None]
        axes.plot(
            [point["threads"] for point in measured],
            [point[key] for point in measured],
            _STYLES[mode],
            color=colours[name],
            label=f"{title_of(name)}, {mode}",
            markersize=5,
        )
    threads = [point["threads"] for point in lines[0][2]]
    axes.set_xscale("log", base=2)
    axes.set_xticks(threads, [str(count) for count in threads])
    axes.set_xlabel("threads")
    axes.grid(alpha=0.3)
