"""The twelve opcodes that halt a 6507 until it is reset."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from .processor_cases import JAMS, MODES, B, D, N, Registers, U, load, registers

_atari_debug: Any = importlib.import_module("envpool_py._atari_debug")


@pytest.mark.parametrize("opcode", JAMS)
def test_jam_halts_the_processor_for_good(opcode: int) -> None:
    rom = bytearray(b"\xea" * 4096)
    rom[0x123] = opcode
    rom[0xFFC:0xFFE] = bytes([0x21, 0xF1])
    console = _atari_debug.Console("4K", bytes(rom))
    state = Registers(0xF122, 1, 2, 3, 0x84, N | D | B | U)
    load(console, state, bytes(range(128)))
    console.step_instruction()
    assert not console.jammed
    console.step_instruction()
    state.pc = 0xF123
    halted = registers(console)
    assert console.jammed
    assert halted[0] == state
    console.step_instruction()
    console.run_frame()
    screen = console.screen().tobytes()
    for _ in range(2000):  # the halted processor takes no cycles
        console.run_frame()
    assert console.jammed
    assert registers(console) == halted
    assert bytes(console.ram()) == bytes(range(128))
    assert console.screen().tobytes() == screen
    console.reset()
    assert not console.jammed
    assert registers(console) == (Registers(0xF121, 0, 0, 0, 0xFF, B | U), 0)
    for _ in range(2):
        console.step_instruction()
    assert (console.processor()["pc"], console.jammed) == (0xF123, False)
    console.run_frame()  # the opcode halts the processor within a frame too
    assert (console.processor()["pc"], console.jammed) == (0xF123, True)


def test_table_says_which_opcodes_jam() -> None:
    jams = [code for code, opcode in enumerate(_atari_debug.opcodes()) if opcode[0] == "JAM"]
    assert tuple(jams) == JAMS
    assert {_atari_debug.opcodes()[code][1:3] for code in JAMS} == {(MODES.index("imp"), 1)}
