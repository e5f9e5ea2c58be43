"""Trees: arrays in nested dicts and tuples, as in the results and actions of pools.

A tuple of str is a leaf: the texts of a batch. dm-tree, which dm_env installs, takes such tuples
apart, takes nine times as long for a batch, and a fifth of a second to import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

__all__ = [
    "Tree",
    "copied_row",
    "is_texts",
    "leaves",
    "map_arrays",
    "map_leaves",
    "map_trees",
    "row",
]

Tree = Any
"""An array, the texts of a batch, or a dict or tuple of trees."""


def is_texts(tree: Tree) -> bool:
    """Whether a tree is the texts of a batch."""
    return isinstance(tree, tuple) and bool(tree) and isinstance(tree[0], str)


def map_leaves(function: Callable[..., Any], tree: Tree) -> Tree:
    """Returns the tree of `function(leaf)`."""
    if isinstance(tree, np.ndarray):  # first, because most nodes are arrays
        return function(tree)
    if isinstance(tree, tuple):
        if tree and isinstance(tree[0], str):
            return function(tree)
        return tuple([map_leaves(function, part) for part in tree])
    if isinstance(tree, (dict, Mapping)):
        return {name: map_leaves(function, part) for name, part in tree.items()}
    return function(tree)


def map_arrays(function: Callable[[Any], Any], tree: Tree) -> Tree:
    """Works like `map_leaves`, but keeps texts unchanged."""
    return map_leaves(lambda leaf: leaf if is_texts(leaf) else function(leaf), tree)


def map_trees(function: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """Returns the tree of `function(leaf, *other_leaves)`; all trees have the form of the first."""
    if isinstance(tree, Mapping):
        return {
            name: map_trees(function, part, *(other[name] for other in others))
            for name, part in tree.items()
        }
    if isinstance(tree, tuple) and not is_texts(tree):
        return tuple(map_trees(function, *parts) for parts in zip(tree, *others, strict=True))
    return function(tree, *others)


def leaves(tree: Tree, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yields (path, leaf) for each leaf; the path consists of the keys and indices to it."""
    if isinstance(tree, Mapping):
        for key, part in tree.items():
            yield from leaves(part, (*path, key))
    elif isinstance(tree, tuple) and not is_texts(tree):
        for index, part in enumerate(tree):
            yield from leaves(part, (*path, index))
    else:
        yield path, tree


def row(batch: Tree, index: int) -> Tree:
    """Returns one row of a batch."""
    # Not map_leaves: a step of one environment takes a few microseconds.
    if isinstance(batch, dict):
        return {name: row(part, index) for name, part in batch.items()}
    if isinstance(batch, tuple) and not isinstance(batch[0], str):
        return tuple([row(part, index) for part in batch])
    return batch[index]


def copied_row(batch: Tree, index: int) -> Tree:
    """Returns one row of a batch, as a copy, which does not keep the whole batch alive."""

    def copied(leaf: Any) -> Any:
        part = leaf[index]
        return part.copy() if isinstance(part, np.ndarray) else part

    return map_leaves(copied, batch)
