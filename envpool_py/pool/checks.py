"""Checks of single arguments. Each message names the argument, what was expected and what came."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from envpool_py.errors import InputError, InputTypeError, suggestion

__all__ = ["as_int", "choice", "flag", "integer", "seconds_or_none"]


def integer(
    name: str,
    value: Any,
    low: int,
    high: int,
    high_name: str = "",
    *,
    or_none: bool = False,
    advice: str = "",
) -> int:
    """Checks that an argument is an integer in [low, high], and returns it.

    Args:
        name: name of the argument.
        value: its value; not None.
        low: lowest valid value.
        high: highest valid value.
        high_name: what messages call `high`, such as "num_envs".
        or_none: whether messages say that None is valid too.
        advice: what the message adds if the value is 0.

    Raises:
        InputError: the value is out of range.
        InputTypeError: it is not an integer.
    """
    expected = f"an integer in [{low}, {high_name + ' = ' if high_name else ''}{high}]"
    if or_none:
        expected += " or None"
    number = as_int(name, value, expected)
    if not low <= number <= high:
        added = f" ({advice})" if advice and number == 0 else ""
        raise InputError(f"{name}: expected {expected}, got {number}{added}")
    return number


def as_int(name: str, value: Any, expected: str) -> int:
    """Returns an argument as an int; a bool is not one.

    Raises:
        InputTypeError: it is not an integer.
    """
    if isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{name}: expected {expected}, got bool {value}")
    try:
        return operator.index(value)
    except TypeError:
        raise InputTypeError(
            f"{name}: expected {expected}, got {type(value).__name__} {value!r}"
        ) from None


def seconds_or_none(name: str, value: Any) -> float | None:
    """Checks an argument that is None or a number of seconds in (0, 1e9), and returns it."""
    if value is None:
        return None
    if isinstance(value, (bool, str)) or not hasattr(value, "__float__"):
        raise InputTypeError(
            f"{name}: expected None or seconds as a number, got {type(value).__name__} {value!r}"
        )
    seconds = float(value)
    if not 0 < seconds < 1e9:
        raise InputError(f"{name}: expected None or seconds greater than 0, got {value!r}")
    return seconds


def flag(name: str, value: Any) -> bool:
    """Checks that an argument is a bool, and returns it."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputTypeError(f"{name}: expected a bool, got {type(value).__name__} {value!r}")


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Checks an argument that is one of some names, and returns it."""
    expected = " or ".join(map(repr, choices))
    if not isinstance(value, str):
        raise InputTypeError(f"{name}: expected {expected}, got {type(value).__name__} {value!r}")
    if value not in choices:
        raise InputError(f"{name}: expected {expected}, got {value!r}{suggestion(value, choices)}")
    return value
