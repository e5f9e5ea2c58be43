"""The consoles that commands print to, and the exceptions that end a command."""

from __future__ import annotations

import os
import sys

from rich.console import Console

__all__ = ["UsageError", "make_console"]

# Without a terminal there is no width to fit: tables keep one line per row.
_WIDTH_WITHOUT_TERMINAL = 200


class UsageError(Exception):
    """The user asked for something invalid; the message is one line and names what is valid."""


class _Console(Console):
    """Lets the command handle a reader that has closed the pipe, which is not an error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def make_console(stderr: bool = False) -> Console:
    """A console on standard output, or on standard error.

    Colours and bars appear on a terminal only, and no colours where NO_COLOR is set.
    """
    stream = sys.stderr if stderr else sys.stdout
    fixed = None if stream.isatty() or "COLUMNS" in os.environ else _WIDTH_WITHOUT_TERMINAL
    return _Console(stderr=stderr, width=fixed, markup=False, highlight=False)
