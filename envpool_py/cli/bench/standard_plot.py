"""Draws the record of `envpool-py bench` without a task: rates beside peers, and scaling."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool_py.cli.bench.peers import PARTICIPANTS
from envpool_py.cli.bench.plot import COLOURS, PlotError, figure_class
from envpool_py.cli.bench.report import format_rate, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw"]

_BAR_INCHES = 0.2
_GAP = 0.6  # between groups, in units of a bar


def draw(record: Mapping[str, Any], path: Path) -> None:
    """Writes the plot of a record with "cases" and "scaling" to `path`.

    Raises:
        PlotError: if matplotlib is missing or nothing was measured.
        OSError: if the file cannot be written.
    """
    figure_of = figure_class()
    groups = [
        (case, [each for each in case["results"] if each["steps_per_s"] is not None])
        for case in record["cases"]
    ]
    groups = [(case, results) for case, results in groups if results]
    if not groups:
        raise PlotError("nothing was measured")
    bars = sum(len(results) + _GAP for _, results in groups)
    height = max(4.0, 1.6 + _BAR_INCHES * bars)
    figure = figure_of(figsize=(13, height), dpi=120, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[3, 2])
    colours = dict(zip(PARTICIPANTS, itertools.cycle(COLOURS), strict=False))
    _draw_rates(left, groups, colours)
    _draw_scaling(right, record["scaling"], colours)
    machine = record["machine"]
    figure.suptitle(
        f"{machine['cpu']}, {machine['cores']} processors; envpool_py {record['version']}, "
        f"{record['date'][:10]}; medians of {record['timing']['rounds']} interleaved rounds",
        fontsize=9,
    )
    figure.savefig(path)


def _draw_rates(axes: Axes, groups: Any, colours: Mapping[str, str]) -> None:
    position, ticks, named = 0.0, [], set()
    for case, results in groups:
        ticks.append((position + (len(results) - 1) / 2, case["title"]))
        for result in results:
            name, rate = result["name"], result["steps_per_s"]
            label = None if name in named else title_of(name)
            named.add(name)
            axes.barh(position, rate, 0.9, color=colours[name], label=label)
            ratio = case["ratios"].get(name)
            text = format_rate(rate) + ("" if ratio is None else f" (ours {ratio:.3g}x)")
            axes.annotate(
                text, (rate, position), xytext=(3, 0), textcoords="offset points",
                va="center", fontsize=7,
            )  # fmt: skip
            position += 1.0
        position += _GAP
    axes.set_yticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=8)
    axes.set_ylim(position - _GAP - 0.4, -0.6)
    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(low, high * 8)  # room for the last label
    axes.set_xlabel("environment steps per second")
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)
    axes.legend(fontsize=8, loc="lower right")


def _draw_scaling(axes: Axes, cases: Any, colours: Mapping[str, str]) -> None:
    tasks = list(dict.fromkeys(case["case"]["task"] for case in cases))
    counts = sorted({case["case"]["num_threads"] for case in cases})
    for task, style in zip(tasks, ("o-", "s--"), strict=False):
        for name in dict.fromkeys(each["name"] for case in cases for each in case["results"]):
            points = [
                (case["case"]["num_threads"], each["steps_per_s"])
                for case in cases
                for each in case["results"]
                if case["case"]["task"] == task and each["name"] == name and each["steps_per_s"]
            ]
            if points:
                axes.plot(
                    *zip(*points, strict=True), style, color=colours[name], markersize=5,
                    label=f"{task}, {title_of(name)}",
                )  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.set_xlabel("threads (first ready, batches of 8 per thread)")
    axes.set_ylabel("environment steps per second")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
