"""The plot of `make bench-console`: ratios as sorted bars."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

from envpool_py.cli.bench.plot import COLOURS, PlotError, figure_class

_LINE_COLOURS = ("#000000", "#0072b2", "#009e73")


def draw(
    ratios: Mapping[str, float],
    lines: Sequence[tuple[str, float]],
    path: Path,
    *,
    ylabel: str,
    title: str,
) -> None:
    """Plots `ratios` to `path`: one bar each, lowest first, with horizontal lines at `lines`.

    Raises:
        PlotError: if matplotlib is missing or there are no ratios.
        OSError: if the file cannot be written.
    """
    figure_of = figure_class()
    if not ratios:
        raise PlotError("nothing was measured")
    names = sorted(ratios, key=lambda name: (ratios[name], name))
    width = 3 + 0.12 * len(names)
    figure = figure_of(figsize=(max(7.0, width), 5.2), dpi=120, layout="constrained")
    axes = figure.subplots()
    axes.bar(range(len(names)), [ratios[name] for name in names], color=COLOURS[0], width=0.8)
    styles = itertools.cycle(("-", "--", ":"))
    for (label, height), colour, style in zip(lines, _LINE_COLOURS, styles, strict=False):
        axes.axhline(height, color=colour, linestyle=style, linewidth=1.4, label=label)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_xlim(-0.7, len(names) - 0.3)
    axes.set_ylabel(ylabel)
    axes.grid(axis="y", color="0.85")
    axes.set_axisbelow(True)
    axes.tick_params(axis="x", length=0)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.legend(loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    axes.set_title(title, fontsize=9, color="0.3", loc="left")
    figure.savefig(path)
