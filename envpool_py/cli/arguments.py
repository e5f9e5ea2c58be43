"""Arguments that several commands take: their values, checked."""

from __future__ import annotations

import argparse
from pathlib import Path


def positive_int(text: str) -> int:
    """An argument that is a whole number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return value


def writable_path(text: str) -> Path:
    """An argument that names a file in a directory that exists."""
    path = Path(text)
    try:
        usable = path.parent.is_dir() and not path.is_dir()
    except OSError:  # such as a name that is too long
        usable = False
    if not usable:
        raise argparse.ArgumentTypeError(f"expected a file in an existing directory, got {text!r}")
    return path
