"""Tensors that share the memory of NumPy arrays."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import MissingPackageError, install_command
from envpool_py.pool.trees import Tree, map_leaves

__all__ = ["TorchFramework", "to_host", "to_tensor", "torch"]

try:
    import torch
except ImportError as error:
    raise MissingPackageError(
        f"envpool_py.torch needs the package torch (`{install_command('torch')}`): {error}"
    ) from error


def to_tensor(leaf: Any) -> Any:
    """Returns a tensor that shares the memory of an array; returns texts (tuples) unchanged."""
    return torch.from_numpy(leaf) if isinstance(leaf, np.ndarray) else leaf


def to_host(values: Tree) -> Tree:
    """Converts tensors on any device to NumPy arrays, without gradients; keeps other leaves."""

    def convert(leaf: Any) -> Any:
        if isinstance(leaf, torch.Tensor):
            return leaf.detach().cpu().numpy()
        return leaf

    return map_leaves(convert, values)


class TorchFramework:
    """PyTorch's tensors on the CPU."""

    def shared(self, array: NDArray[Any]) -> Any:
        """Returns a tensor that shares the memory. A read-only array becomes a writable tensor."""
        if array.flags.writeable:
            return torch.from_numpy(array)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The given NumPy array is not writ")
            return torch.from_numpy(array)

    def host(self, values: Tree) -> Tree:
        """Converts tensors to NumPy arrays."""
        return to_host(values)

    def store(self, column: Any, values: Any) -> None:
        """Copies values, which may be on a device, into a tensor."""
        given = values if isinstance(values, torch.Tensor) else torch.as_tensor(values)
        if given.shape != column.shape and given.dim() > 0:
            raise ValueError("another shape")
        column.copy_(given.detach() if given.requires_grad else given)
