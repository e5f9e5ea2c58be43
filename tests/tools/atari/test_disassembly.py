"""Instructions as text, and the addresses that they write."""

from __future__ import annotations

import pytest

from envpool_py import _atari_debug
from tools.atari.disassembly import decode, disassemble, format_listing, register_name

from .plays import peek_of


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("EA", "NOP"),
        ("0A", "ASL A"),
        ("A9 7F", "LDA #$7F"),
        ("D0 FE", "BNE $F000"),
        ("10 10", "BPL $F012"),
        ("85 90", "STA $90"),
        ("95 90", "STA $90,X"),
        ("B6 90", "LDX $90,Y"),
        ("85 02", "STA WSYNC"),
        ("A5 02", "LDA CXP0FB"),
        ("85 1B", "STA GRP0"),
        ("A5 3C", "LDA INPT4"),
        ("95 10", "STA RESP0,X"),
        ("E6 2A", "INC HMOVE"),
        ("8D 96 02", "STA TIM64T"),
        ("AD 84 02", "LDA INTIM"),
        ("AD 80 02", "LDA SWCHA"),
        ("8D 34 12", "STA $1234"),
        ("BD 00 F1", "LDA $F100,X"),
        ("B9 00 F1", "LDA $F100,Y"),
        ("4C 02 00", "JMP $0002"),
        ("20 34 F2", "JSR $F234"),
        ("6C 80 00", "JMP ($0080)"),
        ("A1 80", "LDA ($80,X)"),
        ("B1 02", "LDA ($02),Y"),
        ("A7 80", "LAX $80"),
        ("02", "JAM"),
    ],
)
def test_an_instruction_is_printed(program: str, text: str) -> None:
    data = bytes.fromhex(program)
    instruction = decode(peek_of(data).__getitem__, 0xF000)
    assert str(instruction) == text
    assert instruction.data == data


def test_names_of_registers() -> None:
    assert [register_name(address, write=True) for address in (0x00, 0x2C, 0x2D, 0x40)] == [
        "VSYNC",
        "CXCLR",
        "TIA2D",
        "VSYNC",
    ]
    assert [register_name(address, write=False) for address in (0x00, 0x0D, 0x0E, 0x30)] == [
        "CXM0P",
        "INPT5",
        "TIA0E",
        "CXM0P",
    ]
    riot = [0x280, 0x281, 0x282, 0x283, 0x294, 0x295, 0x296, 0x297, 0x284]
    assert [register_name(address, write=True) for address in riot] == (
        ["SWCHA", "SWACNT", "SWCHB", "SWBCNT", "TIM1T", "TIM8T", "TIM64T", "T1024T", "PA7EDGE"]
    )
    assert [register_name(address, write=False) for address in (0x284, 0x285)] == [
        "INTIM",
        "TIMINT",
    ]
    for address in (0x80, 0xFF, 0x180, 0xF000, 0x1000, 0x1280):
        assert register_name(address, write=True) is None


def test_a_listing_marks_lines_targets_and_gaps() -> None:
    memory = peek_of(bytes.fromhex("A2 03 CA D0 FD 85 02 EA"))
    listing = list(disassemble(memory.__getitem__, 0xF000, 4))
    assert [each.address for each in listing] == [0xF000, 0xF002, 0xF003, 0xF005]
    listing.append(decode({0xF010: 0x60}.__getitem__, 0xF010))
    assert format_listing(listing, frozenset({0xF005})).splitlines() == [
        "   F000  A2 03    LDX #$03",
        "   F002: CA       DEX",
        "   F003  D0 FD    BNE $F002",
        " > F005  85 02    STA WSYNC",
        "   ...",
        "   F010  60       RTS",
    ]


def registers(**values: int) -> _atari_debug.ProcessorState:
    state = {"pc": 0, "a": 0, "x": 0, "y": 0, "sp": 0xFF, "status": 0x30, "cycles": 0, "bank": 0}
    return {**state, "scanline": 0, **values}  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("program", "written"),
    [
        ("85 90", [(0x90, 0x11)]),
        ("86 90", [(0x90, 0x23)]),
        ("84 90", [(0x90, 0x05)]),
        ("87 90", [(0x90, 0x01)]),
        ("95 F0", [(0x13, 0x11)]),  # the address wraps within the zero page
        ("9D F0 F1", [(0xF213, 0x11)]),
        ("99 F0 F1", [(0xF1F5, 0x11)]),
        ("81 60", [(0xF0A0, 0x11)]),  # through the pointer at $83
        ("91 83", [(0xF0A5, 0x11)]),
        ("E6 90", [(0x90, None)]),
        ("0A", []),
        ("A5 90", []),
        ("48", [(0x1F, 0x11)]),
        ("08", [(0x1F, 0xB1)]),
        ("20 34 F2", [(0x1F, 0xF0), (0x1E, 0x02)]),
        ("00", [(0x1F, 0xF0), (0x1E, 0x02), (0x1D, 0xB1)]),
    ],
)
def test_what_an_instruction_writes(program: str, written: list[tuple[int, int | None]]) -> None:
    memory = {**peek_of(bytes.fromhex(program)), 0x83: 0xA0, 0x84: 0xF0}
    instruction = decode(memory.__getitem__, 0xF000)
    state = registers(a=0x11, x=0x23, y=0x05, sp=0x1F, status=0x81)
    assert instruction.written(state, memory.__getitem__) == written
