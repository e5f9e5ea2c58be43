"""EnvPool's `ArraySpec`, and the spaces and specs of one environment derived from it."""

from __future__ import annotations

import functools
import keyword
import re
from collections import OrderedDict, namedtuple
from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np
from dm_env import specs

__all__ = [
    "ArraySpec",
    "SpecTree",
    "array_spec",
    "by_path",
    "dm_spec",
    "dm_structure",
    "gymnasium_space",
    "unbounded",
]

# EnvPool treats an integer whose maximum is below this as a choice, and other integers as numbers.
_MOST_CHOICES = 2**20


class ArraySpec:
    """One array of a batch, as EnvPool describes it.

    Attributes:
        dtype: NumPy dtype.
        shape: list of the dimensions, without the batch dimension; -1 stands for the rows of the
            players (one per environment).
        minimum, maximum: inclusive; a number, or an array of that shape if elements differ.
        is_discrete: whether it is one of a few choices.
    """

    def __init__(
        self,
        dtype: Any,
        shape: list[int],
        minimum: Any,
        maximum: Any,
        is_discrete: bool = False,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self.minimum = minimum
        self.maximum = maximum
        self.is_discrete = is_discrete

    def __repr__(self) -> str:
        return (
            f"ArraySpec(shape={self.shape}, dtype={self.dtype}, minimum={self.minimum}, "
            f"maximum={self.maximum})"
        )

    @property
    def row_shape(self) -> list[int]:
        """Shape of one row, without the dimension of the players."""
        return self.shape[1:] if self.shape[:1] == [-1] else self.shape

    def choices(self) -> tuple[int, int] | None:
        """Returns the first choice and the number of choices; None: not a choice."""
        one = abs(int(np.prod(self.shape))) == 1
        if not one or not np.issubdtype(self.dtype, np.integer):
            return None
        low, high = int(np.ravel(self.minimum)[0]), int(np.ravel(self.maximum)[0])
        return None if high >= _MOST_CHOICES else (low, high - low + 1)


SpecTree = ArraySpec | dict[str, "SpecTree"]
"""The specs of an observation: one array, or arrays by name, of which some may be dicts again."""


def by_path(tree: SpecTree, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yields the specs of a tree, each with the names that lead to it."""
    if isinstance(tree, ArraySpec):
        yield path, tree
        return
    for name, part in tree.items():
        yield from by_path(part, (*path, name))


def unbounded(dtype: Any, shape: list[int]) -> ArraySpec:
    """Returns the spec of an array that may hold any value of its dtype.

    For floating-point dtypes the minimum is the smallest positive number, as in EnvPool.
    """
    dtype = np.dtype(dtype)
    if dtype == np.bool_:
        return ArraySpec(dtype, shape, False, True)
    if np.issubdtype(dtype, np.integer):
        integers = np.iinfo(dtype)
        return ArraySpec(dtype, shape, int(integers.min), int(integers.max))
    numbers = np.finfo(dtype)
    return ArraySpec(dtype, shape, float(numbers.tiny), float(numbers.max))


def array_spec(space: gymnasium.Space[Any], dtype: Any, *, per_player: bool) -> ArraySpec | None:
    """Returns the spec for a space; None: EnvPool has no spec for such a space.

    Args:
        space: the space of one environment.
        dtype: dtype of the arrays.
        per_player: whether the first dimension is the rows of the players.
    """
    players = [-1] if per_player else []
    if isinstance(space, gymnasium.spaces.Discrete):
        first = int(space.start)
        return ArraySpec(dtype, [-1], first, first + int(space.n) - 1)
    if isinstance(space, gymnasium.spaces.Box):
        return ArraySpec(dtype, [*players, *space.shape], *_bounds(space.low, space.high, dtype))
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        low = np.broadcast_to(space.start, space.nvec.shape)
        return ArraySpec(dtype, [*players, *space.shape], low, low + space.nvec - 1)
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return ArraySpec(dtype, [*players, *space.shape], 0, 1)
    return None


def _bounds(low: np.ndarray[Any, Any], high: np.ndarray[Any, Any], dtype: Any) -> tuple[Any, Any]:
    """Returns numbers if all elements have the same bounds, else arrays."""
    both = (low, high)
    if low.size and all((bound == bound.flat[0]).all() for bound in both):
        lower, upper = (np.asarray(bound.flat[0], dtype).item() for bound in both)
        return lower, upper
    return low.astype(np.float64), high.astype(np.float64)


def gymnasium_space(spec: SpecTree) -> gymnasium.Space[Any]:
    """Returns the Gymnasium space of one environment."""
    if isinstance(spec, dict):
        parts = {name: gymnasium_space(part) for name, part in spec.items()}
        return gymnasium.spaces.Dict(OrderedDict(parts))  # a plain dict would be sorted
    choices = spec.choices()
    if choices is not None:
        first, number = choices
        return gymnasium.spaces.Discrete(number, start=first)
    shape = [size for size in spec.shape if size != -1]
    low, high = (
        np.broadcast_to(np.asarray(bound, spec.dtype), shape)
        for bound in (spec.minimum, spec.maximum)
    )
    return gymnasium.spaces.Box(low, high, dtype=spec.dtype.type)


def dm_spec(name: str, spec: ArraySpec) -> specs.Array:
    """Returns the dm_env spec of one environment."""
    choices = spec.choices()
    if choices is not None and choices[0] == 0:
        return specs.DiscreteArray(choices[1], spec.dtype, name)
    shape = [size for size in spec.shape if size != -1]
    return specs.BoundedArray(shape, spec.dtype, spec.minimum, spec.maximum, name)


def dm_structure(name: str, values: Mapping[str, Any]) -> Any:
    """Returns a named tuple of the values, with nested named tuples for mappings.

    Characters that are not allowed in a field's name are replaced by underscores.
    """
    return _structure_class(name, tuple(values))(
        *(
            dm_structure(key, value) if isinstance(value, Mapping) else value
            for key, value in values.items()
        )
    )


@functools.cache
def _structure_class(name: str, keys: tuple[str, ...]) -> Any:
    # One class for all results of a form: JAX compares the classes of structures.
    return namedtuple(_identifier(name), [_identifier(key) for key in keys])


def _identifier(name: str) -> str:
    word = re.sub(r"\W", "_", name) or "_"
    return f"field_{word}" if word[0] in "_0123456789" or keyword.iskeyword(word) else word
