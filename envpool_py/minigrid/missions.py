"""Missions as text, for programs that get them as characters: dm_env, C++, DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool_py.errors import InputError, InputTypeError

__all__ = ["decode_mission"]


def decode_mission(mission: Any) -> str | list[str]:
    """Returns the text of missions that are given as characters.

    Args:
        mission: ASCII characters, uint8 (length,), or (n, length) for those of n environments;
            zeros follow the text. Anything that `numpy.asarray` takes.

    Returns:
        A str, or a list of n str.

    Raises:
        InputTypeError: another dtype than uint8.
        InputError: another number of dimensions.
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
