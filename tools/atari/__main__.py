"""The command `python -m tools.atari`: compare with ale-py, trace, disassemble."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from envpool_py import _atari_debug
from envpool_py.errors import EnvPoolError
from envpool_py.tasks.families.atari import roms
from tools.atari.disassembly import disassemble, format_listing
from tools.atari.trace import steps

_DIFFERENT = 1
_USAGE = 2


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.atari",
        description="Tools for those who add Atari games or mappers. Games are named as ale-py "
        "names their ROMs.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    compare = commands.add_parser(
        "compare",
        help="play a game on our emulator and on ale-py's, and describe the first difference",
        description="Plays a game at random on our emulator and on ale-py's. Exit code 0: no "
        "difference; 1: a difference, which is described; 2: wrong arguments.",
    )
    compare.set_defaults(run=_compare)
    compare.add_argument("game")
    compare.add_argument("--frames", type=int, default=2000, help="default: %(default)s")
    compare.add_argument("--seed", type=int, default=0, help="seed of both and of the actions")
    compare.add_argument("--mode", type=int, help="default: the game's own")
    compare.add_argument("--difficulty", type=int, help="default: the game's own")
    compare.add_argument(
        "--full-actions", action="store_true", help="use all actions, not only the minimal set"
    )
    compare.add_argument(
        "--sticky", type=float, default=0.25, help="repeat_action_probability; default: %(default)s"
    )
    compare.add_argument(
        "--reset", type=float, default=0.0, help="probability of a reset per frame"
    )
    compare.add_argument(
        "--restore",
        type=float,
        default=0.0,
        help="probability per frame of saving, and of restoring the saved state",
    )
    compare.add_argument(
        "--strengths", action="store_true", help="turn paddles with any strength, not only full"
    )
    compare.add_argument(
        "--writes", type=int, default=24, help="register writes to show; default: %(default)s"
    )
    compare.add_argument("--picture", type=Path, help="write the difference as a PNG file here")

    for name, run, text in (
        ("trace", _trace, "print every instruction of one frame, with the registers before it"),
        ("disassemble", _disassemble, "list the program as it lies in the address space"),
    ):
        command = commands.add_parser(name, help=text)
        command.set_defaults(run=run)
        command.add_argument("game")
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--frames", type=int, default=0, help="no-op frames before it")
        if name == "disassemble":
            command.add_argument(
                "--start",
                type=lambda text: int(text, 16),
                help="address, hexadecimal; default: the program's entry point",
            )
            command.add_argument("--count", type=int, default=64, help="default: %(default)s")
    return parser


def _compare(arguments: argparse.Namespace) -> int:
    # Imported here, because they need ale-py, and the other commands do not.
    from tools.atari.lockstep import Lockstep, Play, Setup, random_play
    from tools.atari.report import report, save_picture

    pair = Lockstep(
        Setup(
            arguments.game,
            seed=arguments.seed,
            repeat_action_probability=arguments.sticky,
        )
    )
    difference = None
    if arguments.mode is not None or arguments.difficulty is not None:
        mode = pair.ours.mode if arguments.mode is None else arguments.mode
        difficulty = pair.ours.difficulty if arguments.difficulty is None else arguments.difficulty
        difference = pair.set_variant(mode, difficulty)
    if difference is None:
        play = Play(
            full_actions=arguments.full_actions,
            reset=arguments.reset,
            save=arguments.restore,
            restore=arguments.restore,
            strengths=arguments.strengths,
        )
        rng = np.random.default_rng(arguments.seed)
        difference = random_play(pair, arguments.frames, rng, play)
    if difference is None:
        print(f"{arguments.game}: no difference in {arguments.frames} frames")
        return 0
    print(report(difference, writes=arguments.writes))
    if arguments.picture is not None:
        save_picture(difference, arguments.picture)
        print(f"Picture (ours, theirs, difference): {arguments.picture}")
    return _DIFFERENT


def _played(arguments: argparse.Namespace) -> _atari_debug.GameRunner:
    rom = _atari_debug.Rom(arguments.game, roms.rom_bytes(arguments.game))
    runner = _atari_debug.GameRunner(rom, seed=arguments.seed)
    runner.run([0] * arguments.frames)
    return runner


def _trace(arguments: argparse.Namespace) -> int:
    for step in steps(_played(arguments)):
        registers = step.processor
        print(
            f"line {registers['scanline']:3d} cycle {registers['cycles']:6d}  "
            f"{registers['bank']}:{step.instruction.address:04X} {step.instruction!s:<16} "
            f"A={registers['a']:02X} X={registers['x']:02X} Y={registers['y']:02X} "
            f"SP={registers['sp']:02X} P={registers['status']:02X}"
        )
    return 0


def _disassemble(arguments: argparse.Namespace) -> int:
    runner = _played(arguments)
    start = arguments.start
    if start is None:
        start = runner.peek(0xFFFC) | runner.peek(0xFFFD) << 8
    print(format_listing(list(disassemble(runner.peek, start, arguments.count))))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command in `argv` (default: the process's arguments); returns the exit code."""
    arguments = build_parser().parse_args(argv)
    try:
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except EnvPoolError as error:
        print(f"error: {error}", file=sys.stderr)
        return _USAGE
    except BrokenPipeError:
        # The reader (`| head`) has closed the pipe. Buffered output must not raise at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
