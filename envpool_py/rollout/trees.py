"""Trees of arrays: the batched elements of spaces, as nested dicts and tuples.

The spaces of a rollout are trees of boxes, discrete, multi-discrete and multi-binary spaces. Texts
in observations are stored as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError

__all__ = [
    "Tree",
    "Zeros",
    "assign_rows",
    "assign_tree",
    "empty_rows",
    "form_of",
    "leaves",
    "map_leaves",
    "rows_of_final",
]

Tree = Any
"""An array, or a dict or tuple of trees."""


def map_leaves(function: Callable[..., Any], tree: Tree, *others: Tree) -> Tree:
    """Returns the tree of `function(leaf, *other_leaves)`; all trees have the same form."""
    if isinstance(tree, Mapping):
        return {
            name: map_leaves(function, part, *(other[name] for other in others))
            for name, part in tree.items()
        }
    if isinstance(tree, tuple):
        return tuple(map_leaves(function, *parts) for parts in zip(tree, *others, strict=True))
    return function(tree, *others)


def leaves(tree: Tree, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yields (path, leaf) for each leaf; the path consists of `name`, keys and indices."""
    if isinstance(tree, Mapping):
        for key, part in tree.items():
            yield from leaves(part, f"{name}/{key}")
    elif isinstance(tree, tuple):
        for index, part in enumerate(tree):
            yield from leaves(part, f"{name}/{index}")
    else:
        yield name, tree


Zeros = Callable[..., NDArray[Any]]
"""Allocates an array, as `numpy.zeros(shape, dtype)` does."""


def empty_rows(space: gymnasium.Space[Any], rows: int, what: str, zeros: Zeros = np.zeros) -> Tree:
    """Returns arrays for `rows` elements of a space, zeroed.

    Args:
        space: the space of one row. A text of at most n characters is uint8 (n,).
        rows: number of rows.
        what: name of the space in messages.
        zeros: allocates each array.

    Raises:
        InputTypeError: a part of the space is not an array of fixed shape.
    """
    if isinstance(space, gymnasium.spaces.Dict):
        return {
            name: empty_rows(part, rows, f'{what}["{name}"]', zeros)
            for name, part in space.spaces.items()
        }
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple(
            empty_rows(part, rows, f"{what}[{index}]", zeros)
            for index, part in enumerate(space.spaces)
        )
    if isinstance(space, gymnasium.spaces.Text):
        return zeros((rows, space.max_length), np.uint8)
    arrays = (
        gymnasium.spaces.Box,
        gymnasium.spaces.Discrete,
        gymnasium.spaces.MultiDiscrete,
        gymnasium.spaces.MultiBinary,
    )
    if not isinstance(space, arrays):
        raise InputTypeError(f"{what}: expected a space of arrays of fixed shape, got {space}")
    assert space.shape is not None
    return zeros((rows, *space.shape), space.dtype)


def assign(target: NDArray[Any], value: Any) -> None:
    """Copies values into an array; texts (a tuple of str) are stored as ASCII bytes."""
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        value = _as_bytes(value, target.shape[-1])
    np.copyto(target, value, casting="same_kind")


def assign_rows(target: Tree, rows: Any, values: Tree) -> None:
    """Copies observations into rows of a tree of the same form; dicts may have another order.

    Args:
        target: arrays (n, ...).
        rows: an index of rows of `target`.
        values: the same number of rows; texts are tuples of str.
    """
    if isinstance(target, Mapping):
        for name, part in target.items():
            assign_rows(part, rows, values[name])
    elif isinstance(target, tuple):
        for part, value in zip(target, values, strict=True):
            assign_rows(part, rows, value)
    elif isinstance(values, tuple):
        target[rows] = _as_bytes(values, target.shape[-1])
    else:
        target[rows] = values


def _as_bytes(texts: tuple[str, ...], length: int) -> NDArray[np.uint8]:
    encoded = np.array(texts, dtype=f"S{length}")
    return encoded.view(np.uint8).reshape(len(texts), length)


def assign_tree(target: Tree, value: Tree, what: str) -> None:
    """Copies a tree of values into a tree of arrays; `what` names the values in messages.

    Raises:
        InputTypeError: the trees have different forms.
        InputError: the shape or the dtype of a leaf differs.
    """
    if isinstance(target, Mapping):
        if not isinstance(value, Mapping) or set(value) != set(target):
            got = sorted(value) if isinstance(value, Mapping) else type(value).__name__
            raise InputTypeError(f"{what}: expected a dict with keys {sorted(target)}, got {got}")
        for name, part in target.items():
            assign_tree(part, value[name], f'{what}["{name}"]')
    elif isinstance(target, tuple):
        if not isinstance(value, tuple) or len(value) != len(target):
            raise InputTypeError(
                f"{what}: expected a tuple of {len(target)} parts, got {type(value).__name__}"
            )
        for index, part in enumerate(target):
            assign_tree(part, value[index], f"{what}[{index}]")
    else:
        try:
            assign(target, value)
        except (TypeError, ValueError) as error:
            raise InputError(f"{what}: expected {form_of(target)}, got {form_of(value)}") from error


def form_of(values: Any) -> str:
    """Describes the dtype and the shape of an array, for messages."""
    shape = getattr(values, "shape", None)
    if shape is None:
        return f"{type(values).__name__} {values!r}"
    return f"{values.dtype} of shape {tuple(shape)}"


def rows_of_final(final: Any, ids: NDArray[np.intp]) -> Tree:
    """Returns the rows `ids` of `infos["final_obs"]`.

    In a pool, it has the layout of the observations. In Gymnasium's vector environments, it is an
    array of objects, the observations of single environments.
    """
    if isinstance(final, np.ndarray) and final.dtype == object:
        rows = [final[env] for env in ids]
        if rows and isinstance(rows[0], str):
            return tuple(rows)
        return map_leaves(lambda *parts: np.stack([np.asarray(part) for part in parts]), *rows)
    if isinstance(final, tuple) and final and isinstance(final[0], str):
        return tuple(final[env] for env in ids)
    if isinstance(final, Mapping):
        return {name: rows_of_final(part, ids) for name, part in final.items()}
    if isinstance(final, tuple):
        return tuple(rows_of_final(part, ids) for part in final)
    return final[ids]
