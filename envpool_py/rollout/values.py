"""Values of observations, and advantages and value targets computed from them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.pool.trees import Tree
from envpool_py.rollout.frameworks import Framework
from envpool_py.rollout.returns import gae, vtrace
from envpool_py.rollout.trees import form_of

__all__ = ["ValueColumns"]


class ValueColumns(ABC):
    """The computations with values that are common to all kinds of rollouts."""

    columns: dict[str, Any]
    rewards: Any
    terminated: Any
    truncated: Any

    _framework: Framework
    _host_columns: dict[str, NDArray[Any]]
    _host_rewards: NDArray[np.float32]

    def _values_of(self, value_of: Callable[[Tree], Any], observations: Tree, rows: int) -> Any:
        """Returns the values of observations, float32 (rows,), as a NumPy array.

        Raises:
            InputError: `value_of` returned another shape or dtype.
        """
        values = np.empty(rows, np.float32)
        self._store_values(values, value_of(observations), "value_of")
        return values

    def _store_values(self, target: NDArray[Any], given: Any, what: str) -> None:
        """Copies given values into an array of the same shape; `what` names them in messages."""
        try:
            self._framework.store(self._framework.shared(target), given)
        except (TypeError, ValueError, RuntimeError) as error:
            raise InputError(f"{what}: expected {form_of(target)}, got {form_of(given)}") from error

    def _column_of_values(self) -> NDArray[Any]:
        """Returns the user's column "values".

        Raises:
            InputError: there is no such column with scalar rows.
        """
        values = self._host_columns.get("values")
        if values is None or values.shape != self._host_rewards.shape:
            raise InputError(
                'values: not given, and the rollout has no column "values" of one number per row '
                f"(its columns: {sorted(self.columns)})"
            )
        return values

    @abstractmethod
    def next_values(self, value_of: Callable[[Tree], Any], values: Any = None) -> Any:
        """Returns the values of the states that the steps led to, before any reset."""

    @abstractmethod
    def _estimate(
        self,
        function: Callable[..., tuple[Any, Any]],
        columns: tuple[Any, ...],
        settings: dict[str, float],
    ) -> tuple[Any, Any]:
        """Calls a function of arrays (T, N), such as `gae`, with columns of the steps.

        Args:
            function: the function to call.
            columns: its positional arguments, in the shape of `rewards`.
            settings: its keyword arguments, without `valid`.

        Returns:
            The results of the function, in the shape of `rewards`.
        """

    def gae(self, value_of: Callable[[Tree], Any], *, gamma: float, lam: float) -> tuple[Any, Any]:
        """Returns advantages and returns, float32; see `envpool_py.rollout.gae`.

        Both have the shape of `rewards`. Rows that are not `valid` have advantage 0; exclude them
        from the loss.

        Raises:
            InputError: as `next_values`.
        """
        values = self._framework.shared(self._column_of_values())
        return self._estimate(
            gae,
            (self.rewards, values, self.next_values(value_of), self.terminated, self.truncated),
            {"gamma": gamma, "lam": lam},
        )

    def vtrace(
        self,
        value_of: Callable[[Tree], Any],
        log_ratios: Any,
        values: Any,
        *,
        gamma: float,
        **clipping: float,
    ) -> tuple[Any, Any]:
        """Returns V-trace targets and advantages; see `envpool_py.rollout.vtrace`.

        The results and the arguments have the shape of `rewards`.

        Args:
            value_of: the learned value function, as in `next_values`.
            log_ratios: float, log-probabilities of the actions under the learned policy, minus
                the log-probabilities under the policy that acted.
            values: float, `value_of` of the steps' observations.
            gamma: discount.
            **clipping: `lam`, `clip_rho`, `clip_c`, `clip_policy_rho`.

        Raises:
            InputError: as `next_values`.
        """
        next_values = self.next_values(value_of, values)
        ends = (self.terminated, self.truncated)
        return self._estimate(
            vtrace,
            (log_ratios, self.rewards, values, next_values, *ends),
            {"gamma": gamma, **clipping},
        )
