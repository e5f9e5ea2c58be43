"""Trees of arrays for rollouts: their memory, and copies into it.

The spaces of a rollout are trees of boxes, discrete, multi-discrete and multi-binary spaces. Texts
in observations are stored as bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.trees import Tree, is_texts, leaves, map_leaves, map_trees

__all__ = [
    "Zeros",
    "assign_rows",
    "assign_tree",
    "by_name",
    "empty_rows",
    "form_of",
    "rows_of_final",
]


def by_name(tree: Tree, name: str) -> dict[str, Any]:
    """Returns the leaves by the names that batches of a pool have for them, as in "obs/key/0"."""
    return {"/".join((name, *map(str, path))): leaf for path, leaf in leaves(tree)}


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
    if is_texts(value):
        value = _as_bytes(value, target.shape[-1])
    np.copyto(target, value, casting="same_kind")


def assign_rows(target: Tree, rows: Any, values: Tree) -> None:
    """Copies observations into rows of a tree of the same form; dicts may have another order.

    Args:
        target: arrays (n, ...).
        rows: an index of rows of `target`.
        values: the same number of rows; texts are tuples of str.
    """

    def put(leaf: Any, value: Any) -> None:
        leaf[rows] = _as_bytes(value, leaf.shape[-1]) if isinstance(value, tuple) else value

    map_trees(put, target, values)


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

    def rows(leaf: Any) -> Tree:
        if is_texts(leaf):
            return tuple(leaf[env] for env in ids)
        if not (isinstance(leaf, np.ndarray) and leaf.dtype == object):
            return leaf[ids]
        single = [leaf[env] for env in ids]
        if single and isinstance(single[0], str):
            return tuple(single)
        return map_trees(lambda *parts: np.stack([np.asarray(part) for part in parts]), *single)

    return map_leaves(rows, final)
