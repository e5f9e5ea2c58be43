"""Consoles with any cartridge, for tests of what a program can read and write."""

from __future__ import annotations

import importlib
import random
from typing import Any

_atari_debug: Any = importlib.import_module("envpool_py._atari_debug")

SIZES = {
    "2K": 2048, "4K": 4096, "F8": 8192, "F8SC": 8192, "F6": 16384, "F6SC": 16384,
    "E0": 8192, "FE": 8192, "DPC": 10240,
}  # fmt: skip


def image_of(mapper: str) -> bytearray:
    return bytearray(random.Random(f"image of {mapper}").randbytes(SIZES[mapper]))


class Board:
    """A console that executes one given instruction at a time."""

    def __init__(self, mapper: str, image: bytes | bytearray | None = None, seed: int = 0) -> None:
        self.image = bytes(image_of(mapper) if image is None else image)
        self.console = _atari_debug.Console(mapper, self.image, seed=seed)

    @property
    def bank(self) -> int:
        return int(self.console.processor()["bank"])

    def execute(self, *code: int, a: int = 0) -> int:
        """Executes an instruction and returns the accumulator."""
        for i, byte in enumerate(code):
            self.console.set_ram(i, byte)
        self.console.set_processor(pc=0x80, a=a, x=0, y=0, sp=0xFF, status=0x30)
        self.console.step_instruction()
        return int(self.console.processor()["a"])

    def read(self, address: int) -> int:
        return self.execute(0xAD, address & 0xFF, address >> 8)  # LDA

    def write(self, address: int, value: int) -> None:
        self.execute(0x8D, address & 0xFF, address >> 8, a=value)  # STA

    def access(self, how: str, address: int) -> None:
        if how == "read":
            self.read(address)
        else:
            self.write(address, 0xA5)
