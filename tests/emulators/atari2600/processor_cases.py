"""Random machine states for tests of the 6507, one instruction each, and a bench to run them.

The processor has 13 address lines. Bit 12 selects the cartridge (4 KiB here); below it, addresses
with bit 9 clear and bit 7 set select the 128 bytes of RAM, so the stack's page does too. A case
accesses no other address; the TIA and the timer have their own tests.
"""

from __future__ import annotations

import importlib
import random
from dataclasses import dataclass, field
from typing import Any

_atari_debug: Any = importlib.import_module("envpool_py._atari_debug")

# The flags. Bit 2 needs no name: it masks interrupts, which this machine does not have.
C, Z, _, D, B, U, V, N = (1 << bit for bit in range(8))
# py65's names, in the order of `_atari_debug.opcodes()`.
MODES = ("imp", "acc", "imm", "rel", "zpg", "zpx", "zpy", "abs", "abx", "aby", "ind", "inx", "iny")
LENGTHS = dict(zip(MODES, (1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 2, 2), strict=True))
INDEXED = {"abx", "aby", "iny"}  # an index may carry into the address's high byte
EDGES = (0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF)
JAMS = (0x02, 0x12, 0x22, 0x32, 0x42, 0x52, 0x62, 0x72, 0x92, 0xB2, 0xD2, 0xF2)  # halt it
CASES = 100  # per opcode


def is_rom(address: int) -> bool:
    return address & 0x1000 != 0


def is_ram(address: int) -> bool:
    return address & 0x1280 == 0x0080


@dataclass
class Registers:
    pc: int
    a: int
    x: int
    y: int
    sp: int
    status: int

    def flag(self, flag: int) -> int:
        return int(self.status & flag != 0)

    def set_flag(self, flag: int, value: object) -> None:
        self.status = self.status | flag if value else self.status & ~flag

    def set_nz(self, value: int) -> None:
        self.set_flag(N, value & 0x80)
        self.set_flag(Z, value == 0)


class Memory:
    """The processor's memory, for py65 and for the model of the undocumented opcodes."""

    def __init__(self, ram: bytes | bytearray, rom: bytes) -> None:
        self.ram = bytearray(ram)
        self.rom = rom

    def __getitem__(self, address: int) -> int:
        if is_rom(address):
            return self.rom[address & 0xFFF]
        assert is_ram(address), f"a read of {address:04X}, which is neither memory nor ROM"
        return self.ram[address & 0x7F]

    def __setitem__(self, address: int, value: int) -> None:
        if not is_rom(address):
            assert is_ram(address), f"a write to {address:04X}, which is neither memory nor ROM"
            self.ram[address & 0x7F] = value


@dataclass
class Case:
    """The state of the machine before one instruction."""

    opcode: int
    before: Registers
    ram: bytearray = field(default_factory=lambda: bytearray(128))
    address: int | None = None  # of the operand; None if it is not in memory
    crossed: bool = False  # indexing moved the operand's address to another page


