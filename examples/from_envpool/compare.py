"""Runs the programs of this directory with both libraries and draws their curves side by side.

    python examples/from_envpool/compare.py [--only NAME ...] [--results DIRECTORY] [--draw]

It writes a record per run, a table and a plot. It exits with status 1 if a run fails or learns too
little, or if returns that should be equal with both libraries differ. `--draw` runs nothing and
draws the existing records.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.table import Table

from trial import LIBRARIES, WINDOW

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results" / "from_envpool"
Record = Mapping[str, Any]
# Records by program and library, one per seed.
Records = Mapping[str, Mapping[str, Sequence[Record]]]

# Okabe and Ito's colours. The other line is wider, so that it remains visible under ours.
_LINES: dict[str, dict[str, Any]] = {
    "envpool": {"color": "#9ecae9", "linewidth": 4.0},
    "envpool_py": {"color": "#d55e00", "linewidth": 1.2},
}


@dataclass(frozen=True)
class Program:
    """A program of this directory.

    Attributes:
        name: name of its file, without `.py`.
        title: the demonstrated use of EnvPool.
        target: the mean return of the latest episodes that every run must reach.
        seeds: seeds of the runs.
        equal: whether both libraries must have the same returns for the same seed.
    """

    name: str
    title: str
    target: float
    seeds: Sequence[int] = (0, 1, 2)
    equal: bool = False


PROGRAMS = (
    Program("cleanrl_ppo", "like CleanRL's PPO", 1.0, seeds=(0,), equal=True),
    Program("sb3_adapter", "Stable-Baselines3's PPO", 300.0, seeds=(0,)),
    Program("async_loop", "send and recv", 300.0),
    Program("tianshou_collector", "Tianshou's PPO", 30.0, seeds=(0,)),
    Program("rl_games_wrapper", "like rl_games' wrapper", -40.0, seeds=(0,)),
)


def main() -> None:
    """Runs, shows and draws."""
    arguments = _arguments()
    console = Console(width=max(110, Console().width))
    chosen = [program for program in PROGRAMS if program.name in arguments.only]
    failures: list[str] = []
    for program in () if arguments.draw else chosen:
        for seed in program.seeds:
            for library in LIBRARIES:
                console.rule(f"{program.name} on {library}, seed {seed}")
                if _run(program, library, seed, arguments.results) != 0:
                    failures.append(f"{program.name} on {library}, seed {seed}: it failed")
    records = read(arguments.results, chosen)
    console.print(table(records))
    if any(run for of in records.values() for run in of.values()):
        draw(records, arguments.results / "curves.png")
    failures += problems(records, chosen)
    if failures:
        sys.exit("\n".join(failures))


def _arguments() -> argparse.Namespace:
    names = [program.name for program in PROGRAMS]
    parser = argparse.ArgumentParser(description="Runs programs with EnvPool and with envpool_py.")
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--draw", action="store_true", help="run nothing")
    return parser.parse_args()


def _path(directory: Path, name: str, library: str, seed: int) -> Path:
    return directory / f"{name}.{library}.{seed}.json"


def _run(program: Program, library: str, seed: int, directory: Path) -> int:
    path = _path(directory, program.name, library, seed)
    path.unlink(missing_ok=True)
    command = [sys.executable, HERE / f"{program.name}.py", "--library", library]
    command += ["--seed", str(seed), "--json", path]
    variables = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run([str(word) for word in command], env=variables, check=False).returncode


def read(directory: Path, programs: Iterable[Program]) -> dict[str, dict[str, list[Record]]]:
    """Returns the existing records."""
    return {
        program.name: {
            library: [
                json.loads(path.read_text())
                for seed in program.seeds
                if (path := _path(directory, program.name, library, seed)).exists()
            ]
            for library in LIBRARIES
        }
        for program in programs
    }


def problems(records: Records, programs: Iterable[Program]) -> list[str]:
    """Returns the problems of the records, one line each."""
    wrong = []
    for program in programs:
        digests = []
        for library in LIBRARIES:
            runs = records[program.name][library]
            if len(runs) != len(program.seeds):
                wrong.append(f"{program.name} on {library}: {len(runs)} runs are recorded")
            for run in runs:
                if run["mean_return"] < program.target:
                    wrong.append(
                        f"{program.name} on {library}, seed {run['seed']}: a mean return of "
                        f"{run['mean_return']:g}, expected {program.target:g}"
                    )
            digests.append([(run["episodes"], run["returns_sha256"]) for run in runs])
        if program.equal and digests[0] != digests[1]:
            wrong.append(f"{program.name}: the returns differ between the libraries")
    return wrong


def table(records: Records) -> Table:
    """Returns a table with one row per run."""
    result = Table(
        title=f"Mean return of the latest {WINDOW} episodes of training",
        box=box.SIMPLE_HEAD,
        title_justify="left",
    )
    for heading in ("program", "task", "library", "version"):
        result.add_column(heading)
    for heading in ("seed", "return", "episodes", "steps", "seconds"):
        result.add_column(heading, justify="right")
    runs = (run for of in records.values() for library in of.values() for run in library)
    for run in runs:
        library = run["library"]
        result.add_row(
            *(run["program"], run["task"], library, run["versions"][library]),
            *(str(run["seed"]), f"{run['mean_return']:.1f}", f"{run['episodes']:,}"),
            *(f"{run['steps']:,}", f"{run['wall_s']:.0f}"),
        )
    return result


def draw(records: Records, path: Path) -> None:
    """Plots the learning curves of each program. Needs matplotlib."""
    from matplotlib.figure import Figure

    programs = [program for program in PROGRAMS if any(records.get(program.name, {}).values())]
    rows = -(-len(programs) // 3)
    figure = Figure(figsize=(12, 3.1 * rows), dpi=100, layout="constrained")
    grid = figure.subplots(rows, 3, squeeze=False)
    for axes in grid.flat[len(programs) :]:
        axes.set_visible(False)
    for axes, program in zip(grid.flat, programs, strict=False):
        _draw_program(axes, program, records[program.name])
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def _draw_program(axes: Axes, program: Program, libraries: Mapping[str, Sequence[Record]]) -> None:
    tasks = {run["task"] for runs in libraries.values() for run in runs}
    for library, runs in libraries.items():
        for index, run in enumerate(runs):
            steps, means = zip(*run["curve"], strict=True)
            label = f"{library} {run['versions'][library]}" if index == 0 else None
            axes.plot(steps, means, label=label, **_LINES[library])
    axes.set_title(f"{program.name}: {program.title}, {', '.join(tasks)}", fontsize=9, loc="left")
    axes.set_xlim(left=0)
    axes.set_xlabel("steps of all environments", fontsize=8)
    axes.set_ylabel(f"mean return of {WINDOW} episodes", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.legend(loc="best", fontsize=8, frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


if __name__ == "__main__":
    main()
