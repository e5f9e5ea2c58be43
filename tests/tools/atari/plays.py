"""Consoles, differences and pictures shared by the tests of the tools."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np

from envpool_py import _atari_debug
from tools.atari.lockstep import Difference, Lockstep, Setup, random_play


def peek_of(program: bytes, start: int = 0xF000) -> dict[int, int]:
    return {start + i: byte for i, byte in enumerate(program)}


# The program draws frames of 263 scanlines, counted from the end of vertical sync. The color
# changes after 100 scanlines, 15 cycles into a line. A frame begins 5 cycles into a line.
FRAME_PROGRAM = """
A2 FF 9A
A9 02 85 02 85 00 85 02 85 02 85 02 A9 00 85 00
A9 1E 85 09
A2 64 85 02 CA D0 FB
A0 00 EA EA A9 86 85 09
A2 9F 85 02 CA D0 FB
4C 03 F0
"""


def program_console() -> _atari_debug.Console:
    code = bytes.fromhex(FRAME_PROGRAM)
    image = code + bytes(4096 - len(code) - 4) + bytes.fromhex("00 F0 00 F0")
    console = _atari_debug.Console("4K", image)
    for _ in range(3):
        console.run_frame()
    return console


def changed_pair(address: int, flip: int = 0xFF) -> Lockstep:
    """Plays a game for 50 frames, then changes bits of the reference's memory."""
    pair = Lockstep(Setup("pong", seed=3))
    assert random_play(pair, 50, np.random.default_rng(0)) is None
    pair.theirs.set_ram(address, int(pair.ours.ram()[address - 0x80]) ^ flip)
    return pair


def screen_difference() -> Difference:
    """Returns the difference after the reference's left bat in Pong has been moved."""
    pair = changed_pair(0xBC, 0x10)
    difference = pair.act(0)
    assert difference is not None
    assert difference.row is not None
    return difference


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
