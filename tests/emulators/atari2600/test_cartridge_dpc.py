"""The DPC chip in Pitfall II's cartridge, register by register, compared with ale-py's model.

In read addresses, 0x1000 to 0x103F, the lower three bits select one of eight data fetchers, the
next three the function. Write addresses, 0x1040 to 0x107F, are encoded in the same way. The banks
are tested in `test_cartridges.py`.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from .board import Board, image_of

RANDOM, DISPLAY, MASKED, FLAG = 0x1000, 0x1008, 0x1010, 0x1038
AMPLITUDE = 0x1004
TOP, BOTTOM, LOW, HIGH, RESTART = 0x1040, 0x1048, 0x1050, 0x1058, 0x1070
VSYNC = 0x00  # a register of the TIA; writing 2 and then 0 ends the frame
MUSIC = 0x10  # bit in the high byte of the counters 5 to 7
TICKS_PER_CYCLE = Fraction(15750) / Fraction("1193191.66666667")
AMPLITUDES = (0, 4, 5, 9, 6, 10, 11, 15)


def display_of(board: Board, counter: int) -> int:
    """Returns the byte at a counter; the graphics are stored from the last counter to the first."""
    return board.image[8192 + 2047 - counter]


def set_counter(board: Board, fetcher: int, counter: int) -> None:
    board.write(LOW + fetcher, counter & 0xFF)
    board.write(HIGH + fetcher, counter >> 8)


def cycles(board: Board) -> int:
    return int(board.console.processor()["cycles"])


def wait_until(board: Board, cycle: int) -> None:
    """Executes NOPs (2 cycles), and first a JMP (3 cycles) if the number of cycles is odd."""
    if (cycle - cycles(board)) % 2:
        board.execute(0x4C, 0x00, 0xF1)
    while cycles(board) < cycle:
        board.execute(0xEA)
    assert cycles(board) == cycle


def test_random_bytes() -> None:
    """The generator is an 8-bit register that shifts left. The new bit is 1 if bits 7, 5, 4 and 3
    have an even number of ones. From 1 it goes through all values but 0xFF.
    """
    board = Board("DPC")
    board.write(RESTART + 3, 0x77)  # the value and the fetcher do not matter
    values = [board.read(RANDOM + i % 4) for i in range(255)]
    assert values[:12] == [0x03, 0x07, 0x0F, 0x1E, 0x3D, 0x7A, 0xF4, 0xE8, 0xD0, 0xA1, 0x43, 0x87]
    assert values[-1] == 1
    assert sorted(values) == list(range(255))
    board.write(RESTART, 0)
    assert [board.read(RANDOM) for _ in range(255)] == values


def test_random_bytes_start_with_the_console_and_outlast_its_reset() -> None:
    board = Board("DPC")
    first = [board.read(RANDOM) for _ in range(9)]
    board.console.reset()
    second = [board.read(RANDOM) for _ in range(9)]
    board.write(RESTART, 0)
    values = [board.read(RANDOM) for _ in range(255)]
    # Power-on and reset read the vector from the page of the hot spots, which clocks twice.
    assert first == values[2:11]
    assert second == values[13:22]


@pytest.mark.parametrize(
    ("address", "clocks_of_a_read", "clocks_of_a_write"),
    [
        (0x1020, 1, 1), (0x103F, 1, 1), (0x1040, 1, 1), (0x107F, 1, 1),  # all registers
        (0x1FC0, 1, 1), (0x1FF8, 1, 1), (0x1FFF, 1, 1),  # the page of the hot spots
        (0x1080, 0, 0), (0x1FBF, 0, 0), (0x00F0, 0, 0),  # the rest of the cartridge, and RAM
    ],
)  # fmt: skip
def test_what_clocks_the_random_bytes(
    address: int, clocks_of_a_read: int, clocks_of_a_write: int
) -> None:
    board = Board("DPC")
    board.write(RESTART, 0)
    values = [board.read(RANDOM) for _ in range(40)]
    board.write(RESTART, 0)
    for _ in range(5):
        board.read(address)
    assert board.read(RANDOM) == values[5 * clocks_of_a_read]
    board.write(RESTART, 0)
    for _ in range(5):
        board.write(address, 0)
    assert board.read(RANDOM) == values[5 * clocks_of_a_write]


def test_instruction_that_modifies_writes_once() -> None:
    """INC of a register clocks twice; with the 6507's double write it would clock three times."""
    board = Board("DPC")
    board.write(RESTART, 0)
    values = [board.read(RANDOM) for _ in range(40)]
    board.write(RESTART, 0)
    board.execute(0xEE, 0x61, 0x10)
    assert board.read(RANDOM) == values[2]


