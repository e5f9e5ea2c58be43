"""`python -m benchmarks.games`: every Atari game, beside ale-py and EnvPool (`make bench-games`).

Measures the bare emulation of each game beside ale-py's, as `benchmarks.console` does, and a pool
of eight of them beside EnvPool's. Prints a table of all games, lowest ratio first, and the floors
with PASS or MISS. Writes every sample to `results/NAME.json` and a plot to `results/NAME.png`.
"""

from __future__ import annotations

import dataclasses
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from benchmarks import console, console_plot, run, tables
from benchmarks.cases import Check, SuiteCase, check, checks
from benchmarks.console_speed import ALE, ALE_VERSION, OURS, GameSpeed
from envpool_py.cli.bench import report
from envpool_py.cli.bench.atari import atari_case, is_atari
from envpool_py.cli.bench.measure import CaseResult, Result, Timing
from envpool_py.cli.bench.report import format_rate, format_ratio
from envpool_py.cli.output import make_console
from envpool_py.errors import RomError
from envpool_py.pool import core
from envpool_py.tasks.families.atari import roms
from envpool_py.tasks.families.atari.tasks import TASKS

PEER = "envpool"
FLOOR = 6.0
"""Floor of the ratio of each game's pool to EnvPool's."""
MEAN_FLOOR = 8.0
"""Floor of the geometric mean of these ratios."""
NUM_ENVS = 8

_FRAMES = 1500  # of a measurement of the emulation
# A measurement is longer than those of light tasks, because a game's load changes as it is played.
_LENGTH = 1.5


def tasks() -> dict[str, str]:
    """Returns the task of each game."""
    return {roms.game_of(task): task for task in TASKS if is_atari(task) and task.endswith("-v5")}


def suite(games: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The case of each game: an ordered pool of eight."""
    of_game = tasks()
    return [
        SuiteCase(
            atari_case(of_game[game], NUM_ENVS, NUM_ENVS, num_threads),
            (PEER,), {PEER: FLOOR}, length=_LENGTH,
        )
        for game in games
    ]  # fmt: skip


def mean_ratio(results: Sequence[CaseResult]) -> float | None:
    """The geometric mean of the ratios to EnvPool; None if one was not measured."""
    ratios = [result.ratio(PEER) for result in results]
    known = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(known) if known and len(known) == len(ratios) else None


def floors(lines: Sequence[SuiteCase], results: Sequence[CaseResult]) -> list[Check]:
    """Compares each game and their mean with the floors."""
    mean = check(
        f"geometric mean of {len(results)} games", "times EnvPool", mean_ratio(results),
        MEAN_FLOOR, at_least=True,
    )  # fmt: skip
    return [mean, *checks(lines, results)]


def table_of(speeds: Sequence[GameSpeed], results: Sequence[CaseResult]) -> Table:
    """One row per game, the lowest ratio to EnvPool first."""
    table = tables.make_table(
        f"A frame, us, one thread; steps/s of a pool of {NUM_ENVS} (4 frames a step)"
    )
    for heading in ("ours", "ale-py", "ratio", "pool", "EnvPool", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    rows = sorted(zip(speeds, results, strict=True), key=lambda row: row[1].ratio(PEER) or 0.0)
    for speed, result in rows:
        ours, theirs = (result.find(name) for name in (OURS, PEER))
        ratio = result.ratio(PEER)
        table.add_row(
            speed.game,
            f"{speed.us(OURS):.1f}",
            f"{speed.us(ALE):.1f}",
            "differs" if speed.problem else format_ratio(speed.ratio),
            _rate(ours),
            _rate(theirs),
            format_ratio(ratio) if ratio is not None else "not measured",
        )
    return table


def _rate(result: Result | None) -> str:
    rate = None if result is None else result.steps_per_s
    return "" if rate is None else format_rate(rate)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    games = roms.games()
    arguments = run.parse_family("games", "every Atari game", games, argv)
    out, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    timing = run.make_timing(arguments)
    num_threads = arguments.num_threads or min(NUM_ENVS, len(system["cpus"]))
    lines = suite(arguments.tasks, num_threads)
    try:
        speeds = console.measure(arguments.tasks, _FRAMES, timing.rounds, errors)
        results = run.measure_lines(lines, timing, num_threads, system["cpu"], errors)
    except RomError as error:
        errors.print(f"benchmarks: {error}", soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = floors(lines, results)
    out.print(table_of(speeds, results))
    out.print(tables.floor_table(found))
    for text in report.problems(results):
        errors.print(text, soft_wrap=True)
    record = make_record(speeds, results, found, timing, system)
    run.write_results(arguments.name, record, draw)
    return run.exit_code(arguments, found)


def make_record(
    speeds: Sequence[GameSpeed],
    results: Sequence[CaseResult],
    found: Sequence[Check],
    timing: Timing,
    system: Mapping[str, Any],
) -> dict[str, Any]:
    """All data of the run, as a JSON object."""
    return {
        **run.make_record(results, found, timing, system),
        "ale_py": ALE_VERSION,
        "frames": _FRAMES,
        "geometric_mean_ratio": mean_ratio(results),
        "ratios": {
            speed.game: result.ratio(PEER) for speed, result in zip(speeds, results, strict=True)
        },
        "games": [dataclasses.asdict(speed) for speed in speeds],
    }


def draw(record: Mapping[str, Any], path: Path) -> None:
    """Plots the ratio of each game's pool to EnvPool's."""
    mean = record["geometric_mean_ratio"]
    lines = [("floor of a game", FLOOR), ("floor of the mean", MEAN_FLOOR)]
    if mean is not None:
        lines.insert(0, (f"geometric mean {format_ratio(mean)}", mean))
    console_plot.draw(
        {game: ratio for game, ratio in record["ratios"].items() if ratio is not None},
        lines,
        path,
        ylabel="steps/s, ours / EnvPool",
        title=f"{record['machine']['cpu']}: pools of {NUM_ENVS} Atari games",
    )


if __name__ == "__main__":
    sys.exit(main())
