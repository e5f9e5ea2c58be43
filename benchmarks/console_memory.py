"""Measures the memory of a console and the time to make many, in a separate process.

The memory of an object is the increase of resident memory (of /proc/self/statm) divided by the
number of objects. Each object has drawn some frames, so all its pages are in use. Before the
measurement, uncounted objects use up the memory that the imports have freed.

- A game is `_atari_debug.GameRunner`: a console with its frame, the rules of a game and two random
number generators, on a cartridge that all games share, as in a pool. Making a game runs ale-py's
reset, over 60 frames.
- A console is `_atari_debug.Console`: a console with its frame and one generator, on the same
cartridge, directly after power-on.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from envpool_py import _atari_debug
from envpool_py.tasks.families.atari import roms

_ROOT = Path(__file__).resolve().parents[1]
_ROW_BYTES = 160
# After fewer frames, a console frees the second buffer that it needs at its start.
_DRAWN_FRAMES = 30
_UNCOUNTED = 200  # about 8 MB

T = TypeVar("T")


class MeasurementError(Exception):
    """The memory could not be measured; the message says why."""


@dataclasses.dataclass(frozen=True)
class Memory:
    """The measurements, and the numbers of objects.

    Attributes:
        game: the game.
        rom_bytes: size of its ROM.
        frame_bytes: size of its frame.
        consoles: number of consoles made.
        console_bytes: resident memory of a console, without the shared cartridge.
        make_s: time to make all consoles, seconds.
        runners: number of games made.
        runner_bytes: resident memory of a game, without the shared cartridge.
        runner_make_us: time to make a game, microseconds.
    """

    game: str
    rom_bytes: int
    frame_bytes: int
    consoles: int
    console_bytes: float
    make_s: float
    runners: int
    runner_bytes: float
    runner_make_us: float

    def to_json(self) -> dict[str, Any]:
        """The figures as a JSON object."""
        return dataclasses.asdict(self)


def heaviest(games: Sequence[str]) -> str:
    """The game with the largest frame; among equals, the one with the largest ROM."""

    def weight(game: str) -> tuple[int, int]:
        image = roms.rom_bytes(game)
        return _atari_debug.Rom(game, image).lines, len(image)

    return max(games, key=weight)


def launch(game: str, consoles: int, runners: int) -> Memory:
    """Measures in a new process.

    Raises:
        MeasurementError: the process failed.
    """
    command = [sys.executable, "-m", "benchmarks.console_memory", game, f"{consoles}", f"{runners}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=_ROOT, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise MeasurementError(lines[-1])
    return Memory(**json.loads(done.stdout))


def measure(game: str, consoles: int, runners: int) -> Memory:
    """Measures in this process, which must not have done other work."""
    image = roms.rom_bytes(game)
    rom = _atari_debug.Rom(game, image)

    def console(_: int) -> _atari_debug.Console:
        return _atari_debug.Console(rom)

    def draw(one: _atari_debug.Console) -> None:
        for _ in range(_DRAWN_FRAMES):
            one.run_frame()

    def runner(number: int) -> _atari_debug.GameRunner:
        return _atari_debug.GameRunner(rom, seed=number)

    # The first objects are not counted, because they reuse memory that the imports have freed. The
    # consoles are kept, so that the games do not reuse their memory.
    uncounted, _, _ = _make(console, _UNCOUNTED, draw)
    kept_consoles, console_bytes, make_s = _make(console, consoles, draw)
    kept_runners, runner_bytes, runner_s = _make(runner, runners, lambda one: one.act(0))
    del uncounted, kept_consoles, kept_runners
    return Memory(
        game=game,
        rom_bytes=len(image),
        frame_bytes=_ROW_BYTES * rom.lines,
        consoles=consoles,
        console_bytes=console_bytes,
        make_s=make_s,
        runners=runners,
        runner_bytes=runner_bytes,
        runner_make_us=runner_s / runners * 1e6,
    )


def _make(
    make: Callable[[int], T], count: int, draw: Callable[[T], object]
) -> tuple[list[T], float, float]:
    """Makes `count` objects and draws on each.

    Returns the objects, bytes per object, and seconds for all.
    """
    before = _resident_bytes()
    start = time.perf_counter()
    made = [make(number) for number in range(count)]
    seconds = time.perf_counter() - start
    for one in made:
        draw(one)
    return made, (_resident_bytes() - before) / count, seconds


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main(argv: list[str]) -> None:
    """Measures the game, the number of consoles and the number of games given; prints JSON."""
    game, consoles, runners = argv
    print(json.dumps(measure(game, int(consoles), int(runners)).to_json()))


if __name__ == "__main__":
    main(sys.argv[1:])