class Bench:
    """A console whose cartridge holds random bytes and instructions of one opcode."""

    def __init__(self, opcode: int, mode: str, mnemonic: str, seed: int = 6507) -> None:
        self.random = random.Random(seed * 256 + opcode)
        self._rom = bytearray(self.random.randbytes(4096))
        self._opcode, self._mode = opcode, mode
        self._uses_stack = mnemonic in {"BRK", "JSR", "RTI", "RTS", "PHA", "PHP", "PLA", "PLP"}
        self._free = list(range(0, 0xFFA, 3))  # unused offsets in ROM; the vectors lie behind them
        self.random.shuffle(self._free)
        drawn = [self._draw() for _ in range(CASES)]
        for _, at, code in drawn:
            if is_rom(at):
                self._rom[at & 0xFFF : (at & 0xFFF) + len(code)] = code
        self.cases = [case for case, _, _ in drawn]
        self.rom = bytes(self._rom)
        self.console = _atari_debug.Console("4K", self.rom)

    def byte(self) -> int:
        if self.random.random() < 0.4:
            return self.random.choice(EDGES)
        return self.random.randrange(256)

    def _place(self, length: int) -> int:
        """Returns an address for the code: mostly in ROM, sometimes in RAM, in a random mirror."""
        mirror = self.random.randrange(8) << 13
        if self.random.random() < 0.15:
            return mirror | 0x0080 | self.random.randrange(128 - length + 1)
        return mirror | 0x1000 | self._free.pop()

    def _operand_address(self) -> int:
        address = self.random.randrange(0x10000)
        return address if is_rom(address) else address & ~0x0200 | 0x0080

    def _draw(self) -> tuple[Case, int, bytes]:
        length = LENGTHS[self._mode]
        at = self._place(length)
        before = Registers(at, self.byte(), self.byte(), self.byte(), self.byte(), 0x30)
        before.status |= self.random.randrange(256) & ~(B | U)
        case = Case(self._opcode, before, bytearray(self.random.randbytes(128)))
        in_ram = set() if is_rom(at) else {(at + i) & 0x7F for i in range(length)}
        if self._uses_stack:  # keep 3 bytes on either side off the code
            while True:
                before.sp = self.random.randint(0x82, 0xFC)
                if not in_ram & {(before.sp + i) & 0x7F for i in range(-2, 4)}:
                    break
        operand = self._operand(case, in_ram)
        code = bytes([self._opcode, operand & 0xFF, operand >> 8][:length])
        if not is_rom(at):
            case.ram[at & 0x7F : (at & 0x7F) + length] = code
        return case, at, code

    def _operand(self, case: Case, in_ram: set[int]) -> int:
        """Draws the operand's address and returns the instruction's bytes after the opcode."""
        mode, before = self._mode, case.before
        if mode in {"imp", "acc"}:
            return 0
        if mode in {"imm", "rel"}:
            return self.byte()
        if mode == "ind":
            return self._indirect(case, in_ram)
        index = {"x": before.x, "y": before.y}.get(mode[2], 0)
        if mode in {"zpg", "zpx", "zpy"}:
            case.address = self.random.randint(0x80, 0xFF)
            case.ram[case.address & 0x7F] = self.byte()
            return (case.address - index) & 0xFF
        case.address = self._operand_address()
        if is_ram(case.address):
            case.ram[case.address & 0x7F] = self.byte()
        if mode == "abs":
            return case.address
        base = (case.address - (0 if mode == "inx" else index)) & 0xFFFF
        case.crossed = (base ^ case.address) & 0xFF00 != 0
        if mode in {"abx", "aby"}:
            return base
        pointer = self._pointer(in_ram)
        case.ram[pointer & 0x7F], case.ram[(pointer & 0x7F) + 1] = base & 0xFF, base >> 8
        return pointer if mode == "iny" else (pointer - before.x) & 0xFF

    def _pointer(self, in_ram: set[int]) -> int:
        while True:
            pointer = self.random.randint(0x80, 0xFE)
            if not in_ram & {pointer & 0x7F, (pointer & 0x7F) + 1}:
                return pointer

    def _indirect(self, case: Case, in_ram: set[int]) -> int:
        target = self.random.randrange(0x10000)
        if self.random.random() < 0.4:
            pointer = self._pointer(in_ram)
            case.ram[pointer & 0x7F], case.ram[(pointer & 0x7F) + 1] = target & 0xFF, target >> 8
            return self.random.choice((0x0000, 0x0100, 0x4000, 0xE500)) | pointer
        pointer = self.random.randrange(0x10000) | 0x1000
        return pointer | 0xFF if self.random.random() < 0.4 else pointer

    def run(self, case: Case) -> tuple[Registers, int, bytearray]:
        """Runs the case and returns the console's registers, the cycles and the memory."""
        load(self.console, case.before, case.ram)
        cycles = self.console.processor()["cycles"]
        self.console.step_instruction()
        after, now = registers(self.console)
        return after, now - cycles, bytearray(self.console.ram().tobytes())


def load(console: Any, state: Registers, ram: bytes | bytearray) -> None:
    for i, value in enumerate(ram):
        console.set_ram(i, value)
    console.set_processor(
        pc=state.pc, a=state.a, x=state.x, y=state.y, sp=state.sp, status=state.status
    )


def registers(console: Any) -> tuple[Registers, int]:
    """Returns the console's registers and its count of cycles."""
    now = console.processor()
    return Registers(*(now[name] for name in ("pc", "a", "x", "y", "sp", "status"))), now["cycles"]


# Arithmetic in decimal mode, in which ale-py's processor departs from the 6502: the value of a byte
# is ten times its high digit plus its low one, for any digits. The result in A sets N, Z and V.
def decimal_add(state: Registers, value: int) -> None:
    total = worth(state.a) + worth(value) + state.flag(C)
    state.set_flag(C, total > 99)
    _decimal_result(state, value, total)


def decimal_subtract(state: Registers, value: int) -> None:
    """Subtracts; the carry is that of the two bytes as binary numbers."""
    borrow = 1 - state.flag(C)
    total = worth(state.a) - worth(value) - borrow
    state.set_flag(C, state.a >= value + borrow)
    _decimal_result(state, value, total + 100 if total < 0 else total)


def is_decimal(value: int) -> bool:
    return value >> 4 < 10 and value & 0x0F < 10


def decimal(value: int) -> int:
    """Returns a number below 100 in binary-coded decimal."""
    return int(str(value), 16)


def worth(value: int) -> int:
    """Returns the value of a byte as two decimal digits, each of which may exceed 9."""
    return 10 * (value >> 4) + (value & 0x0F)


def _decimal_result(state: Registers, value: int, total: int) -> None:
    # Digits above nine can bring a difference below -100. The reference then indexes its table of
    # numbers as digits below the start, where its table of digits as numbers lies.
    result = worth(total % 256) if total < 0 else decimal(total % 256 % 100)
    state.set_flag(V, (state.a ^ result) & (result ^ value) & 0x80)
    state.a = result
    state.set_nz(result)
