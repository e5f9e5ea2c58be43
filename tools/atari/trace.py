"""Runs a frame of our emulator instruction by instruction, and records its register writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from envpool_py import _atari_debug
from tools.atari.disassembly import Instruction, decode, register_name

__all__ = ["FrameTrace", "RegisterWrite", "Step", "steps", "trace_frame"]

_CLOCKS_PER_LINE = 228
_BLANK_CLOCKS = 68
# After this many instructions, the emulator ends a frame without vertical sync.
_MOST_INSTRUCTIONS = 25_000


@dataclass(frozen=True)
class RegisterWrite:
    """A write to a register of the TIA or the RIOT.

    Attributes:
        cycle: cycle of the processor since the beginning of the frame.
        scanline: scanline of the frame; 0 is the scanline in which the frame began.
        clock: color clock of the scanline, 0 to 227; the picture begins at 68. Exact if the program
            waits for the end of a scanline in this frame, otherwise within three clocks.
        value: the written byte; None if the tool cannot determine it.
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
    """The trace of a frame.

    Attributes:
        writes: in order of time.
        executed: each instruction that ran, by bank and address.
        ram: the memory after the frame.
        first_line: the scanline of the picture's first row; None if the frame does not determine
            it.
    """

    writes: list[RegisterWrite]
    executed: dict[tuple[int, int], Instruction]
    ram: npt.NDArray[np.uint8]
    first_line: int | None


@dataclass(frozen=True)
class Step:
    """One instruction that ran.

    Attributes:
        processor: the registers before the instruction.
        written: addresses to which the instruction wrote, in order, each with the value; None if
            the tool cannot determine the value.
    """

    processor: _atari_debug.ProcessorState
    instruction: Instruction
    written: list[tuple[int, int | None]]


@dataclass
class _Raw:
    """A write whose color clock is still unknown, because the frame's start clock is unknown."""

    cycle: int
    register: str
    value: int | None
    bank: int
    instruction: Instruction
    changed_rows: list[int] = field(default_factory=list)


def steps(runner: _atari_debug.GameRunner | _atari_debug.Console) -> Iterator[Step]:
    """Runs a frame one instruction at a time; yields each instruction after it has run.

    The controls stay as in the previous frame.
    """
    for number in range(_MOST_INSTRUCTIONS):
        processor = runner.processor()
        instruction = decode(runner.peek, processor["pc"])
        written = instruction.written(processor, runner.peek)
        ends = runner.step_instruction()
        if number == 0 and runner.processor()["cycles"] < processor["cycles"]:
            # This instruction began a new frame. (A frame that the program did not end continues.)
            processor["cycles"] = processor["scanline"] = 0
        yield Step(processor, instruction, written)
        if ends:
            return


def _start_clock(samples: list[tuple[int, int]]) -> int:
    """Returns the color clock, in its scanline, at which the frame began.

    `samples` are pairs (cycle, scanline). After a program has waited for the end of a scanline, it
    continues at the first clock of the next scanline. This determines the result.
    """
    bound = max(_CLOCKS_PER_LINE * line - 3 * cycle for cycle, line in samples)
    return max(-(-bound // 3) * 3, 0)


def trace_frame(runner: _atari_debug.GameRunner | _atari_debug.Console) -> FrameTrace:
    """Runs the next frame of the runner one instruction at a time."""
    raw: list[_Raw] = []
    executed: dict[tuple[int, int], Instruction] = {}
    samples: list[tuple[int, int]] = []
    screen: npt.NDArray[np.uint8] | None = None  # recorded once the frame has begun
    for step in steps(runner):
        processor, instruction = step.processor, step.instruction
        samples.append((processor["cycles"], processor["scanline"]))
        executed[processor["bank"], instruction.address] = instruction
        cycle = processor["cycles"] + instruction.cycles
        names = [(register_name(address, write=True), value) for address, value in step.written]
        writes = [
            _Raw(cycle, name, value, processor["bank"], instruction)
            for name, value in names
            if name is not None
        ]
        raw += writes
        if screen is None or writes:
            now = runner.screen()
            if screen is not None:
                writes[-1].changed_rows = np.nonzero((now != screen).any(axis=1))[0].tolist()
            screen = now
    start = _start_clock(samples)
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
    """Returns the scanline of row 0; None if there are too few writes.

    A write draws all earlier rows, and its own row up to its clock. Writes shortly before the end
    of the horizontal blank are ignored, because some of them take effect a few clocks later, in the
    visible part.
    """
    lines = []
    for write in raw:
        line, clock = divmod(3 * write.cycle + start, _CLOCKS_PER_LINE)
        if write.changed_rows and not _BLANK_CLOCKS - 12 < clock <= _BLANK_CLOCKS + 3:
            drawn = line if clock > _BLANK_CLOCKS else line - 1
            lines.append(drawn - max(write.changed_rows))
    return min(lines, default=None)
