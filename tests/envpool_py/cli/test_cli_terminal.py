"""The window in the terminal: pictures as text, keys, and a game in a pseudo-terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from envpool_py.cli.terminal import TerminalWindow, drawn, fitted, keys_of
from envpool_py.cli.window import Event, WindowError


def test_keys_have_the_names_of_pygame() -> None:
    assert keys_of(b"\x1b[A\x1bOBq \x1b") == ["up", "down", "q", "space", "escape"]
    assert keys_of(b"\r\t1Z") == ["return", "tab", "1", "z"]
    assert keys_of(b"") == []


@pytest.mark.parametrize(
    ("height", "width", "columns", "lines", "shape"),
    [
        (8, 48, 100, 20, (16, 96)),  # scaled up twice
        (1, 5, 80, 20, (8, 40)),  # scaled up at most eight times
        (210, 160, 80, 30, (54, 40)),  # every fourth row and column of pixels
        (5, 5, 7, 3, (6, 5)),  # an even height
        (500, 400, 1, 1, (2, 1)),
    ],
)
def test_pictures_fit(
    height: int, width: int, columns: int, lines: int, shape: tuple[int, int]
) -> None:
    picture = fitted(np.full((height, width, 3), 7, np.uint8), columns, lines)
    assert picture.shape == (*shape, 3)
    assert shape[0] <= 2 * lines
    assert shape[1] <= columns


def test_half_blocks_have_the_colours_of_two_rows() -> None:
    picture = np.zeros((2, 3, 3), np.uint8)
    picture[0, :, 0] = 200
    picture[1, 2] = (1, 2, 3)
    assert drawn(picture) == [
        "\x1b[38;2;200;0;0m\x1b[48;2;0;0;0m▀▀\x1b[38;2;200;0;0m\x1b[48;2;1;2;3m▀\x1b[0m"
    ]


@contextlib.contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Opens a pseudo-terminal; yields the descriptors of the user's and the program's side."""
    user, program = pty.openpty()
    fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    try:
        yield user, program
    finally:
        os.close(user)
        os.close(program)


def test_it_needs_a_terminal() -> None:
    with Path(os.devnull).open() as nothing, pytest.raises(WindowError, match="no terminal"):
        TerminalWindow(nothing.fileno())


def test_keys_and_the_state_of_the_terminal() -> None:
    with terminal() as (user, program):
        before = termios.tcgetattr(program)
        screen = os.fdopen(os.dup(program), "w")
        with screen, TerminalWindow(program, screen) as window:
            assert not termios.tcgetattr(program)[3] & termios.ICANON
            assert list(window.events()) == []
            os.write(user, b"\x1b[C2")
            select.select([program], [], [], 60.0)
            assert list(window.events()) == [
                Event("press", "right"),
                Event("release", "right"),
                Event("press", "2"),
                Event("release", "2"),
            ]
        assert termios.tcgetattr(program) == before


def read_until(user: int, pattern: str) -> str:
    """Reads a program's output until the pattern matches; returns all of it."""
    text = ""
    while re.search(pattern, text, re.DOTALL) is None:
        readable, _, _ = select.select([user], [], [], 120.0)
        assert readable, f"{pattern!r} is not in {text!r}"
        text += os.read(user, 1 << 16).decode(errors="replace")
    return text


@pytest.mark.unsanitized  # a preloaded sanitizer library writes to the terminal
def test_a_game_is_played(tmp_path: Path) -> None:
    with terminal() as (user, program):
        command = [sys.executable, "-m", "envpool_py.cli", "play", "--terminal"]
        game = subprocess.Popen(
            [*command, "Catch-v0"], cwd=tmp_path, stdin=program, stdout=program, stderr=program
        )
        try:
            shown = read_until(user, r"step 0.*Catch-v0: .*escape: quit")
            assert "▀" in shown
            os.write(user, b"\x1b[C")  # cursor right
            read_until(user, r"step 1\b")
            os.write(user, b"\x1b")
            read_until(user, r"\x1b\[\?25h")  # the cursor is shown again
            assert game.wait(120) == 0
        finally:
            game.kill()
            game.wait()
