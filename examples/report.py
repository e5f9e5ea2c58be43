"""Shows the records of the examples as a table and as a plot of learning curves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from cartpole import ENGINES, PROCESS_ENGINES, TARGET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Record = Mapping[str, Any]

PAIRS = (ENGINES, PROCESS_ENGINES)  # our engine, and another one with the same environments
# Okabe and Ito's colours. The other line is wider, so that it remains visible under ours.
_OURS: dict[str, Any] = {"color": "#d55e00", "linewidth": 1.4}
_OTHER: dict[str, Any] = {"color": "#9ecae9", "linewidth": 5.0}


def read(directory: Path, names: Sequence[str]) -> dict[str, dict[str, Record]]:
    """Returns the records by library and engine; missing ones are omitted."""
    return {
        name: {
            engine: json.loads(path.read_text())
            for pair in PAIRS
            for engine in pair
            if (path := directory / f"{name}.{engine}.json").exists()
        }
        for name in names
    }


def table(records: Mapping[str, Mapping[str, Record]], failures: Mapping[str, str]) -> Table:
    """Returns one row per run, and one per library that failed.

    Args:
        records: result of `read`.
        failures: error messages by library.
    """
    result = Table(
        title=f"CartPole-v1: mean return of 100 episodes after training ({TARGET:g} is asked for)",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    for heading in ("library", "version", "learns", "engine"):
        result.add_column(heading)
    for heading in ("return", "steps", "seconds"):
        result.add_column(heading, justify="right")
    result.add_column("")
    for name, runs in records.items():
        for pair in PAIRS:
            for engine in pair:
                if engine in runs:
                    result.add_row(*_cells(runs[engine]), _remark(runs, engine, pair))
        if name in failures:
            result.add_row(name, "", "", "", "", "", "", failures[name])
    return result


def _cells(record: Record) -> list[str]:
    package = record["package"]
    return [
        package,
        record["versions"][package],
        record["algorithm"],
        record["engine"],
        f"{mean_return(record):.1f}",
        f"{record['steps']:,}",
        f"{record['wall_s']:.0f}",
    ]


def _remark(runs: Mapping[str, Record], engine: str, pair: Sequence[str]) -> str:
    if mean_return(runs[engine]) < TARGET:
        return "missed"
    if engine != pair[0] or not set(pair) <= set(runs):
        return ""
    equal = same_training(runs, pair)
    return "returns in training equal" if equal else "returns in training differ"


def mean_return(record: Record) -> float:
    """Returns the result of the evaluation after training."""
    return float(record["evaluation"]["mean_return"])


def same_training(runs: Mapping[str, Record], pair: Sequence[str] = ENGINES) -> bool:
    """Whether the runs on both engines of a pair had the same returns in training."""
    if not set(pair) <= set(runs):
        return False
    return len({(runs[engine]["episodes"], runs[engine]["returns_sha256"]) for engine in pair}) == 1


def draw(
    records: Mapping[str, Mapping[str, Record]], path: Path, pair: Sequence[str] = ENGINES
) -> None:
    """Plots the learning curves of each library that ran on a pair of engines. Needs matplotlib."""
    from matplotlib.figure import Figure

    drawn = {
        name: {engine: runs[engine] for engine in reversed(pair) if engine in runs}  # ours on top
        for name, runs in records.items()
        if not set(pair).isdisjoint(runs)
    }
    columns = min(3, len(drawn))
    rows = -(-len(drawn) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.1 * rows + 0.7), dpi=110, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for axes in grid.flat[len(drawn) :]:
        axes.set_visible(False)
    for axes, runs in zip(grid.flat, drawn.values(), strict=False):
        _draw_library(axes, runs)
    for axes in grid[:, 0]:
        axes.set_ylabel("mean return in training")
    machines = [run["machine"] for runs in drawn.values() for run in runs.values()]
    load = max(machine["load_at_end"] for machine in machines)
    where = "environments in worker processes" if pair == PROCESS_ENGINES else "one thread"
    figure.suptitle(
        f"CartPole-v1, {where}; {machines[0]['cpu']}, {machines[0]['cores']} cores with a load "
        f"of up to {load:g} (1: only the run itself)",
        fontsize=9,
        color="0.3",
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def _draw_library(axes: Axes, runs: Mapping[str, Record]) -> None:
    for engine, run in runs.items():
        steps, means = zip(*run["curve"], strict=True)
        label = f"{engine}: {run['wall_s']:.0f} s, then {mean_return(run):.0f}"
        axes.plot(
            steps, means, label=label, **(_OURS if engine.startswith("envpool_py") else _OTHER)
        )
    axes.axhline(TARGET, color="0.5", linewidth=0.8, linestyle="--")
    axes.set_title(
        f"{run['package']} {run['versions'][run['package']]}, {run['algorithm']}, "
        f"seed {run['seed']}",
        fontsize=9,
        loc="left",
    )
    axes.set_ylim(0, 520)
    axes.set_xlim(left=0)
    axes.set_xlabel("steps of all environments", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.legend(loc="lower right", fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
