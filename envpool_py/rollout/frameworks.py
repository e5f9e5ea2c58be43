"""The array types of a rollout's buffers: NumPy arrays, or tensors that share their memory."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.pool.trees import Tree

__all__ = ["Framework", "framework_of"]


class Framework(Protocol):
    """Converts between NumPy arrays and the arrays of a learner."""

    def shared(self, array: NDArray[Any]) -> Any:
        """Returns an array of the framework that shares the memory of a NumPy array."""

    def host(self, values: Tree) -> Tree:
        """Returns the NumPy arrays of values of the framework, which may be on a device."""

    def store(self, column: Any, values: Any) -> None:
        """Copies values, which may be on a device, into a shared array of the same shape."""


class NumpyFramework:
    """NumPy's own arrays."""

    def shared(self, array: NDArray[Any]) -> Any:
        """Returns the array itself."""
        return array

    def host(self, values: Tree) -> Tree:
        """Returns the values themselves."""
        return values

    def store(self, column: Any, values: Any) -> None:
        """Copies values, or one value for all, into an array."""
        given = np.asarray(values)
        if given.shape != column.shape and given.ndim > 0:
            raise ValueError("another shape")
        np.copyto(column, given, casting="same_kind")


def framework_of(name: str) -> Framework:
    """Returns a framework.

    Args:
        name: "numpy" or "torch".

    Raises:
        InputError: the name is unknown.
        MissingPackageError: PyTorch is not installed.
    """
    if name == "numpy":
        return NumpyFramework()
    if name == "torch":
        from envpool_py.rollout.torch_framework import TorchFramework

        return TorchFramework()
    raise InputError(f'framework: expected "numpy" or "torch", got {name!r}')
