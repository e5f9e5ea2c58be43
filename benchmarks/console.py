"""`python -m benchmarks.console`: compares our Atari emulator with ale-py (`make bench-console`).

Plays every game on both in turn, in one process and one thread, frame by frame with equal actions.
Prints a table of all games, the lowest ratios, the memory of a console, and the floors with PASS or
MISS. Writes every sample to `results/NAME.json` and a plot to `results/NAME.png`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import console_memory, console_plot
from benchmarks.cases import Check, check
from benchmarks.console_memory import MeasurementError, Memory
from benchmarks.console_speed import ALE, ALE_VERSION, OURS, TURNS, GameSpeed, measure_game
from benchmarks.run import add_name, write_results
from benchmarks.tables import floor_table, make_table
from envpool_py.cli.arguments import positive_int
from envpool_py.cli.bench import report
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.report import format_ratio
from envpool_py.cli.output import make_console
from envpool_py.errors import RomError
from envpool_py.pool import core
from envpool_py.tasks.families.atari import roms

FLOOR = 4.0
"""Floor of the geometric mean of the ratios of all games."""
AIM = 6.0
"""Target of this mean."""
PONG_FLOOR = 4.0
"""Floor of Pong's ratio: 25 microseconds a frame where ale-py takes 100."""
MOST_CONSOLE_KB = 64.0
"""The most memory that a console with its frame may take, thousands of bytes."""
MOST_MAKE_S = 2.0
"""The most time that making `MADE` consoles may take, seconds."""
MADE = 10_000

QUICK_GAMES = (
    "asteroids", "beam_rider", "boxing", "breakout", "gopher", "ms_pacman",
    "pitfall2", "pong", "qbert", "seaquest", "space_invaders", "tennis",
)  # fmt: skip
"""A dozen of different mappers, televisions and controllers."""

_FRAMES, _QUICK_FRAMES = 3000, 300
_ROUNDS, _QUICK_ROUNDS = 3, 1
_QUICK_MADE = 1000
# Games per console in the memory measurement: making a game takes 60 frames.
_RUNNERS_PER_CONSOLE = 0.05
_SNAPSHOTS = 200
_SEED = 1
_LOWEST = 12

