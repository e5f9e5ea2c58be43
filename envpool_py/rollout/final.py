"""The last observations of truncated episodes, from which their returns are bootstrapped."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.pool.trees import Tree, map_leaves
from envpool_py.rollout.trees import assign_rows

__all__ = ["FinalObservations"]


class FinalObservations:
    """Rows of observations, each with the number of the step that led to it.

    The memory grows by doubling, and is reused when the rollout is filled again.

    Attributes:
        count: number of rows in use.
    """

    def __init__(self, like: Tree, capacity: int) -> None:
        """Allocates `capacity` rows with the shapes and dtypes of the rows of `like`."""
        self.count = 0
        self._steps = np.zeros(capacity, np.int64)
        self._rows = map_leaves(lambda leaf: _empty(leaf, capacity), like)

    @property
    def steps(self) -> NDArray[np.int64]:
        """The steps that led to the observations, int64 (count,)."""
        return self._steps[: self.count]

    @property
    def rows(self) -> Tree:
        """The observations, arrays of `count` rows."""
        return map_leaves(lambda leaf: leaf[: self.count], self._rows)

    def clear(self) -> None:
        """Drops all rows."""
        self.count = 0

    def add(self, steps: NDArray[np.int64], rows: Tree) -> None:
        """Appends rows.

        Args:
            steps: the steps that led to the rows, int64 (n,).
            rows: n rows of observations.
        """
        end = self.count + len(steps)
        self._grow(end)
        self._steps[self.count : end] = steps
        assign_rows(self._rows, slice(self.count, end), rows)
        self.count = end

    def _grow(self, rows: int) -> None:
        capacity = len(self._steps)
        if rows <= capacity:
            return
        capacity = max(rows, 2 * capacity)

        def larger(leaf: NDArray[Any]) -> NDArray[Any]:
            grown = _empty(leaf, capacity)
            grown[: self.count] = leaf[: self.count]
            return grown

        self._steps = larger(self._steps)
        self._rows = map_leaves(larger, self._rows)


def _empty(leaf: NDArray[Any], rows: int) -> NDArray[Any]:
    return np.empty((rows, *leaf.shape[1:]), leaf.dtype)