@pytest.mark.parametrize("fetcher", range(8))
def test_display_data(fetcher: int) -> None:
    """Every read decrements the counter, which wraps at 2 KiB."""
    board = Board("DPC")
    set_counter(board, fetcher, 0x7FF)
    assert [board.read(DISPLAY + fetcher) for _ in range(2048 + 3)] == [
        display_of(board, counter % 2048) for counter in range(2047, -4, -1)
    ]
    board.write(HIGH + fetcher, 0xEB)  # only the lower three bits are used: 0x3FC
    assert board.read(DISPLAY + fetcher) == display_of(board, 0x3FC)


@pytest.mark.parametrize("fetcher", range(8))
def test_flag_is_set_from_top_to_bottom(fetcher: int) -> None:
    board = Board("DPC")
    board.write(TOP + fetcher, 0x20)
    board.write(BOTTOM + fetcher, 0x10)
    set_counter(board, fetcher, 0x223)
    seen = [board.read(FLAG + fetcher) for _ in range(0x18)]
    assert seen == [0] * 3 + [0xFF] * 16 + [0] * 5
    set_counter(board, fetcher, 0x223)
    for counter in range(0x223, 0x208, -1):
        shown = 0x210 < counter <= 0x220
        expected = display_of(board, counter) if shown else 0
        assert board.read(MASKED + fetcher) == expected
    set_counter(board, fetcher, 0x120)
    assert board.read(FLAG + fetcher) == 0xFF
    board.write(TOP + fetcher, 0x80)  # writing the top clears the flag
    assert board.read(FLAG + fetcher) == 0


def test_top_goes_before_bottom() -> None:
    board = Board("DPC")
    board.write(TOP, 0x44)
    board.write(BOTTOM, 0x44)
    set_counter(board, 0, 0x44)
    assert board.read(FLAG) == 0xFF


def test_reads_without_a_function_are_0_but_count() -> None:
    board = Board("DPC")
    for function in range(3, 7):
        for fetcher in range(8):
            set_counter(board, fetcher, 0x300)
            assert board.read(0x1000 + 8 * function + fetcher) == 0
            assert board.read(DISPLAY + fetcher) == display_of(board, 0x2FF)
    for fetcher in range(4):  # reads of random bytes count too
        set_counter(board, fetcher, 0x300)
        board.read(RANDOM + fetcher)
        assert board.read(DISPLAY + fetcher) == display_of(board, 0x2FF)


def test_registers_to_write_read_as_the_program() -> None:
    board = Board("DPC")
    for at in range(0x40, 0x80):
        assert board.read(0x1000 + at) == board.image[4096 + at]


@pytest.mark.parametrize("voices", range(8))
def test_music_adds_up_the_voices(voices: int) -> None:
    """A voice with a top of 200 and a bottom of 0 sounds after its first tick."""
    board = Board("DPC")
    for voice in range(3):
        fetcher = 5 + voice
        board.write(TOP + fetcher, 200)
        board.write(BOTTOM + fetcher, 0)
        board.write(LOW + fetcher, 100)
        board.write(HIGH + fetcher, MUSIC if voices >> voice & 1 else 0)
    assert board.read(AMPLITUDE) == 0
    wait_until(board, cycles(board) + 156)  # two ticks
    for register in range(4):
        assert board.read(AMPLITUDE + register) == AMPLITUDES[voices]


@pytest.mark.parametrize(("top", "bottom"), [(11, 5), (1, 0), (40, 3), (0, 0), (9, 9), (255, 77)])
def test_square_wave(top: int, bottom: int) -> None:
    """A fetcher in music mode counts from top to 0 repeatedly, at 15,750 Hz, and sounds above the
    bottom. Writing any value to its counter restarts it at the top.
    """
    board = Board("DPC")
    board.write(HIGH + 6, MUSIC)
    board.write(TOP + 6, top)
    board.write(BOTTOM + 6, bottom)
    board.read(AMPLITUDE)
    start = ticks_at(cycles(board))
    board.write(LOW + 6, 0x99)
    heard = []
    for _ in range(3 * min(top + 1, 60)):
        board.read(AMPLITUDE + 3)
        counter = (top - (ticks_at(cycles(board)) - start)) % (top + 1)
        heard.append((board.read(FLAG + 6), counter))
        wait_until(board, cycles(board) + 71)  # a tick is 75.8 cycles
    assert len({counter for _, counter in heard}) >= min(top + 1, 60)
    for sound, counter in heard:
        # At the top, reading the flag sets it, even if the bottom leaves no wave.
        assert sound == (0xFF if counter > bottom or counter == top else 0)


