"""A frame of our console again, instruction by instruction, and what it wrote to the hardware."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from envpool_py import _atari
from envpool_py.atari.tools.disassembly import Instruction, decode, register_name

__all__ = ["FrameTrace", "RegisterWrite", "steps", "trace_frame"]

_CLOCKS_PER_LINE = 228
_BLANK_CLOCKS = 68
# A frame that never ends is cut off by the console itself after so many.
_MOST_INSTRUCTIONS = 25_000


@dataclass(frozen=True)
class RegisterWrite:
    """A write to a register of the TIA or the RIOT.

    Attributes:
        cycle: of the processor, since the frame's beginning.
        scanline: of the frame; 0 is the one in which it began.
        clock: color clock of the scanline, 0 to 227; the picture begins at 68. Exact where the
            program waits for the end of a scanline in this frame, within three else.
        value: None where the tool does not know it.
    """

    cycle: int
    scanline: int
    clock: int
    register: str
    value: int | None
    bank: int
    instruction: Instruction

    def __str__(self) -> str:
        value = "  ?" if self.value is None else f"${self.value:02X}"
        return (
            f"line {self.scanline:3d} clock {self.clock:3d} cycle {self.cycle:5d}  "
            f"{self.register:<7}= {value}  by {self.bank}:{self.instruction.address:04X} "
            f"{self.instruction}"
        )


@dataclass(frozen=True)
class FrameTrace:
    """A frame again.

    Attributes:
        writes: in the order in which they happened.
        executed: each instruction that ran, by bank and address.
        ram: the memory after the frame.
        first_line: the scanline that is the picture's first row; None where the frame does not
            show it.
    """

    writes: list[RegisterWrite]
    executed: dict[tuple[int, int], Instruction]
    ram: npt.NDArray[np.uint8]
    first_line: int | None


@dataclass
class _Raw:
    """Writes as they are seen, before it is known where in a scanline the frame began."""

    cycle: int
    register: str
    value: int | None
    bank: int
    instruction: Instruction
    changed_rows: list[int] = field(default_factory=list)


def steps(
    runner: _atari.GameRunner | _atari.Console,
) -> Iterator[tuple[_atari.ProcessorState, Instruction]]:
    """Yields the registers and the instruction before each instruction of a frame, and runs it.

    The controls stay as they were in the frame before. Before the first instruction `cycles` and
    `scanline` are still those of the frame before.
    """
    for _ in range(_MOST_INSTRUCTIONS):
        processor = runner.processor()
        yield processor, decode(runner.peek, processor["pc"])
        if runner.step_instruction():
            return


def _start_clock(samples: list[tuple[int, int]]) -> int:
    """Returns at which color clock of its scanline the frame began, from (cycle, scanline)s.

    A program that has waited for the end of a scanline stands at its very beginning, which leaves
    one answer.
    """
    bound = max(_CLOCKS_PER_LINE * line - 3 * cycle for cycle, line in samples)
    return max(-(-bound // 3) * 3, 0)


def trace_frame(runner: _atari.GameRunner | _atari.Console) -> FrameTrace:
    """Runs the next frame of the runner one instruction at a time."""
    raw: list[_Raw] = []
    executed: dict[tuple[int, int], Instruction] = {}
    samples: list[tuple[int, int]] = []
    before: npt.NDArray[np.uint8] | None = None
    fresh: list[_Raw] = []
    for number, (processor, instruction) in enumerate(steps(runner)):
        # The generator has run the instruction before this one by now.
        if before is None or fresh:
            now = runner.screen()
            if before is not None:
                fresh[-1].changed_rows = np.nonzero((now != before).any(axis=1))[0].tolist()
            before = now if number > 0 else None  # the frame's own buffer from here on
        if number > 0:
            samples.append((processor["cycles"], processor["scanline"]))
        cycles = processor["cycles"] if number > 0 else 0
        executed[processor["bank"], instruction.address] = instruction
        fresh = []
        for address, value in instruction.written(processor, runner.peek):
            register = register_name(address, write=True)
            if register is not None:
                fresh.append(
                    _Raw(
                        cycles + instruction.cycles,
                        register,
                        value,
                        processor["bank"],
                        instruction,
                    )
                )
        raw += fresh
    start = _start_clock(samples) if samples else 0
    return FrameTrace(
        writes=[_placed(write, start) for write in raw],
        executed=executed,
        ram=runner.ram(),
        first_line=_first_line(raw, start),
    )


def _placed(write: _Raw, start: int) -> RegisterWrite:
    line, clock = divmod(3 * write.cycle + start, _CLOCKS_PER_LINE)
    return RegisterWrite(
        write.cycle, line, clock, write.register, write.value, write.bank, write.instruction
    )


def _first_line(raw: list[_Raw], start: int) -> int | None:
    """Returns the scanline of row 0: a write draws all rows before it, and its own as far as it is.

    Writes shortly before the blank ends are left out: some take effect a few clocks late, in the
    row. None if the program makes no other.
    """
    lines = []
    for write in raw:
        line, clock = divmod(3 * write.cycle + start, _CLOCKS_PER_LINE)
        if write.changed_rows and not _BLANK_CLOCKS - 12 < clock <= _BLANK_CLOCKS + 3:
            drawn = line if clock > _BLANK_CLOCKS else line - 1
            lines.append(drawn - max(write.changed_rows))
    return min(lines, default=None)
