"""The layout of a fragment: all arrays are in one contiguous block.

One large array is cheaper for a transport than many, because it is registered, copied and mapped
once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from envpool_py.pool.trees import Tree, map_leaves
from envpool_py.rollout.rollout import Rollout
from envpool_py.rollout.trees import Zeros

__all__ = ["ArrayLayout", "Layout", "in_one_block", "layout_of"]

_ALIGNMENT = 64  # of every array in a block, bytes; the size of a cache line, as in Ray's buffers

Made = TypeVar("Made")


@dataclass(frozen=True)
class ArrayLayout:
    """One array in a block.

    Attributes:
        offset: offset in the block, in bytes, a multiple of 64.
        shape: shape of the array.
        dtype: NumPy's name of the dtype.
    """

    offset: int
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True)
class Layout:
    """The layout of a fragment: where its arrays are.

    Attributes:
        array_layouts: trees of `ArrayLayout`, by the names of the arrays; "columns" has the
            policy's columns.
        length: T, the number of steps of a fragment.
        num_envs: N, the number of environments.
        nbytes: size of the block, bytes.
        all_valid: whether no step only resets an environment (as in autoreset mode NextStep).
    """

    array_layouts: Mapping[str, Any]
    length: int
    num_envs: int
    nbytes: int
    all_valid: bool

    def arrays(self, block: NDArray[np.uint8]) -> dict[str, Tree]:
        """Returns the arrays as views of a block; they are read-only if the block is."""

        def view(layout: ArrayLayout) -> NDArray[Any]:
            array: NDArray[Any] = np.ndarray(layout.shape, layout.dtype, block, layout.offset)
            return array

        return {name: map_leaves(view, tree) for name, tree in self.array_layouts.items()}


def in_one_block(make: Callable[[Zeros], Made]) -> tuple[Made, NDArray[np.uint8]]:
    """Calls `make` such that it allocates all arrays in one block.

    Args:
        make: called twice with a function like `numpy.zeros`; the first call measures the size.

    Returns:
        The result of the second call, and the block.
    """
    sizes: list[int] = []

    def measured(shape: Any, dtype: DTypeLike) -> NDArray[Any]:
        array = np.zeros(shape, dtype)
        sizes.append(_rounded(array.nbytes))
        return array

    make(measured)
    block = _aligned(sum(sizes))
    begin = 0

    def placed(shape: Any, dtype: DTypeLike) -> NDArray[Any]:
        nonlocal begin
        array: NDArray[Any] = np.ndarray(shape, dtype, block, begin)
        begin += _rounded(array.nbytes)
        return array

    return make(placed), block


def layout_of(rollout: Rollout, block: NDArray[np.uint8]) -> Layout:
    """Returns the layout of a rollout whose arrays are in a block."""

    def layout(leaf: NDArray[Any]) -> ArrayLayout:
        offset = leaf.ctypes.data - block.ctypes.data
        return ArrayLayout(offset, tuple(leaf.shape), leaf.dtype.str)

    def steps(leaf: NDArray[Any]) -> NDArray[Any]:
        return leaf.reshape((rollout.length + 1, rollout.num_envs, *leaf.shape[1:]))

    arrays = {
        "observations": map_leaves(steps, rollout._observation_rows),
        "actions": rollout._host_actions,
        "rewards": rollout._host_rewards,
        "terminated": rollout._host_terminated,
        "truncated": rollout._host_truncated,
        "valid": rollout._host_valid,
        "columns": rollout._host_columns,
    }
    array_layouts = {name: map_leaves(layout, tree) for name, tree in arrays.items()}
    return Layout(array_layouts, rollout.length, rollout.num_envs, block.nbytes, rollout._all_valid)


def _rounded(size: int) -> int:
    return max(-(-size // _ALIGNMENT), 1) * _ALIGNMENT


def _aligned(size: int) -> NDArray[np.uint8]:
    # Unlike numpy.zeros, numpy.empty requests huge pages.
    memory = np.empty(size + _ALIGNMENT, np.uint8)
    memory[:] = 0
    first = -memory.ctypes.data % _ALIGNMENT
    return memory[first : first + size]
