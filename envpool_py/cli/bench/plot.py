"""Plots a record as grouped bars.

matplotlib is optional and imported here only.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool_py.cli.bench.peers import PARTICIPANTS
from envpool_py.cli.bench.report import format_rate, format_ratio, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "SUFFIXES", "PlotError", "draw", "figure_class"]

SUFFIXES: tuple[str, ...] = (".png", ".svg", ".pdf")
"""The file types a plot can have."""

INSTALL = "pip install 'matplotlib>=3.8'"
"""The command that installs what plotting needs."""

# Okabe and Ito's palette, which people with colour blindness can distinguish. Ours is the first.
COLOURS = ("#d55e00", "#0072b2", "#009e73", "#56b4e9", "#e69f00", "#cc79a7", "#f0e442")
_LIMIT_COLOUR = "#999999"  # for the plain C++ loop, which is not a library
_BAR_INCHES = 0.2
_GROUP_GAP = 0.6  # in units of a bar


class PlotError(Exception):
    """The plot cannot be drawn; the message says why, and how to fix it."""


def draw(record: Mapping[str, Any], path: Path) -> None:
    """Writes the plot of a record (see `report.record`) to `path`.

    Draws one group of horizontal bars per case, with one bar per participant on a logarithmic
    scale. A bar is labelled with its rate and, except for ours, with our speed-up over it.

    Raises:
        PlotError: if matplotlib is missing or nothing was measured.
        OSError: if the file cannot be written.
    """
    figure_of = figure_class()
    groups = [(case, _measured(case)) for case in record["cases"]]
    groups = [(case, results) for case, results in groups if results]
    if not groups:
        raise PlotError("nothing was measured")
    bars = sum(len(results) + _GROUP_GAP for _, results in groups)
    figure = figure_of(figsize=(10, 1.6 + _BAR_INCHES * bars), dpi=120, layout="constrained")
    axes = figure.subplots()
    _draw_groups(axes, groups)
    _label(axes, record)
    figure.savefig(path)


def figure_class() -> type[Figure]:
    """Matplotlib's class of figures, imported when it is first needed.

    Raises:
        PlotError: if matplotlib is missing.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PlotError(f"matplotlib is not installed; to add it: {INSTALL}") from error
    chosen: type[Figure] = Figure
    return chosen


def _measured(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [result for result in case["results"] if result["steps_per_s"] is not None]


def _draw_groups(
    axes: Axes, groups: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]]
) -> None:
    colours = dict(zip(PARTICIPANTS, itertools.cycle(COLOURS), strict=False))
    seen: set[str] = set()
    ticks: list[tuple[float, str]] = []
    position = 0.0
    for case, results in groups:
        ticks.append((position + (len(results) - 1) / 2, case["title"]))
        for result in results:
            name, rate = result["name"], result["steps_per_s"]
            label = title_of(name) if name not in seen else None
            axes.barh(
                position, rate, height=0.86, color=colours.get(name, _LIMIT_COLOUR), label=label
            )
            seen.add(name)
            axes.annotate(
                _bar_text(case, result),
                (rate, position),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.5,
            )
            position += 1.0
        position += _GROUP_GAP
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks])
    axes.set_ylim(position - _GROUP_GAP - 0.4, -0.6)
    rates = [result["steps_per_s"] for _, results in groups for result in results]
    # Leaves room at the right for the longest label, and at the left for the slowest bar.
    axes.set_xlim(10 ** (math.log10(min(rates)) - 0.4), 10 ** (math.log10(max(rates)) + 0.9))


def _bar_text(case: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    ratio = case["ratios"].get(result["name"])
    rate = format_rate(result["steps_per_s"])
    return rate if ratio is None else f"{rate} (ours {format_ratio(ratio)})"


def _label(axes: Axes, record: Mapping[str, Any]) -> None:
    axes.set_xscale("log")
    axes.set_xlabel("environment steps per second (logarithmic scale)")
    axes.grid(axis="x", which="major", color="0.85")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.figure.legend(loc="outside upper center", ncols=6, frameon=False, fontsize=9)
    machine = record["machine"]
    threads = sorted({case["case"]["num_threads"] for case in record["cases"]})
    axes.set_title(
        f"{machine['cpu']}, {machine['cores']} cores; pools use "
        f"{' or '.join(str(count) for count in threads)} threads; "
        f"medians of {record['timing']['rounds']}",
        fontsize=9,
        color="0.3",
        loc="left",
    )
