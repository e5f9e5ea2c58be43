"""The tools for those who add games: what they find, what they print, and where they are right."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from envpool_py import _atari
from envpool_py.atari import roms
from envpool_py.atari.tools import __main__ as command
from envpool_py.atari.tools import lockstep
from envpool_py.atari.tools.disassembly import (
    decode,
    disassemble,
    format_listing,
    register_name,
)
from envpool_py.atari.tools.lockstep import Difference, Lockstep, Play, Setup, random_play
from envpool_py.atari.tools.picture import color_table, difference_picture, write_png
from envpool_py.atari.tools.report import report, save_picture
from envpool_py.atari.tools.trace import steps, trace_frame

# disassembly


def peek_of(program: bytes, start: int = 0xF000) -> dict[int, int]:
    return {start + i: byte for i, byte in enumerate(program)}


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


def registers(**values: int) -> _atari.ProcessorState:
    state = {"pc": 0, "a": 0, "x": 0, "y": 0, "sp": 0xFF, "status": 0x30, "cycles": 0, "bank": 0}
    return {**state, "scanline": 0, **values}  # type: ignore[typeddict-item]


@pytest.mark.parametrize(
    ("program", "written"),
    [
        ("85 90", [(0x90, 0x11)]),
        ("86 90", [(0x90, 0x23)]),
        ("84 90", [(0x90, 0x05)]),
        ("87 90", [(0x90, 0x01)]),
        ("95 F0", [(0x13, 0x11)]),  # wraps in the zero page
        ("9D F0 F1", [(0xF213, 0x11)]),
        ("99 F0 F1", [(0xF1F5, 0x11)]),
        ("81 60", [(0xF0A0, 0x11)]),  # by the pointer at $83
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


# trace

# A frame of 263 scanlines, counted from the end of vertical sync: one color, and another one
# 100 scanlines later, 15 cycles into its line. The frame itself begins 5 cycles into a line.
FRAME_PROGRAM = """
A2 FF 9A
A9 02 85 02 85 00 85 02 85 02 85 02 A9 00 85 00
A9 1E 85 09
A2 64 85 02 CA D0 FB
A0 00 EA EA A9 86 85 09
A2 9F 85 02 CA D0 FB
4C 03 F0
"""


def program_console() -> _atari.Console:
    code = bytes.fromhex(FRAME_PROGRAM)
    image = code + bytes(4096 - len(code) - 4) + bytes.fromhex("00 F0 00 F0")
    console = _atari.Console("4K", image)
    for _ in range(3):
        console.run_frame()
    return console


def test_a_trace_has_each_write_where_it_happens() -> None:
    console = program_console()
    after = program_console()
    after.run_frame()
    trace = trace_frame(console)
    assert np.array_equal(trace.ram, after.ram())
    assert np.array_equal(console.screen(), after.screen())
    colors = [write for write in trace.writes if write.register == "COLUBK"]
    assert [(write.value, write.scanline, write.clock) for write in colors[:2]] == [
        (0x1E, 0, 30),
        (0x86, 100, 45),
    ]
    assert colors[1].instruction.address == 0xF024
    assert [write.cycle * 3 for write in colors[:2]] == [30 - 15, 100 * 228 + 45 - 15]
    waits = [write for write in trace.writes if write.register == "WSYNC"]
    assert len(waits) == 263
    assert str(colors[1]).endswith("COLUBK = $86  by 0:F024 STA COLUBK")


def test_a_trace_finds_the_scanline_of_the_first_row() -> None:
    console = program_console()
    screen = console.screen()
    trace = trace_frame(console)
    change = int(np.nonzero(screen[:, 159] != screen[0, 159])[0][0])
    assert trace.first_line is None  # each frame is like the one before
    colors = [write for write in trace.writes if write.register == "COLUBK"]
    assert colors[1].scanline - change == 34
    for game in ("pong", "qbert", "pooyan"):
        runner = _atari.GameRunner(_atari.Rom(game, roms.rom_bytes(game)), seed=1)
        runner.run([0, 1, 3, 4] * 50)
        found = [trace_frame(runner).first_line for _ in range(8)]
        assert {line for line in found if line is not None} == {
            {"pong": 34, "qbert": 40, "pooyan": 26}[game]
        }


def test_the_steps_of_a_frame_are_the_frame() -> None:
    rom = _atari.Rom("pong", roms.rom_bytes("pong"))
    whole, stepped = (_atari.GameRunner(rom, repeat_action_probability=0.0) for _ in range(2))
    for runner in (whole, stepped):
        runner.run([0] * 10)
    whole.act(0)
    addresses = [step.instruction.address for step in steps(stepped)]
    assert np.array_equal(whole.ram(), stepped.ram())
    assert np.array_equal(whole.screen(), stepped.screen())
    assert whole.processor() == stepped.processor()
    assert len(addresses) > 1000
    assert min(addresses) >= 0xF000


def test_a_frame_that_the_program_does_not_end_goes_on() -> None:
    program = bytes.fromhex("8D 96 02 4C 00 F0")  # sets the timer, for ever: 7 cycles
    console = _atari.Console("4K", program + bytes(4086) + bytes.fromhex("00 F0 00 F0"))
    first, second = list(steps(console)), list(steps(console))
    assert len(first) == len(second) == 25_000
    assert [step.processor["cycles"] for step in first[:3]] == [0, 4, 7]
    assert [step.processor["cycles"] for step in second[:3]] == [87_500, 87_504, 87_507]
    (write, *_) = trace_frame(console).writes
    assert (write.register, write.cycle) == ("TIM64T", 175_004)


# lockstep


def changed_pair(address: int, flip: int = 0xFF) -> Lockstep:
    """A game 50 frames old, then with a bit of the reference's memory changed."""
    pair = Lockstep(Setup("pong", seed=3))
    assert random_play(pair, 50, np.random.default_rng(0)) is None
    pair.theirs.set_ram(address, int(pair.ours.ram()[address - 0x80]) ^ flip)
    return pair


