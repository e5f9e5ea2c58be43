"""Spaces as plain data for `engine/bindings/python_envs/python_spaces.h`.

A space whose samples are NumPy arrays of fixed shape is a leaf; `Dict` and `Tuple` are nodes. All
other spaces (`Text`, `Sequence`, `Graph`, `OneOf`, the user's own spaces) are objects.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

__all__ = ["Tree", "has_objects", "tree_of"]

Tree = tuple[Any, ...]

_ARRAYS = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def tree_of(space: gymnasium.Space[Any]) -> Tree:
    """Returns the description of a space."""
    # Gymnasium batches the samples of a subclass like samples of its base class.
    if isinstance(space, _ARRAYS):
        return ("leaf", np.dtype(space.dtype), tuple(space.shape or ()))
    if isinstance(space, spaces.Dict):
        return ("dict", [(key, tree_of(child)) for key, child in space.spaces.items()])
    if isinstance(space, spaces.Tuple):
        return ("tuple", [tree_of(child) for child in space.spaces])
    return ("object",)


def has_objects(tree: Tree) -> bool:
    """Returns whether a part of the space is not an array."""
    if tree[0] == "dict":
        return any(has_objects(child) for _, child in tree[1])
    if tree[0] == "tuple":
        return any(has_objects(child) for child in tree[1])
    return bool(tree[0] == "object")
