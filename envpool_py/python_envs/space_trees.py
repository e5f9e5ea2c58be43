"""Spaces as plain data for `engine/bindings/python_envs/python_spaces.h`, and unions of spaces.

A space whose samples are NumPy arrays of fixed shape is a leaf; `Dict` and `Tuple` are nodes. All
other spaces (`Text`, `Sequence`, `Graph`, `OneOf`, the user's own spaces) are objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.spaces.utils import is_space_dtype_shape_equiv
from gymnasium.vector.utils import batch_differing_spaces, batch_space

__all__ = ["Tree", "batch_of", "has_objects", "tree_of", "union"]

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


def union(several: Sequence[gymnasium.Space[Any]]) -> gymnasium.Space[Any] | None:
    """Returns the space with the widest bounds; None if the spaces differ in more than bounds.

    The rule is that of Gymnasium's `observation_mode="different"`: types, shapes, dtypes and keys
    must be equal. The union of equal spaces is the first of them.
    """
    first = several[0]
    if all(space == first for space in several[1:]):
        return first
    try:
        if not all(is_space_dtype_shape_equiv(first, space) for space in several[1:]):
            return None
    except NotImplementedError:  # a space of the user's own type
        return None
    whole: gymnasium.Space[Any] = _union(several)
    return whole


def _union(several: Sequence[Any]) -> Any:
    """Returns the union of spaces that differ only in bounds."""
    first = several[0]
    if isinstance(first, spaces.Box):
        low = np.min([space.low for space in several], axis=0)
        high = np.max([space.high for space in several], axis=0)
        return spaces.Box(low, high, first.shape, first.dtype)
    if isinstance(first, spaces.Discrete):
        start = min(space.start for space in several)
        end = max(space.start + space.n for space in several)
        # Gymnasium 1.1 has only one dtype, and no argument for it.
        dtype: dict[str, Any] = {} if first.dtype == np.int64 else {"dtype": first.dtype}
        return spaces.Discrete(end - start, start=start, **dtype)
    if isinstance(first, spaces.MultiDiscrete):
        start = np.min([space.start for space in several], axis=0)
        end = np.max([space.start + space.nvec for space in several], axis=0)
        return spaces.MultiDiscrete(end - start, dtype=first.dtype, start=start)
    if isinstance(first, spaces.Dict):
        return spaces.Dict([(key, _union([s[key] for s in several])) for key in first.spaces])
    if isinstance(first, (spaces.Tuple, spaces.OneOf)):
        parts = zip(*(space.spaces for space in several), strict=True)
        return type(first)([_union(of_all) for of_all in parts])
    if isinstance(first, spaces.Sequence):
        return spaces.Sequence(_union([s.feature_space for s in several]), stack=first.stack)
    if isinstance(first, spaces.Graph):
        edges = first.edge_space and _union([s.edge_space for s in several])
        return spaces.Graph(_union([s.node_space for s in several]), edges)
    if isinstance(first, spaces.Text):
        shortest = min(space.min_length for space in several)
        return spaces.Text(first.max_length, min_length=shortest, charset=first.character_set)
    return first  # MultiBinary has no bounds


def batch_of(several: Sequence[gymnasium.Space[Any]]) -> gymnasium.Space[Any]:
    """Returns the space of a batch whose row i is in the i-th of several spaces with a union."""
    try:
        return batch_differing_spaces(several)
    except TypeError:  # a space of the user's own type, which is the same in all
        return batch_space(several[0], len(several))
