"""Sentences about values that are not what was expected: results of environments, actions."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["shown", "unexpected"]

_LONGEST = 80


def unexpected(place: str, expected: str, value: Any) -> str:
    """Returns the sentence for a value that is not what was expected.

    Args:
        place: where the value is, such as "step(): reward", "step(): observation['image']" or
            "info['a']".
        expected: what is expected there.
        value: what is there.
    """
    text = f"{place}: expected {expected}, got {shown(value)}"
    return text.encode(errors="backslashreplace").decode()  # the engine's texts are UTF-8


def shown(value: Any) -> str:
    """Returns what a value is, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, dict):
        return f"a dict with the keys {list(value)}"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)} items"
    name = type(value).__name__
    try:
        text = repr(value)
    except Exception:  # the environment's own class
        return f"a {name}"
    return f"{name} {text if len(text) <= _LONGEST else text[:_LONGEST] + '...'}"
