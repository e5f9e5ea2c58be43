"""Describes the first difference between our emulator and ale-py."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from envpool_py import _atari_debug
from envpool_py.tasks.families.atari import roms
from tools.atari.disassembly import Instruction, format_listing
from tools.atari.lockstep import Difference
from tools.atari.picture import color_table, difference_picture, write_png
from tools.atari.trace import FrameTrace, RegisterWrite, trace_frame

__all__ = ["report", "save_picture"]

# Number of latest writes that are shown with their code, and bytes of code around each write.
_SHOWN_CODE = 6
_AROUND = 14


def report(difference: Difference, *, writes: int = 24) -> str:
    """Describes the difference, the latest `writes` register writes before it, and their code."""
    setup = difference.setup
    lines = [
        f"{setup.game}, mode {difference.mode}, difficulty {difference.difficulty}, "
        f"seed {setup.seed}, sticky {setup.repeat_action_probability:g}: "
        f"frame {difference.frame} differs after {difference.event}",
        *(f"  {text}" for text in difference.fields),
    ]
    if difference.before is None:
        lines.append("No frame was acted between this and what was compared before: no trace.")
        return "\n".join(lines)
    trace = _replay(difference.before, setup.game)
    lines += _place(difference, trace)
    chosen = _before_difference(difference, trace)[-writes:]
    lines.append(f"The last {len(chosen)} register writes before it:")
    lines += [f"  {write}" for write in chosen]
    lines.append("The code that made them:")
    lines.append(_code_around(chosen, trace))
    return "\n".join(lines)


def _replay(before: _atari_debug.Snapshot, game: str) -> FrameTrace:
    runner = _atari_debug.GameRunner(_atari_debug.Rom(game, roms.rom_bytes(game)))
    runner.restore(before)
    return trace_frame(runner)


def _place(difference: Difference, trace: FrameTrace) -> Iterable[str]:
    if difference.row is not None:
        line = "unknown: this frame draws nothing new"
        if trace.first_line is not None:
            line = f"{difference.row + trace.first_line}"
        yield f"The screen first differs in row {difference.row}, scanline {line}."
    if not np.array_equal(trace.ram, difference.ram):
        yield (
            "The trace is of this frame with the controls of the frame before, which makes a "
            "difference to it: take it with care."
        )


def _before_difference(difference: Difference, trace: FrameTrace) -> list[RegisterWrite]:
    """Returns the writes up to the end of the scanline that differs; all if it is unknown."""
    if difference.row is None or trace.first_line is None:
        return trace.writes
    last = difference.row + trace.first_line
    return [write for write in trace.writes if write.scanline <= last]


def _code_around(writes: list[RegisterWrite], trace: FrameTrace) -> str:
    latest = dict.fromkeys((write.bank, write.instruction.address) for write in reversed(writes))
    marked = list(latest)[:_SHOWN_CODE]
    texts = []
    for bank in sorted({bank for bank, _ in marked}):
        places = frozenset(address for each, address in marked if each == bank)
        near: list[Instruction] = [
            instruction
            for (each, address), instruction in sorted(trace.executed.items())
            if each == bank and any(abs(address - place) <= _AROUND for place in places)
        ]
        texts.append(f" bank {bank}:\n{format_listing(near, places)}")
    return "\n".join(texts)


def save_picture(difference: Difference, path: Path) -> None:
    """Writes ours, theirs and the difference side by side as a PNG file."""
    palette = color_table(difference.theirs, difference.theirs_rgb)
    write_png(path, difference_picture(difference.ours, difference.theirs, palette))
