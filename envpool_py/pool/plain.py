"""Converts the settings of a pool to plain data, for pickle, JSON and later calls of `make`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from gymnasium.vector import AutoresetMode

__all__ = ["to_plain"]


def to_plain(value: Any) -> Any:
    """Returns an equal value made of None, bool, int, float, str, list, tuple and dict.

    NumPy scalars and members of enumerations become Python numbers, bytes become str, and arrays
    and other sequences become lists. Containers are copied, so later changes to the original do not
    affect the result. Any other value is returned as it is.
    """
    if isinstance(value, np.floating):
        return float(value)
    if isinstance(value, np.str_):
        return str(value)
    if isinstance(value, bytes):
        return value.decode()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, AutoresetMode):
        return value.value
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.ndarray):
        return to_plain(value.tolist())
    if isinstance(value, SupportsIndex):
        return operator.index(value)
    if isinstance(value, dict):
        return {_plain_key(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return tuple(to_plain(item) for item in value)
    if isinstance(value, Sequence):
        return [to_plain(item) for item in value]
    return value


def _plain_key(key: Any) -> Any:
    # `SupportsIndex` includes members of enumerations, such as MuJoCo's flags.
    return operator.index(key) if isinstance(key, SupportsIndex) else to_plain(key)