def test_equal_consoles_stay_equal() -> None:
    pair = Lockstep(Setup("breakout", seed=5, max_num_frames_per_episode=90))
    play = Play(full_actions=True, reset=0.02, save=0.05, restore=0.05, strengths=True)
    assert random_play(pair, 300, np.random.default_rng(1), play) is None
    assert pair.frame == 300
    assert pair.set_variant(4, 1) is None
    assert (pair.ours.mode, pair.theirs.difficulty) == (4, 1)


def test_a_byte_of_memory_that_differs_is_named() -> None:
    pair = changed_pair(0x95)
    difference = pair.compare("a change")
    assert difference is not None
    (field,) = difference.fields
    ours = pair.ours.ram()[0x15]
    assert field == f"RAM: $95 is 0x{ours:02X}, theirs 0x{ours ^ 0xFF:02X}"
    assert difference.row is None
    assert str(difference).startswith(
        "pong mode 0 difficulty 0 seed 3 sticky 0.25 frame 50, after a change: RAM: $95"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("terminal", True),
        ("truncated", True),
        ("lives", 7),
        ("frame_number", -1),
        ("episode_frame_number", -1),
        ("mode", 1),
        ("difficulty", 1),
    ],
)
def test_every_field_is_compared(name: str, value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong"))
    monkeypatch.setattr(type(pair.theirs), name, property(lambda self: value))
    difference = pair.act(0)
    assert difference is not None
    (field,) = difference.fields
    assert field.startswith(f"{name} ")
    assert field.endswith(f"theirs {value}")


def test_a_reward_that_differs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong"))
    act = pair.theirs.act
    monkeypatch.setattr(pair.theirs, "act", lambda *arguments: act(*arguments) + 3)
    difference = pair.act(0)
    assert difference is not None
    assert difference.fields == ("reward 0, theirs 3",)


def test_a_picture_of_another_height_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong"))
    monkeypatch.setattr(pair.theirs, "screen", lambda: np.zeros((250, 160), np.uint8))
    difference = pair.compare("a look")
    assert difference is not None
    assert difference.fields == ("screen of shape (210, 160), theirs (250, 160)",)


def test_restores_with_and_without_the_generator_are_followed() -> None:
    pair = Lockstep(Setup("pong", seed=9, repeat_action_probability=0.5))
    rng = np.random.default_rng(4)
    for with_random in (False, True):
        states = pair.snapshot(with_random=with_random)
        assert random_play(pair, 40, rng) is None
        assert pair.restore(states) is None
        assert random_play(pair, 40, rng) is None


def test_variants_that_are_over_at_once_are_not_only_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = Lockstep(Setup("pong", max_num_frames_per_episode=1))
    resets = []
    reset = pair.reset
    monkeypatch.setattr(pair, "reset", lambda: resets.append(pair.frame) or reset())
    assert random_play(pair, 400, np.random.default_rng(2)) is None
    assert 1 <= len(resets) <= 25


# report


def screen_difference() -> Difference:
    """Pong with the reference's left bat moved."""
    pair = changed_pair(0xBC, 0x10)
    difference = pair.act(0)
    assert difference is not None
    assert difference.row is not None
    return difference


def test_a_report_says_where_and_shows_the_writes_and_their_code() -> None:
    difference = screen_difference()
    text = report(difference, writes=9)
    lines = text.splitlines()
    assert lines[0] == (
        "pong, mode 0, difficulty 0, seed 3, sticky 0.25: frame 50 differs after action 0 "
        "(frame 50 since the start)"
    )
    assert f"  {difference.fields[0]}" in lines
    scanline = difference.row + 34
    assert f"The screen first differs in row {difference.row}, scanline {scanline}." in lines
    begin = lines.index("The last 9 register writes before it:") + 1
    writes = lines[begin : begin + 9]
    numbers = [int(write.split()[1]) for write in writes]
    assert numbers == sorted(numbers)
    assert numbers[-1] == scanline
    code = lines[lines.index("The code that made them:") :]
    last = writes[-1].rsplit(" by ", 1)[1]
    address, instruction = last.split(":")[1].split(" ", 1)
    assert any(line.startswith(f" > {address}") and line.endswith(instruction) for line in code)


def test_a_report_without_a_frame_has_no_trace() -> None:
    pair = changed_pair(0x95)
    assert pair.reset() is None  # it clears the memory
    pair.theirs.set_ram(0x95, int(pair.ours.ram()[0x15]) ^ 1)
    difference = pair.compare("a look")
    assert difference is not None
    assert "no trace" in report(difference)


@pytest.mark.parametrize("action", [0, 2])
def test_a_report_says_when_the_controls_make_its_trace_another_frame(action: int) -> None:
    pair = Lockstep(Setup("alien", repeat_action_probability=0.0))
    for _ in range(200):
        assert pair.act(0) is None
    pair.theirs.set_ram(0x80, int(pair.ours.ram()[0]) ^ 0xFF)
    difference = pair.act(action)
    assert difference is not None
    # The trace has the controls of the frame before, when nobody held the stick.
    assert ("take it with care" in report(difference)) == (action != 0)


# picture


def read_png(path: Path) -> np.ndarray:
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(kind + body)
        chunks[kind] = body
        at += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *form = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert form == [8, 2, 0, 0, 0]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 3)


