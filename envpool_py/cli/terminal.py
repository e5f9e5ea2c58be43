"""A terminal in place of the window of `envpool-py play`: draws with coloured half blocks.

A terminal does not report when a key is released, so each key is pressed and released at once. Not
thread-safe.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import NDArray

from envpool_py.cli.window import Event, WindowError

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["TerminalWindow", "drawn", "fitted", "keys_of"]

# The bytes that terminals send for keys without a character, and pygame's names of the keys.
_SEQUENCES = {
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left",
    b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left",
}  # fmt: skip
_CHARACTERS = {b"\x1b": "escape", b" ": "space", b"\r": "return", b"\n": "return", b"\t": "tab"}
# Lines below the picture: the caption and what was printed last.
_TEXT_LINES = 3
_LARGEST_SCALE = 8


def keys_of(received: bytes) -> list[str]:
    """Returns the names of the keys that a terminal has sent."""
    keys = []
    while received:
        length = 3 if received[:3] in _SEQUENCES else 1
        key, received = received[:length], received[length:]
        name = _SEQUENCES.get(key) or _CHARACTERS.get(key) or key.decode("latin-1").lower()
        keys.append(name)
    return keys


def fitted(picture: NDArray[np.uint8], columns: int, lines: int) -> NDArray[np.uint8]:
    """Returns a picture with an even height that fits, two rows of pixels to a line.

    Small ones are enlarged, and large ones lose rows and columns of pixels.
    """
    height, width = picture.shape[:2]
    room = max(lines * 2, 2), max(columns, 1)
    scale = max(1, min(room[0] // height, room[1] // width, _LARGEST_SCALE))
    picture = picture.repeat(scale, axis=0).repeat(scale, axis=1)
    every = max(-(-picture.shape[0] // room[0]), -(-picture.shape[1] // room[1]))
    picture = picture[::every, ::every]
    odd = picture.shape[0] % 2
    return np.pad(picture, ((0, odd), (0, 0), (0, 0)))


def drawn(picture: NDArray[np.uint8]) -> list[str]:
    """Returns the lines of a picture with an even height, each with two rows of pixels."""
    lines = []
    for upper, lower in zip(picture[::2].tolist(), picture[1::2].tolist(), strict=True):
        line, last = [], None
        for (r, g, b), (s, h, c) in zip(upper, lower, strict=True):
            colours = f"\x1b[38;2;{r};{g};{b}m\x1b[48;2;{s};{h};{c}m"
            line.append("▀" if colours == last else f"{colours}▀")
            last = colours
        lines.append("".join([*line, "\x1b[0m"]))
    return lines


class TerminalWindow:
    """A window in the terminal. A context manager: leaving it restores the terminal.

    Args:
        keyboard: descriptor of the terminal's input.
        screen: its output.

    Raises:
        WindowError: the input or the output is no terminal.
    """

    def __init__(self, keyboard: int = 0, screen: TextIO | None = None) -> None:
        self._keyboard = keyboard
        self._screen = sys.stdout if screen is None else screen
        if not (os.isatty(keyboard) and self._screen.isatty()):
            raise WindowError("drawing needs a terminal: the input or the output is no terminal")
        self._before = termios.tcgetattr(keyboard)
        self._text = ""
        self._next = time.monotonic()

    def show(self, picture: NDArray[np.uint8], caption: str) -> None:
        """Shows a picture, uint8 (height, width, 3), and the caption below it."""
        size = os.get_terminal_size(self._screen.fileno())
        lines = drawn(fitted(picture, size.columns, size.lines - _TEXT_LINES))
        texts = (caption, self._text)
        lines += [text[: max(size.columns - 1, 0)] for text in texts]
        # Draws from the first line on, and clears the rest of each line and of the screen.
        self._screen.write("\x1b[H" + "\x1b[K\n".join(lines) + "\x1b[J")
        self._screen.flush()

    def events(self) -> Iterator[Event]:
        """Yields the keys since the last call, each as a press and a release."""
        while select.select([self._keyboard], [], [], 0.0)[0]:
            received = os.read(self._keyboard, 1024)
            if not received:
                yield Event("quit")
                return
            for key in keys_of(received):
                yield Event("press", key)
                yield Event("release", key)

    def print(self, text: str) -> None:
        """Shows a line below the caption, until the next one."""
        self._text = text

    def wait(self, fps: float) -> None:
        """Waits for the next frame, at `fps` frames a second."""
        self._next = max(self._next + 1.0 / fps, time.monotonic())
        time.sleep(max(self._next - time.monotonic(), 0.0))

    def __enter__(self) -> Self:
        tty.setcbreak(self._keyboard)
        self._screen.write("\x1b[?25l\x1b[2J")  # no cursor, an empty screen
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)
        self._screen.write("\x1b[0m\x1b[?25h\n")
        self._screen.flush()