def ticks_at(cycle: int) -> int:
    return int(cycle * TICKS_PER_CYCLE)


class Model:
    """A second, slow implementation of the chip, for combinations that no test above has."""

    def __init__(self, graphics: bytes) -> None:
        self.graphics = graphics
        self.fetchers = [dict.fromkeys(("top", "bottom", "counter", "flag"), 0) for _ in range(8)]
        self.music = [False] * 8
        self.random = 0x07  # 1, clocked twice by the reset's vector
        self.ticks = 0

    def clock(self) -> None:
        ones = (self.random & 0b10111000).bit_count()
        self.random = (self.random * 2 + (ones % 2 == 0)) % 256

    def read(self, register: int, cycle: int) -> int:
        self.clock()
        function, index = divmod(register, 8)
        fetcher = self.fetchers[index]
        low = fetcher["counter"] % 256
        if low in (fetcher["top"], fetcher["bottom"]):
            fetcher["flag"] = 0xFF if low == fetcher["top"] else 0
        display = self.graphics[-1 - fetcher["counter"]]
        if function == 0:
            value = self.random if index < 4 else self.amplitude(cycle)
        else:
            value = {1: display, 2: display & fetcher["flag"], 7: fetcher["flag"]}.get(function, 0)
        if not self.music[index]:
            fetcher["counter"] = (fetcher["counter"] - 1) % 2048
        return value

    def amplitude(self, cycle: int) -> int:
        passed = ticks_at(cycle) - self.ticks
        self.ticks += passed
        sounding = 0
        for index in (5, 6, 7):
            fetcher = self.fetchers[index]
            if not self.music[index]:
                continue
            if passed:
                low = fetcher["counter"] % 256 if fetcher["top"] else 0
                low -= passed % (fetcher["top"] + 1)
                low = low + fetcher["top"] + 1 if low < 0 else low
                if low <= max(fetcher["bottom"], fetcher["top"]):
                    fetcher["flag"] = 0 if low <= fetcher["bottom"] else 0xFF
                fetcher["counter"] += low - fetcher["counter"] % 256
            sounding |= (fetcher["flag"] != 0) << (index - 5)
        return AMPLITUDES[sounding]

    def write(self, register: int, value: int) -> None:
        self.clock()
        function, index = divmod(register, 8)
        fetcher = self.fetchers[index]
        high, low = divmod(fetcher["counter"], 256)
        if function == 0:
            fetcher.update(top=value, flag=0)
        elif function == 1:
            fetcher["bottom"] = value
        elif function == 2:
            fetcher["counter"] = high * 256 + (fetcher["top"] if self.music[index] else value)
        elif function == 3:
            fetcher["counter"] = value % 8 * 256 + low
            self.music[index] = index >= 5 and value & MUSIC != 0
        elif function == 6:
            self.random = 1


@pytest.mark.parametrize("seed", range(4))
def test_any_accesses(seed: int) -> None:
    """Includes ends of frames, which restart the console's cycle count but not the music."""
    draw = random.Random(seed)
    image = image_of("DPC")
    board, model = Board("DPC", image), Model(bytes(image[8192:]))
    edges = (0, 1, 2, 3, 0x10, 0x13, 0xFF)
    past = frames = 0  # cycles of the frames before, number of frames ended
    for i in range(4000):
        register = draw.randrange(64)
        if draw.random() < 0.4:
            value = draw.choice(edges) if draw.random() < 0.7 else draw.randrange(256)
            board.write(0x1040 + register, value)
            model.write(register, value)
        else:
            got = board.read(0x1000 + register)
            assert got == model.read(register, past + cycles(board))
        if i % 500 == 499:
            board.write(VSYNC, 2)
            wait_until(board, cycles(board) + 80)  # at least one line
            board.write(VSYNC, 0)
            past += cycles(board)
            board.execute(0xEA)
            frames += cycles(board) == 2
    assert frames == 8
