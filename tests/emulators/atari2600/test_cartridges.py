"""The mappers as a program sees them: the content of each address, and which accesses switch banks.

The reads and writes are instructions in the console's own RAM, which no bank switch affects.
"""

from __future__ import annotations

import importlib
import random
from typing import Any

import pytest

from .board import SIZES, Board, image_of

_atari_debug: Any = importlib.import_module("envpool_py._atari_debug")

BANK = 4096
F8 = {0xFF8: 0, 0xFF9: 1}
F6 = {0xFF6: 0, 0xFF7: 1, 0xFF8: 2, 0xFF9: 3}
HOT_SPOTS = {"F8": F8, "F8SC": F8, "DPC": F8, "F6": F6, "F6SC": F6}
FIRST_BANK = {"F8": 1, "F8SC": 1, "DPC": 1, "F6": 0, "F6SC": 0}
MIRRORS = tuple(0x1000 + 0x2000 * i for i in range(8))  # the processor has 13 address lines
ACCESSES = ("read", "write")

banked = pytest.mark.parametrize("mapper", HOT_SPOTS)
accessed = pytest.mark.parametrize("access", ACCESSES)


def addresses(first: int, last: int, count: int = 48) -> list[int]:
    """Returns the first address, the last one and some between."""
    draw = random.Random(first * BANK + last)
    return [first, last, *(draw.randint(first, last) for _ in range(count))]


@pytest.mark.parametrize("mapper", SIZES)
def test_image_has_the_mappers_size(mapper: str) -> None:
    size = SIZES[mapper]
    wrong = [0, size - 1, size + (257 if mapper == "DPC" else 1), 2 * size]
    for length in wrong:
        with pytest.raises(ValueError, match=f"expected {size} bytes for a {mapper} cartridge"):
            _atari_debug.Console(mapper, bytes(length))
    _atari_debug.Console(mapper, bytes(size))
    if mapper == "DPC":  # dumps have up to 256 further bytes
        _atari_debug.Console(mapper, bytes(size + 256))


def test_unknown_mapper() -> None:
    known = ", ".join(SIZES)
    with pytest.raises(ValueError, match=f"mapper: expected one of {known}, got '3F'"):
        _atari_debug.Console("3F", bytes(8192))


@pytest.mark.parametrize("mapper", ["2K", "4K"])
def test_without_banks_every_address_shows_the_image(mapper: str) -> None:
    """An image of 2 KiB appears twice; no access switches banks, and writes change nothing."""
    board = Board(mapper)
    for mirror in MIRRORS:
        for at in (*addresses(0, 0xFFF), *range(0xFE0, 0x1000)):
            board.write(mirror + at, ~board.image[at % SIZES[mapper]] & 0xFF)
            assert board.read(mirror + at) == board.image[at % SIZES[mapper]]
            assert board.console.peek(mirror + at) == board.image[at % SIZES[mapper]]


@banked
@accessed
def test_hot_spots_select_the_bank(mapper: str, access: str) -> None:
    board = Board(mapper)
    assert board.bank == FIRST_BANK[mapper]
    hot_spots = HOT_SPOTS[mapper]
    for mirror in MIRRORS:
        for before in hot_spots:
            for hot_spot, bank in hot_spots.items():
                board.access(access, 0x1000 + before)
                assert board.bank == hot_spots[before]
                board.access(access, mirror + hot_spot)
                assert board.bank == bank
    for hot_spot, bank in hot_spots.items():
        board.access(access, 0x1000 + hot_spot)
        for at in addresses(0x100, 0xFBF):
            expected = board.image[bank * BANK + at]
            assert (board.read(0xF000 + at), board.console.peek(0x1000 + at)) == (expected,) * 2


@banked
def test_hot_spot_reads_as_the_bank_that_it_selects(mapper: str) -> None:
    board = Board(mapper)
    for before in HOT_SPOTS[mapper]:
        for hot_spot, bank in HOT_SPOTS[mapper].items():
            board.read(0x1000 + before)
            assert board.read(0x1000 + hot_spot) == board.image[bank * BANK + hot_spot]


@banked
@accessed
def test_no_other_address_selects_a_bank(mapper: str, access: str) -> None:
    board = Board(mapper)
    for hot_spot in (min(HOT_SPOTS[mapper]), max(HOT_SPOTS[mapper])):
        board.read(0x1000 + hot_spot)
        for at in range(BANK):
            if at not in HOT_SPOTS[mapper]:
                board.access(access, 0xF000 + at)
        for low in range(0xFF0, 0x1000):  # without address line 12 the cartridge is not selected
            board.access("read", 0xEF00 | low)
        assert board.bank == HOT_SPOTS[mapper][hot_spot]


@banked
def test_program_runs_through_hot_spots(mapper: str) -> None:
    """Executes LDA # in the last two hot spots.

    The opcode comes from the bank that its own fetch selects.
    """
    image = image_of(mapper)
    other = HOT_SPOTS[mapper][0xFF8]
    for bank in HOT_SPOTS[mapper].values():
        image[bank * BANK + 0xFF8] = 0xA9 if bank == other else 0x02
    board = Board(mapper, image)
    last = max(HOT_SPOTS[mapper].values())
    board.read(0x1FF9)
    board.console.set_processor(pc=0xFFF8, a=0, x=0, y=0, sp=0xFF, status=0x30)
    board.console.step_instruction()
    assert not board.console.jammed
    assert board.console.processor()["a"] == image[last * BANK + 0xFF9]
    assert (board.bank, board.console.processor()["pc"]) == (last, 0xFFFA)


