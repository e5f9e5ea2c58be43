"""Decodes missions, for APIs that represent them as characters: dm_env, C++, DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool_py.errors import InputError, InputTypeError

__all__ = ["decode_mission"]


def decode_mission(mission: Any) -> str | list[str]:
    """Returns the text of missions that are given as characters.

    Args:
        mission: ASCII characters, uint8 (length,), or (n, length) for n environments, padded with
            zeros. Any argument of `numpy.asarray`.

    Returns:
        A str, or a list of n str.

    Raises:
        InputTypeError: the dtype is not uint8.
        InputError: the number of dimensions is not 1 or 2.
    """
    characters = np.asarray(mission)
    if characters.dtype != np.uint8:
        raise InputTypeError(f"mission: expected dtype uint8, got {characters.dtype}")
    if characters.ndim == 2:
        return [_text(row) for row in characters]
    if characters.ndim != 1:
        raise InputError(
            f"mission: expected shape (length,) or (n, length), got {characters.shape}"
        )
    return _text(characters)


def _text(characters: Any) -> str:
    text: str = characters.tobytes().partition(b"\0")[0].decode("ascii", "replace")
    return text
