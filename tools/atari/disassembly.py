"""Disassembles a program of the console, with the names of the hardware registers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from envpool_py import _atari_debug

__all__ = ["Instruction", "decode", "disassemble", "format_listing", "register_name"]

Peek = Callable[[int], int]

# In the order of their addresses, from address 0 on.
_TIA_WRITES = """
    VSYNC VBLANK WSYNC RSYNC NUSIZ0 NUSIZ1 COLUP0 COLUP1 COLUPF COLUBK CTRLPF REFP0 REFP1 PF0 PF1
    PF2 RESP0 RESP1 RESM0 RESM1 RESBL AUDC0 AUDC1 AUDF0 AUDF1 AUDV0 AUDV1 GRP0 GRP1 ENAM0 ENAM1
    ENABL HMP0 HMP1 HMM0 HMM1 HMBL VDELP0 VDELP1 VDELBL RESMP0 RESMP1 HMOVE HMCLR CXCLR
"""
_TIA_READS = """
    CXM0P CXM1P CXP0FB CXP1FB CXM0FB CXM1FB CXBLPF CXPPMM INPT0 INPT1 INPT2 INPT3 INPT4 INPT5
"""
_PORTS = ("SWCHA", "SWACNT", "SWCHB", "SWBCNT")
_TIMERS = ("TIM1T", "TIM8T", "TIM64T", "T1024T")

_STORES = {"STA", "STX", "STY", "SAX", "SHA", "SHX", "SHY", "SHS"}
# Instructions that read an operand, modify it and write it back.
_CHANGES = {"ASL", "LSR", "ROL", "ROR", "INC", "DEC", "SLO", "RLA", "SRE", "RRA", "DCP", "ISB"}
_PUSHES = {"PHA", "PHP", "JSR", "BRK"}

(
    _IMPLIED,
    _ACCUMULATOR,
    _IMMEDIATE,
    _RELATIVE,
    _ZERO_PAGE,
    _ZERO_PAGE_X,
    _ZERO_PAGE_Y,
    _ABSOLUTE,
    _ABSOLUTE_X,
    _ABSOLUTE_Y,
    _INDIRECT,
    _INDIRECT_X,
    _INDIRECT_Y,
) = range(13)

_FORMATS = {
    _ZERO_PAGE: "{}",
    _ZERO_PAGE_X: "{},X",
    _ZERO_PAGE_Y: "{},Y",
    _ABSOLUTE: "{}",
    _ABSOLUTE_X: "{},X",
    _ABSOLUTE_Y: "{},Y",
    _INDIRECT: "({})",
    _INDIRECT_X: "({},X)",
    _INDIRECT_Y: "({}),Y",
}

_opcodes = functools.cache(_atari_debug.opcodes)


def register_name(address: int, *, write: bool) -> str | None:
    """Returns the name of the TIA's or RIOT's register at the address; None for memory and ROM."""
    if address & 0x1000:
        return None
    if not address & 0x80:
        names = (_TIA_WRITES if write else _TIA_READS).split()
        index = address & (0x3F if write else 0x0F)
        return names[index] if index < len(names) else f"TIA{index:02X}"
    if not address & 0x200:
        return None
    if not address & 0x04:
        return _PORTS[address & 3]
    if not write:
        return "TIMINT" if address & 1 else "INTIM"
    return _TIMERS[address & 3] if address & 0x10 else "PA7EDGE"


@dataclass(frozen=True)
class Instruction:
    """One instruction at its address.

    Attributes:
        operand: the byte or word after the opcode; 0 if there is none.
    """

    address: int
    data: bytes
    mnemonic: str
    mode: int
    operand: int
    cycles: int

    @property
    def target(self) -> int | None:
        """The target of a branch, a jump or a call; None for other instructions."""
        if self.mode == _RELATIVE:
            offset = self.operand - 256 if self.operand & 0x80 else self.operand
            return (self.address + 2 + offset) & 0xFFFF
        if self.mnemonic in {"JMP", "JSR"} and self.mode == _ABSOLUTE:
            return self.operand
        return None

    @property
    def stores(self) -> bool:
        """Whether the instruction writes to its operand."""
        return self.mnemonic in _STORES or (self.mnemonic in _CHANGES and self.mode != _ACCUMULATOR)

    def __str__(self) -> str:
        return f"{self.mnemonic} {self._operand_text()}".rstrip()

    def _operand_text(self) -> str:
        if self.mode == _IMPLIED:
            return ""
        if self.mode == _ACCUMULATOR:
            return "A"
        if self.mode == _IMMEDIATE:
            return f"#${self.operand:02X}"
        if self.target is not None:
            return f"${self.target:04X}"
        wide = self.mode in {_ABSOLUTE, _ABSOLUTE_X, _ABSOLUTE_Y, _INDIRECT}
        text = f"${self.operand:0{4 if wide else 2}X}"
        if self.mode not in {_INDIRECT, _INDIRECT_X, _INDIRECT_Y}:
            text = register_name(self.operand, write=self.stores) or text
        return _FORMATS[self.mode].format(text)

    def written(
        self, processor: _atari_debug.ProcessorState, peek: Peek
    ) -> list[tuple[int, int | None]]:
        """Returns the addresses to which the instruction writes, in order, each with the value.

        A value is None if the processor's registers do not determine it.
        """
        if self.mnemonic in _PUSHES:
            return self._pushed(processor)
        if not self.stores:
            return []
        a, x, y = processor["a"], processor["x"], processor["y"]
        values = {"STA": a, "STX": x, "STY": y, "SAX": a & x}
        return [(self._effective(x, y, peek), values.get(self.mnemonic))]

    def _effective(self, x: int, y: int, peek: Peek) -> int:
        index = {_ZERO_PAGE_X: x, _ABSOLUTE_X: x, _ZERO_PAGE_Y: y, _ABSOLUTE_Y: y}
        if self.mode in {_INDIRECT_X, _INDIRECT_Y}:
            place = (self.operand + (x if self.mode == _INDIRECT_X else 0)) & 0xFF
            base = peek(place) | peek((place + 1) & 0xFF) << 8
            return (base + (y if self.mode == _INDIRECT_Y else 0)) & 0xFFFF
        address = self.operand + index.get(self.mode, 0)
        return address & (0xFF if self.mode <= _ZERO_PAGE_Y else 0xFFFF)

    def _pushed(self, processor: _atari_debug.ProcessorState) -> list[tuple[int, int | None]]:
        status = processor["status"] | 0x30
        values = [status]
        if self.mnemonic == "PHA":
            values = [processor["a"]]
        elif self.mnemonic in {"JSR", "BRK"}:
            back = (self.address + 2) & 0xFFFF
            values = [back >> 8, back & 0xFF] + [status] * (self.mnemonic == "BRK")
        # The stack's page mirrors the zero page.
        return [((processor["sp"] - i) & 0xFF, value) for i, value in enumerate(values)]


def decode(peek: Peek, address: int) -> Instruction:
    """Returns the instruction at the address."""
    mnemonic, mode, length, cycles = _opcodes()[peek(address)]
    data = bytes(peek((address + i) & 0xFFFF) for i in range(length))
    operand = int.from_bytes(data[1:], "little")
    return Instruction(address, data, mnemonic, mode, operand, cycles)


def disassemble(peek: Peek, start: int, count: int) -> Iterator[Instruction]:
    """Yields `count` consecutive instructions from `start` on."""
    address = start
    for _ in range(count):
        instruction = decode(peek, address)
        yield instruction
        address = (address + len(instruction.data)) & 0xFFFF


def format_listing(instructions: list[Instruction], marked: frozenset[int] = frozenset()) -> str:
    """Returns a listing: address, bytes, instruction, with `>` before the addresses in `marked`.

    Lines that are targets of branches in the listing begin with their address and a colon.
    """
    targets = {instruction.target for instruction in instructions}
    lines = []
    before: Instruction | None = None
    for each in instructions:
        if before is not None and each.address != before.address + len(before.data):
            lines.append("   ...")
        label = f"{each.address:04X}{':' if each.address in targets else ' '}"
        mark = ">" if each.address in marked else " "
        lines.append(f" {mark} {label} {each.data.hex(' ').upper():<9}{each}")
        before = each
    return "\n".join(lines)
