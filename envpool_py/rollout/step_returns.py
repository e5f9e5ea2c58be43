"""Computations on the arrays of T steps of N environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.pool.trees import Tree
from envpool_py.rollout.values import ValueColumns

__all__ = ["StepReturns"]


class StepReturns(ValueColumns):
    """The computations that are common to rollouts and to fragments of other processes."""

    length: int
    num_envs: int
    valid: Any

    _host_terminated: NDArray[np.bool_]
    _all_valid: bool
    _t: int
    _obs: Any

    @property
    def final_observations(self) -> Tree:
        """The last observations of truncated episodes, arrays (n, ...)."""
        raise NotImplementedError

    @property
    def final_steps(self) -> NDArray[np.int64]:
        """The steps that led to `final_observations`, int64 (n,)."""
        raise NotImplementedError

    def next_values(self, value_of: Callable[[Tree], Any], values: Any = None) -> Any:
        """Returns the values of the states that the steps led to, before any reset.

        They are 0 where the episode terminated. Most others are taken from `values`, one step
        later. `value_of` is called only for the rollout's last observations, and for the last
        observations of truncated episodes that are in `final_observations`.

        Args:
            value_of: maps observations, arrays (n, ...), to values (n,).
            values: float (T, N), values of the steps' observations. None: the column "values".

        Returns:
            float32 (T, N), a new array.

        Raises:
            InputError: the rollout is not full, or `values` is None and there is no scalar column
                "values".
        """
        if self._t != self.length:
            raise InputError(
                f"next_values: only {self._t} of {self.length} steps are made; finish the loop"
            )
        result = np.empty((self.length, self.num_envs), np.float32)
        shared = self._framework.shared(result)
        if values is None:
            result[:-1] = self._column_of_values()[1:]
        else:
            self._store_values(result[:-1], values[1:], "values")
        result[-1] = self._values_of(value_of, self._obs[self.length], self.num_envs)
        steps = self.final_steps
        if len(steps) > 0:
            final = self._values_of(value_of, self.final_observations, len(steps))
            result.reshape(-1)[steps] = final
        result[self._host_terminated] = 0
        return shared

    def _estimate(
        self,
        function: Callable[..., tuple[Any, Any]],
        columns: tuple[Any, ...],
        settings: dict[str, float],
    ) -> tuple[Any, Any]:
        valid = None if self._all_valid else self.valid
        return function(*columns, valid=valid, **settings)