def test_a_png_file_holds_the_picture(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(256, size=(5, 7, 3), dtype=np.uint8)
    write_png(tmp_path / "a.png", picture)
    assert np.array_equal(read_png(tmp_path / "a.png"), picture)


def test_the_picture_shows_both_screens_and_where_they_differ(tmp_path: Path) -> None:
    difference = screen_difference()
    save_picture(difference, tmp_path / "difference.png")
    picture = read_png(tmp_path / "difference.png")
    height, width = 210, 160
    assert picture.shape == (2 * height, 3 * 4 * width + 8, 3)
    ours, theirs, marks = (picture[::2, start : start + 4 * width : 4] for start in (0, 644, 1288))
    assert np.array_equal(theirs, difference.theirs_rgb)
    differs = difference.ours != difference.theirs
    assert np.array_equal((marks == (255, 0, 0)).all(axis=2), differs)
    assert np.array_equal(ours[~differs], theirs[~differs])


def test_screens_of_different_heights_differ_in_the_rest() -> None:
    palette = color_table(np.zeros((1, 1), np.uint8), np.zeros((1, 1, 3), np.uint8))
    ours, theirs = np.zeros((3, 160), np.uint8), np.zeros((5, 160), np.uint8)
    marks = difference_picture(ours, theirs, palette, scale=1)[:, -320:]
    assert (marks == (255, 0, 0)).all(axis=2).any(axis=1).tolist() == [False] * 3 + [True] * 2


def test_colors_that_no_screen_showed_are_roughly_those_of_ntsc() -> None:
    palette = color_table(np.array([[0x44]], np.uint8), np.array([[[1, 2, 3]]], np.uint8))
    assert palette[0x44].tolist() == [1, 2, 3]
    assert palette[0x00].tolist() == [0, 0, 0]
    assert palette[0x0E].tolist() == [255, 255, 255]
    red, green, blue = (palette[number].astype(int) for number in (0x46, 0xC6, 0x86))
    assert red.argmax() == 0
    assert green.argmax() == 1
    assert blue.argmax() == 2


# command line


def test_compare_without_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = "compare pong --frames 60 --seed 3 --mode 1 --difficulty 2 --full-actions"
    assert command.main([*arguments.split(), "--sticky", "0", "--restore", "0.1"]) == 0
    assert capsys.readouterr().out == "pong: no difference in 60 frames\n"


def test_compare_describes_a_difference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Broken(Lockstep):
        def act(self, action: int, strength: float = 1.0) -> Difference | None:
            if self.frame == 20:
                self.theirs.set_ram(0xBC, int(self.ours.ram()[0x3C]) ^ 0x10)
            return super().act(action, strength)

    monkeypatch.setattr(lockstep, "Lockstep", Broken)
    path = tmp_path / "out.png"
    arguments = ["compare", "pong", "--frames", "60", "--writes", "5", "--picture", str(path)]
    assert command.main(arguments) == 1
    printed = capsys.readouterr().out
    assert "frame 20 differs" in printed
    assert "The last 5 register writes before it:" in printed
    assert read_png(path).shape == (420, 1928, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare pongg", 'got "pongg"; did you mean "pong"?'),
        ("compare pong --mode 9", "mode: pong has 0, 1, got 9"),
        ("compare pong --difficulty 9", "difficulty: pong has 0, 1, 2, 3, got 9"),
        ("disassemble none", 'got "none"'),
    ],
)
def test_wrong_arguments(arguments: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(arguments.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: ")
    assert message in printed.err


def test_disassemble_begins_where_the_program_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["disassemble", "pong", "--count", "3"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "   F000  78       SEI",
        "   F001  D8       CLD",
        "   F002  A2 FF    LDX #$FF",
    ]
    assert command.main(["disassemble", "pong", "--count", "1", "--start", "F00E"]) == 0
    assert capsys.readouterr().out == "   F00E  85 02    STA WSYNC\n"


def test_trace_prints_every_instruction(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["trace", "pong", "--frames", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1000
    assert lines[0].startswith("line   0 cycle      0  0:F0")
    assert any(" STA WSYNC " in line for line in lines)
