"""Draws the recorded learning curves, over steps and over seconds.

python examples/learners/plot.py    # results/*.json -> results/<program>-<task>.png
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

RESULTS = Path(__file__).parent / "results"
# Okabe and Ito's colours. Ours is drawn last and thinner, so that equal curves are seen.
STYLES: dict[str, dict[str, Any]] = {
    "gymnasium": {"color": "#9ecae9", "linewidth": 5.0},
    "envpool": {"color": "#009e73", "linewidth": 1.4},
    "envpool_py": {"color": "#d55e00", "linewidth": 1.4},
}
# Of data-parallel runs, by the number of ranks.
RANKS: dict[int, dict[str, Any]] = {
    1: {"color": "#0072b2", "linewidth": 1.4},
    2: {"color": "#d55e00", "linewidth": 1.4},
}


def read() -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Returns the records by program and task."""
    records: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(RESULTS.glob("*.json")):
        record = json.loads(path.read_text())
        records[record["program"], record["task"]].append(record)
    return records


def main() -> None:
    """Draws one picture per program and task."""
    for (program, task), runs in read().items():
        figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
        for run in sorted(runs, key=lambda run: list(STYLES).index(run["engine"])):
            name, style = run["engine"], STYLES[run["engine"]]
            if "ranks" in run:
                name, style = f"ranks: {run['ranks']}", RANKS[run["ranks"]]
            steps, seconds, returns = zip(*run["curve"], strict=True)
            axes[0].plot(steps, returns, **style)
            label = f"{name}, seed {run['seed']}: {run['wall_s']:.0f} s"
            axes[1].plot(seconds, returns, label=label, **style)
        axes[0].set(xlabel="steps", ylabel="mean return of 50 episodes")
        axes[1].set(xlabel="seconds")
        axes[1].legend(fontsize="small")
        load = max(run["machine"]["load_at_end"] for run in runs)
        figure.suptitle(f"{program} on {task} (load of the machine up to {load:.0f})")
        figure.tight_layout()
        figure.savefig(RESULTS / f"{program}-{task}.png", dpi=100)
        plt.close(figure)


if __name__ == "__main__":
    main()