_ROOT = Path(__file__).resolve().parents[1]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments and applies `--quick`."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.console",
        description="Measures the bare emulation of Atari games, ours beside ale-py's.",
    )
    parser.add_argument("games", nargs="*", metavar="GAME", help="which games (all)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help=f"{len(QUICK_GAMES)} games, one short round: does it run, and roughly how fast",
    )
    parser.add_argument(
        "--frames", type=positive_int, metavar="F", help=f"frames of a measurement ({_FRAMES})"
    )
    parser.add_argument(
        "--rounds", type=positive_int, metavar="R", help=f"measurements of each ({_ROUNDS})"
    )
    parser.add_argument(
        "--consoles",
        type=positive_int,
        metavar="N",
        help=f"consoles to make; the time is scaled to {MADE:,} ({MADE})",
    )
    add_name(parser, "latest.console")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a floor is missed or not measured"
    )
    arguments = parser.parse_args(argv)
    default_games = QUICK_GAMES if arguments.quick else roms.games()
    arguments.games = tuple(dict.fromkeys(arguments.games)) or default_games
    arguments.frames = arguments.frames or (_QUICK_FRAMES if arguments.quick else _FRAMES)
    arguments.rounds = arguments.rounds or (_QUICK_ROUNDS if arguments.quick else _ROUNDS)
    arguments.consoles = arguments.consoles or (_QUICK_MADE if arguments.quick else MADE)
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = parse(argv)
    out, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    errors.print(
        f"{len(arguments.games)} games, {arguments.frames} frames in each of {arguments.rounds} "
        f"rounds, one thread on {system['cpu']}",
        soft_wrap=True,
    )
    try:
        for game in arguments.games:
            roms.rom_bytes(game)
        memory = measure_memory(arguments.games, arguments.consoles, errors)
        results = measure(arguments.games, arguments.frames, arguments.rounds, errors)
    except RomError as error:
        errors.print(f"benchmarks: {error}", soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = checks(results, memory)
    show(out, results, memory, found)
    for result in results:
        if result.problem is not None:
            errors.print(f"{result.game} counts as not measured: {result.problem}", soft_wrap=True)
    settings = {"frames": arguments.frames, "rounds": arguments.rounds, "seed": _SEED}
    record = make_record(results, memory, found, settings, system)
    write_results(arguments.name, record, _draw)
    missed = any(entry.verdict != "PASS" for entry in found)
    return 1 if arguments.check and missed else 0


def measure_memory(games: Sequence[str], consoles: int, errors: Console) -> Memory | None:
    """Measures consoles of the game with the largest frame; None if that fails."""
    runners = max(1, int(consoles * _RUNNERS_PER_CONSOLE))
    try:
        return console_memory.launch(console_memory.heaviest(games), consoles, runners)
    except MeasurementError as error:
        errors.print(f"memory of a console is not measured: {error}", soft_wrap=True)
        return None


def measure(games: Sequence[str], frames: int, rounds: int, errors: Console) -> list[GameSpeed]:
    """Measures the games one after another; a bar on a terminal, a line per game elsewhere."""
    results = []
    with TurnProgress(errors, len(games) * rounds * len(TURNS)) as progress:
        for number, game in enumerate(games):
            progress.case(game)
            result = measure_game(
                game, frames, rounds, _SNAPSHOTS, _SEED, progress.start,
                lambda turn, name: progress.end(turn, name, None),
            )  # fmt: skip
            results.append(result)
            if not errors.is_terminal:
                errors.print(
                    f"[{number + 1}/{len(games)}] {game}: {result.us(OURS):.1f} us a frame, "
                    f"ale-py {result.us(ALE):.1f} us, {format_ratio(result.ratio)}",
                    soft_wrap=True,
                )
    return results


def mean_ratio(results: Sequence[GameSpeed]) -> float | None:
    """The geometric mean of the ratios; None if a game was not measured."""
    if not results or any(result.problem is not None for result in results):
        return None
    return statistics.geometric_mean(result.ratio for result in results)


def checks(results: Sequence[GameSpeed], memory: Memory | None) -> list[Check]:
    """Compares the results with the floors."""
    pong = next((one for one in results if one.game == "pong" and one.problem is None), None)
    return [
        check(
            f"geometric mean of {_count(results)}", f"times ale-py (aim {AIM:g})",
            mean_ratio(results), FLOOR, at_least=True,
        ),
        check("pong", "times ale-py", pong.ratio if pong else None, PONG_FLOOR, at_least=True),
        check(
            "a console with its frame", "KB",
            memory.console_bytes / 1e3 if memory else None,
            MOST_CONSOLE_KB, at_least=False,
        ),
        check(
            "consoles", f"s to make {MADE:,}",
            memory.make_s * MADE / memory.consoles if memory else None,
            MOST_MAKE_S, at_least=False,
        ),
    ]  # fmt: skip


def _count(results: Sequence[GameSpeed]) -> str:
    total = len(roms.games())
    return f"all {total} games" if len(results) == total else f"{len(results)} of {total} games"


def show(
    out: Console, results: Sequence[GameSpeed], memory: Memory | None, found: Sequence[Check]
) -> None:
    """Prints the tables."""
    out.print(speed_table("Microseconds a frame, one thread; medians", results))
    if len(results) > _LOWEST:
        lowest = sorted(results, key=lambda result: result.ratio)[:_LOWEST]
        out.print(speed_table("The lowest ratios", lowest))
    out.print(snapshot_line(results), soft_wrap=True)
    if memory is not None:
        out.print(memory_table(memory))
    out.print(floor_table(found))


def speed_table(title: str, results: Sequence[GameSpeed]) -> Table:
    """One row per game: ours, ours without Python between frames, ale-py, and the ratio."""
    table = make_table(title)
    for heading in ("ours", "in one call", "ale-py", "ratio"):
        table.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        times = [f"{result.us(name):.1f}" for name in (OURS, TURNS[2], ALE)]
        ratio = "differs" if result.problem else format_ratio(result.ratio)
        table.add_row(result.game, *times, ratio)
    return table


def snapshot_line(results: Sequence[GameSpeed]) -> str:
    """Snapshot and restore, ours and ale-py's: medians over games and rounds."""
    ours, ale = (
        statistics.median(us for result in results for us in result.snapshot_us[name])
        for name in (OURS, ALE)
    )
    return (
        f"To take a snapshot and go back to it: {ours:.2f} us, ale-py {ale:.1f} us, "
        f"{format_ratio(ale / ours)} (medians over the games)"
    )


def memory_table(memory: Memory) -> Table:
    """Time and memory of a console and of a game."""
    table = make_table(
        f"Resident memory and time to make, {memory.game} (ROM {memory.rom_bytes:,} bytes, frame "
        f"{memory.frame_bytes:,} bytes)"
    )
    for heading in ("made", "bytes each", "us to make one"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_row(
        "game on a console with its frame; they share the cartridge",
        f"{memory.runners:,}",
        f"{memory.runner_bytes:,.0f}",
        f"{memory.runner_make_us:.1f}",
    )
    table.add_row(
        "console with its frame; they share the cartridge",
        f"{memory.consoles:,}",
        f"{memory.console_bytes:,.0f}",
        f"{memory.make_s / memory.consoles * 1e6:.1f}",
    )
    return table


def make_record(
    results: Sequence[GameSpeed],
    memory: Memory | None,
    found: Sequence[Check],
    settings: Mapping[str, int],
    system: Mapping[str, Any],
) -> dict[str, Any]:
    """All data of the run, as a JSON object."""
    source = report.source_record(_ROOT)
    return {
        **report.run_record(system, source, core.version),
        "versions": {"ale-py": ALE_VERSION},
        "settings": dict(settings),
        "geometric_mean_ratio": mean_ratio(results),
        "games": [result.to_json() for result in results],
        "memory": memory.to_json() if memory else None,
        "floors": [entry.to_json() for entry in found],
    }


def _draw(record: Mapping[str, Any], path: Path) -> None:
    games = [game for game in record["games"] if game["problem"] is None]
    mean = record["geometric_mean_ratio"]
    lines = [("floor", FLOOR), ("aim", AIM)]
    if mean is not None:
        lines.insert(0, (f"geometric mean {format_ratio(mean)}", mean))
    machine, settings = record["machine"], record["settings"]
    console_plot.draw(
        {game["game"]: game["ratio"] for game in games},
        lines,
        path,
        ylabel="time of a frame, ale-py / ours",
        title=f"{machine['cpu']}, one thread, ale-py {ALE_VERSION}; {settings['frames']} frames a "
        f"game; medians of {settings['rounds']}",
    )


if __name__ == "__main__":
    sys.exit(main())