@banked
def test_reset_shows_the_first_bank_again(mapper: str) -> None:
    image = image_of(mapper)
    for bank in HOT_SPOTS[mapper].values():
        image[bank * BANK + 0xFFC : bank * BANK + 0xFFE] = bytes([0x10 + bank, 0xF4])
    board = Board(mapper, image)
    for hot_spot in HOT_SPOTS[mapper]:
        board.read(0x1000 + hot_spot)
        board.console.reset()
        assert board.bank == FIRST_BANK[mapper]
        assert board.console.processor()["pc"] == 0xF410 + FIRST_BANK[mapper]


@pytest.mark.parametrize("mapper", SIZES)
def test_peek_switches_nothing(mapper: str) -> None:
    board = Board(mapper)
    view = [board.console.peek(address) for address in range(0x1000, 0x4000)]
    assert [board.console.peek(address) for address in range(0x1000, 0x4000)] == view


with_memory = pytest.mark.parametrize("mapper", ["F8SC", "F6SC"])


@with_memory
def test_memory_is_written_low_and_read_high(mapper: str) -> None:
    board = Board(mapper)
    values = random.Random(128).randbytes(128)
    for i, value in enumerate(values):
        board.write(random.Random(i).choice(MIRRORS) + i, value)
    for hot_spot, bank in HOT_SPOTS[mapper].items():
        board.read(0x1000 + hot_spot)  # every bank has the RAM
        for i, value in enumerate(values):
            assert board.read(MIRRORS[i % 8] + 0x80 + i) == value
            assert board.console.peek(0x1080 + i) == value
        assert board.read(0x1100) == board.image[bank * BANK + 0x100]


@with_memory
def test_memory_is_not_written_high_nor_read_low(mapper: str) -> None:
    """Reads of write addresses return the bank's bytes; writes to read addresses do nothing."""
    board = Board(mapper)
    for i in range(128):
        board.write(0x1000 + i, i)
    for i in range(128):
        board.write(0x1080 + i, 0xFF)
        assert board.read(0x1000 + i) == board.image[FIRST_BANK[mapper] * BANK + i]
    assert [board.read(0x1080 + i) for i in range(128)] == list(range(128))


@with_memory
def test_memory_holds_anything_at_a_reset(mapper: str) -> None:
    """The console's generator fills it: equal for equal seeds, different after the next reset."""

    def memory(board: Board) -> bytes:
        return bytes(board.console.peek(0x1080 + i) for i in range(128))

    board, same, other = Board(mapper, seed=1), Board(mapper, seed=1), Board(mapper, seed=2)
    first = memory(board)
    assert len(set(first)) > 64
    assert memory(same) == first
    assert memory(other) != first
    board.console.reset()
    assert memory(board) != first
    same.console.reset()
    assert memory(same) == memory(board)


def e0_view(board: Board) -> list[int]:
    """Returns the number of the 1 KiB slice that each quarter of the address space shows."""
    slices = [board.image[i * 1024 : i * 1024 + 992] for i in range(8)]
    shown = []
    for quarter in range(4):
        start = 0x1000 + quarter * 1024
        view = bytes(board.console.peek(start + i) for i in range(992))
        shown.append(slices.index(view))
        for at in addresses(0, 991, count=4):
            assert board.read(start + at) == view[at]
    return shown


@accessed
def test_e0_shows_slices_in_three_quarters(access: str) -> None:
    board = Board("E0")
    expected = [4, 5, 6, 7]
    assert e0_view(board) == expected
    draw = random.Random(0xE0)
    hot_spots = list(range(24))  # eight slices for each of the first three quarters
    draw.shuffle(hot_spots)
    for hot_spot in hot_spots:
        board.access(access, draw.choice(MIRRORS) + 0xFE0 + hot_spot)
        expected[hot_spot // 8] = hot_spot % 8
        assert e0_view(board) == expected
    for at in (*range(0xF00, 0xFE0), *range(0xFF8, 0x1000)):
        board.access(access, 0x1000 + at)
    assert e0_view(board) == expected
    board.console.reset()
    assert e0_view(board) == [4, 5, 6, 7]


def test_e0_hot_spots_read_as_the_last_slice() -> None:
    board = Board("E0")
    for at in range(0xFE0, 0x1000):
        assert board.read(0xF000 + at) == board.image[7 * 1024 + (at & 0x3FF)]


def test_fe_shows_the_half_that_line_13_of_the_address_selects() -> None:
    """Line 13 set (as at 0xF000) selects the first half; no access has a lasting effect."""
    board = Board("FE")
    for mirror in MIRRORS:
        half = 0 if mirror & 0x2000 else BANK
        for at in (*addresses(0, 0xFFF), *range(0xFE0, 0x1000)):
            board.write(mirror + at, 0x55)
            assert board.read(mirror + at) == board.image[half + at]
            assert board.console.peek(mirror + at) == board.image[half + at]


def test_fe_subroutine_in_the_other_half() -> None:
    image = bytearray(8192)
    image[0x200:0x203] = bytes([0x20, 0x00, 0xD3])  # F200: JSR D300
    image[0x203:0x205] = bytes([0xA2, 0x07])  # F203: LDX #7
    image[BANK + 0x300 : BANK + 0x303] = bytes([0xA9, 0x42, 0x60])  # D300: LDA #42, RTS
    image[0xFFC:0xFFE] = bytes([0x00, 0xF2])
    board = Board("FE", image)
    for _ in range(4):
        board.console.step_instruction()
    now = board.console.processor()
    assert (now["pc"], now["a"], now["x"]) == (0xF205, 0x42, 7)
