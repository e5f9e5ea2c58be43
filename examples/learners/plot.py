"""Draws the recorded learning curves, over steps and over seconds.

    python examples/learners/plot.py

Reads examples/results/learners/*.json, and writes <program>-<task>.png beside them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import EngFormatter, MaxNLocator

RESULTS = Path(__file__).resolve().parents[1] / "results" / "learners"
# Okabe and Ito's colours. Our curve is drawn last and thinner, so that equal curves are visible.
STYLES: dict[str, dict[str, Any]] = {
    "gymnasium": {"color": "#9ecae9", "linewidth": 5.0},
    "mpe2": {"color": "#9ecae9", "linewidth": 5.0},
    "envpool": {"color": "#009e73", "linewidth": 1.4},
    "envpool_py": {"color": "#d55e00", "linewidth": 1.4},
}
# Styles of data-parallel runs, by the number of ranks.
RANKS: dict[int, dict[str, Any]] = {
    1: {"color": "#0072b2", "linewidth": 1.4},
    2: {"color": "#d55e00", "linewidth": 1.4},
    4: {"color": "#009e73", "linewidth": 1.4},
}
# For programs on a cluster: colours by the number of actors, and the programs with one process to
# compare with, of which the first one that has a record of the task is drawn.
FLEETS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
ONE_PROCESS = {"ray_impala": ("impala", "ppo"), "ray_dqn": ()}


def read() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Returns the records by program and task."""
    records: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(RESULTS.glob("*.json")):
        record = json.loads(path.read_text())
        records[record["program"], record["task"]].append(record)
    return records


def label_axes(axes: Any, seconds: str, measure: str = "return") -> None:
    """Labels the axes of a curve over steps and of one over seconds."""
    axes[0].set(xlabel="steps", ylabel=f"mean {measure} of 50 episodes")
    axes[0].xaxis.set_major_locator(MaxNLocator(6))
    axes[0].xaxis.set_major_formatter(EngFormatter(sep=""))
    axes[1].set(xlabel=seconds)
    axes[1].legend(fontsize="small")


def draw_fleets(
    program: str, task: str, runs: list[dict[str, Any]], others: list[dict[str, Any]]
) -> None:
    """Draws runs with different numbers of actors, and runs in one process."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
    lines = [
        (run, f"{run['program']} in one process", {"color": "#999999", "linewidth": 2.5})
        for run in others
        if run["engine"] == "envpool_py"
    ]
    for run, colour in zip(sorted(runs, key=lambda each: each["actors"]), FLEETS, strict=False):
        label = f"{run['actors']} actor{'s' * (run['actors'] > 1)}"
        lines.append((run, label, {"color": colour, "linewidth": 1.4}))
    for run, label, style in lines:
        steps, seconds, returns = zip(*run["curve"], strict=True)
        # Omits the time to start the cluster.
        since = [second - seconds[0] for second in seconds]
        axes[0].plot(steps, returns, **style)
        axes[1].plot(since, returns, label=f"{label}: {since[-1]:.0f} s", **style)
    label_axes(axes, "seconds since the first episode")
    load = max(run["machine"]["load_at_end"] for run, *_ in lines)
    figure.suptitle(f"{program} on {task} (load of the machine up to {load:.0f})")
    figure.tight_layout()
    figure.savefig(RESULTS / f"{program}-{task}.png", dpi=100)
    plt.close(figure)


def main() -> None:
    """Draws one picture per program and task."""
    records = read()
    for (program, task), runs in records.items():
        if program in ONE_PROCESS:
            others = (records.get((other, task), []) for other in ONE_PROCESS[program])
            draw_fleets(program, task, runs, next(filter(None, others), []))
            continue
        figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
        for run in sorted(runs, key=lambda run: list(STYLES).index(run["engine"])):
            name, style = run["engine"], STYLES[run["engine"]]
            if "ranks" in run:
                name, style = f"ranks: {run['ranks']}", RANKS[run["ranks"]]
            steps, seconds, returns = zip(*run["curve"], strict=True)
            axes[0].plot(steps, returns, **style)
            label = f"{name}, seed {run['seed']}: {run['wall_s']:.0f} s"
            axes[1].plot(seconds, returns, label=label, **style)
        label_axes(axes, "seconds", runs[0].get("measure", "return"))
        load = max(run["machine"]["load_at_end"] for run in runs)
        figure.suptitle(f"{program} on {task} (load of the machine up to {load:.0f})")
        figure.tight_layout()
        figure.savefig(RESULTS / f"{program}-{task}.png", dpi=100)
        plt.close(figure)


if __name__ == "__main__":
    main()
