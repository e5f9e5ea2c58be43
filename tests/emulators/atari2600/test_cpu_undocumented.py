"""The 6507's undocumented opcodes against a model written from their published descriptions.

They are combinations of the documented opcodes' operations, described in "NMOS 6510 Unintended
Opcodes". Where chips differ, ours behaves as ale-py's: ANE and LXA first OR 0xEE into A; SHA, SHX,
SHY and SHS AND the stored value with the high byte of the indexed address plus one; LAX from the
zero page takes one cycle more than on a chip.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
from py65.devices.mpu6502 import MPU

from .processor_cases import (
    INDEXED,
    JAMS,
    LENGTHS,
    MODES,
    B,
    Bench,
    C,
    D,
    Memory,
    N,
    Registers,
    U,
    V,
    Z,
    decimal_add,
    decimal_subtract,
    is_rom,
    load,
    registers,
)

_atari_debug: Any = importlib.import_module("envpool_py._atari_debug")

# Mnemonic, mode and cycles of each opcode; opcodes in a column of the opcode map share a mode.
UNDOCUMENTED: dict[int, tuple[str, str, int]] = {
    **dict.fromkeys((0x0B, 0x2B), ("ANC", "imm", 2)),
    **dict.fromkeys((0x1A, 0x3A, 0x5A, 0x7A, 0xDA, 0xFA), ("NOP", "imp", 2)),
    **dict.fromkeys((0x80, 0x82, 0x89, 0xC2, 0xE2), ("NOP", "imm", 2)),
    **dict.fromkeys((0x04, 0x44, 0x64), ("NOP", "zpg", 3)),
    **dict.fromkeys((0x14, 0x34, 0x54, 0x74, 0xD4, 0xF4), ("NOP", "zpx", 4)),
    **dict.fromkeys((0x1C, 0x3C, 0x5C, 0x7C, 0xDC, 0xFC), ("NOP", "abx", 4)),
    0x0C: ("NOP", "abs", 4),
    0x4B: ("ASR", "imm", 2),
    0x6B: ("ARR", "imm", 2),
    0x8B: ("ANE", "imm", 2),
    0xAB: ("LXA", "imm", 2),
    0xCB: ("SBX", "imm", 2),
    0xEB: ("SBC", "imm", 2),
    0xBB: ("LAS", "aby", 4),
    0x9B: ("SHS", "aby", 5),
    0x9C: ("SHY", "abx", 5),
    0x9E: ("SHX", "aby", 5),
    0x9F: ("SHA", "aby", 5),
    0x93: ("SHA", "iny", 6),
    0x83: ("SAX", "inx", 6),
    0x87: ("SAX", "zpg", 3),
    0x8F: ("SAX", "abs", 4),
    0x97: ("SAX", "zpy", 4),
    0xA3: ("LAX", "inx", 6),
    0xA7: ("LAX", "zpg", 4),
    0xAF: ("LAX", "abs", 4),
    0xB3: ("LAX", "iny", 5),
    0xB7: ("LAX", "zpy", 4),
    0xBF: ("LAX", "aby", 4),
}
for _row, _name in {0: "SLO", 2: "RLA", 4: "SRE", 6: "RRA", 0xC: "DCP", 0xE: "ISB"}.items():
    for _column, _mode, _cycles in (
        (0x03, "inx", 8), (0x07, "zpg", 5), (0x0F, "abs", 6), (0x13, "iny", 8),
        (0x17, "zpx", 6), (0x1B, "aby", 7), (0x1F, "abx", 7),
    ):  # fmt: skip
        UNDOCUMENTED[_row << 4 | _column] = (_name, _mode, _cycles)


def add(state: Registers, value: int) -> None:
    if state.status & D:
        decimal_add(state, value)
        return
    total = state.a + value + state.flag(C)
    signed = _signed(state.a) + _signed(value) + state.flag(C)
    state.a = total & 0xFF
    state.set_flag(C, total > 0xFF)
    state.set_flag(V, not -128 <= signed <= 127)
    state.set_nz(state.a)


def subtract(state: Registers, value: int) -> None:
    if state.status & D:
        decimal_subtract(state, value)
    else:
        add(state, value ^ 0xFF)


def _signed(value: int) -> int:
    return (value ^ 0x80) - 0x80


def compare(state: Registers, register: int, value: int) -> int:
    state.set_flag(C, register >= value)
    difference = (register - value) & 0xFF
    state.set_nz(difference)
    return difference


def shift_left(state: Registers, value: int, carry: int) -> int:
    state.set_flag(C, value & 0x80)
    return (value << 1 | carry) & 0xFF


def shift_right(state: Registers, value: int, carry: int) -> int:
    state.set_flag(C, value & 0x01)
    return value >> 1 | carry << 7


def rotate_and(state: Registers, value: int) -> None:
    """ARR: AND, then ROR; the flags come from the adder, which is active at the same time."""
    anded, carry = state.a & value, state.flag(C)
    state.a = anded >> 1 | carry << 7
    state.set_nz(state.a)
    if not state.status & D:
        state.set_flag(C, state.a & 0x40)
        state.set_flag(V, (state.a >> 6 ^ state.a >> 5) & 1)
        return
    state.set_flag(V, (anded ^ state.a) & 0x40)
    low, high = anded & 15, anded >> 4
    rotated_low, rotated_high = state.a & 15, state.a >> 4
    if low + (low & 1) > 5:
        rotated_low += 6
    state.set_flag(C, high + (high & 1) > 5)
    if state.flag(C):
        rotated_high += 6
    state.a = (rotated_high & 15) << 4 | rotated_low & 15


# Read-modify-write opcodes: the new value in memory, and the effect on the registers.
CHANGES: dict[str, tuple[Callable[..., int], Callable[..., object]]] = {
    "SLO": (lambda s, v: shift_left(s, v, 0), lambda s, v: load_a(s, s.a | v)),
    "RLA": (lambda s, v: shift_left(s, v, s.flag(C)), lambda s, v: load_a(s, s.a & v)),
    "SRE": (lambda s, v: shift_right(s, v, 0), lambda s, v: load_a(s, s.a ^ v)),
    "RRA": (lambda s, v: shift_right(s, v, s.flag(C)), add),
    "DCP": (lambda _, v: (v - 1) & 0xFF, lambda s, v: compare(s, s.a, v)),
    "ISB": (lambda _, v: (v + 1) & 0xFF, subtract),
}


def load_a(state: Registers, value: int) -> None:
    state.a = value
    state.set_nz(value)


def perform(name: str, state: Registers, value: int) -> None:
    """Models the opcodes that only read."""
    if name in {"LAX", "LXA", "LAS"}:
        value &= {"LAX": 0xFF, "LXA": state.a | 0xEE, "LAS": state.sp}[name]
        load_a(state, value)
        state.x = value
        if name == "LAS":
            state.sp = value
    elif name == "ANC":
        load_a(state, state.a & value)
        state.set_flag(C, state.a & 0x80)
    elif name == "ASR":
        load_a(state, shift_right(state, state.a & value, 0))
    elif name == "ANE":
        load_a(state, (state.a | 0xEE) & state.x & value)
    elif name == "SBX":
        state.x = compare(state, state.a & state.x, value)
    elif name == "ARR":
        rotate_and(state, value)
    elif name == "SBC":
        subtract(state, value)
    else:
        assert name == "NOP"


def stored(name: str, state: Registers, address: int) -> int:
    value = {"SHX": state.x, "SHY": state.y}.get(name, state.a & state.x)
    if name == "SAX":
        return value
    if name == "SHS":
        state.sp = value
    return value & ((address >> 8) + 1)


def run_model(name: str, mode: str, state: Registers, memory: Memory, address: int | None) -> None:
    operand = state.pc + 1
    state.pc = (state.pc + LENGTHS[mode]) & 0xFFFF
    if name in CHANGES:
        assert address is not None
        change, then = CHANGES[name]
        memory[address] = value = change(state, memory[address])
        then(state, value)
    elif name == "SAX" or name.startswith("SH"):
        assert address is not None
        memory[address] = stored(name, state, address)
    elif mode != "imp":
        perform(name, state, memory[operand if address is None else address])


each_undocumented = pytest.mark.parametrize(
    "opcode",
    [
        pytest.param(opcode, id=f"{opcode:02X}-{name}-{mode}")
        for opcode, (name, mode, _) in sorted(UNDOCUMENTED.items())
    ],
)


def test_every_opcode_is_tested() -> None:
    documented = {code for code in range(256) if MPU.disassemble[code][0] != "???"}
    assert (len(documented), len(UNDOCUMENTED), len(JAMS)) == (151, 93, 12)
    assert documented | set(UNDOCUMENTED) | set(JAMS) == set(range(256))


@each_undocumented
def test_table_of_opcodes(opcode: int) -> None:
    name, mode, cycles = UNDOCUMENTED[opcode]
    assert _atari_debug.opcodes()[opcode] == (name, MODES.index(mode), LENGTHS[mode], cycles)


@each_undocumented
def test_undocumented_opcode(opcode: int) -> None:
    name, mode, base_cycles = UNDOCUMENTED[opcode]
    bench = Bench(opcode, mode, name)
    seen = set()
    for case in bench.cases:
        memory = Memory(case.ram, bench.rom)
        expected = Registers(**vars(case.before))
        run_model(name, mode, expected, memory, case.address)
        # Only reads take a further cycle for a crossed page; writes always take it.
        more = case.crossed and name in {"LAX", "LAS", "NOP"}
        assert bench.run(case) == (expected, base_cycles + more, memory.ram), case
        if case.address is not None and is_rom(case.address):
            assert bench.console.peek(case.address) == bench.rom[case.address & 0xFFF]
        seen |= {("crossed", case.crossed), ("decimal", case.before.flag(D))}
    assert (("crossed", True) in seen) == (mode in INDEXED)
    assert {("crossed", False), ("decimal", 0), ("decimal", 1)} <= seen


def test_arr_of_every_byte() -> None:
    rom = bytes(byte for value in range(256) for byte in (0x6B, value)).ljust(4096, b"\0")
    console = _atari_debug.Console("4K", rom)
    for value in range(256):
        for flags in (0, C, D, D | C):
            state = Registers(0x1000 + 2 * value, 0xFF, 0, 0, 0xFF, B | U | flags)
            load(console, state, b"")
            console.step_instruction()
            run_model("ARR", "imm", state, Memory(bytes(128), rom), None)
            assert registers(console)[0] == state, (value, flags)


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        # A, X, SP and flags before and after, computed by hand from the descriptions.
        ("0B C1", (0x81, 0, 0xFF, 0), (0x81, 0, 0xFF, N | C)),
        ("4B 03", (0xFF, 0, 0xFF, 0), (0x01, 0, 0xFF, C)),
        ("8B FF", (0x00, 0xFF, 0xFF, C), (0xEE, 0xFF, 0xFF, N | C)),
        ("8B 11", (0x00, 0xFF, 0xFF, 0), (0x00, 0xFF, 0xFF, Z)),
        ("AB FF", (0x10, 0x00, 0xFF, 0), (0xFE, 0xFE, 0xFF, N)),
        ("CB 02", (0x0F, 0xF3, 0xFF, D), (0x0F, 0x01, 0xFF, D | C)),
        ("CB 04", (0x0F, 0xF3, 0xFF, V), (0x0F, 0xFF, 0xFF, V | N)),
        ("6B FF", (0xC0, 0, 0xFF, C), (0xE0, 0, 0xFF, N | C)),
        ("6B 80", (0xFF, 0, 0xFF, 0), (0x40, 0, 0xFF, C | V)),
        ("6B 40", (0xFF, 0, 0xFF, 0), (0x20, 0, 0xFF, V)),
        ("6B FF", (0x56, 0, 0xFF, D), (0x81, 0, 0xFF, D | C | V)),  # 2B + 66, per digit
        ("6B FF", (0x44, 0, 0xFF, D | C), (0xA2, 0, 0xFF, D | V | N)),
    ],
)
def test_examples(code: str, before: tuple[int, ...], after: tuple[int, ...]) -> None:
    console = _atari_debug.Console("4K", bytes.fromhex(code).ljust(4096, b"\0"))
    a, x, sp, flags = before
    load(console, Registers(0x1000, a, x, 0x55, sp, flags), b"")
    console.step_instruction()
    a, x, sp, flags = after
    assert registers(console)[0] == Registers(0x1002, a, x, 0x55, sp, B | U | flags)
