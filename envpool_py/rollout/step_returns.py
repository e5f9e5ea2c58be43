"""Advantages and value targets of T steps of N environments, from the arrays of a rollout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.rollout.returns import gae, vtrace
from envpool_py.rollout.trees import Tree
from envpool_py.rollout.values import ValueColumns


class StepReturns(ValueColumns):
    """What a rollout and a fragment of another process compute from their arrays."""

    length: int
    num_envs: int
    rewards: Any
    terminated: Any
    truncated: Any
    valid: Any

    _host_terminated: NDArray[np.bool_]
    _resets_next: bool
    _t: int
    _obs: Any

    @property
    def final_observations(self) -> Tree:
        """The last observations of truncated episodes, arrays (n, ...)."""
        raise NotImplementedError

    @property
    def final_steps(self) -> NDArray[np.int64]:
        """The steps that led to them, int64 (n,)."""
        raise NotImplementedError

    def next_values(self, value_of: Callable[[Tree], Any], values: Any = None) -> Any:
        """Returns the values of the states that the steps led to, before any reset.

        They are 0 where the episode terminated. Most of the others are in `values`. The rest is
        computed: of the last observations of the rollout, and of truncated episodes.

        Args:
            value_of: maps observations, arrays (n, ...), to values (n,).
            values: float (T, N), of the observations of the steps. None: the column "values".

        Returns:
            float32 (T, N), a new array.

        Raises:
            InputError: the rollout is not full, or has no scalar column "values".
        """
        if self._t != self.length:
            raise InputError(f"next_values: expected {self.length} steps, got {self._t}")
        result = np.empty((self.length, self.num_envs), np.float32)
        shared = self._framework.shared(result)
        if values is None:
            result[:-1] = self._column_of_values()[1:]
        else:
            self._framework.store(shared[:-1], values[1:])
        result[-1] = self._values_of(value_of, self._obs[self.length], self.num_envs)
        steps = self.final_steps
        if len(steps) > 0:
            final = self._values_of(value_of, self.final_observations, len(steps))
            result.reshape(-1)[steps] = final
        result[self._host_terminated] = 0
        return shared

    def gae(self, value_of: Callable[[Tree], Any], *, gamma: float, lam: float) -> tuple[Any, Any]:
        """Returns advantages and returns, float32 (T, N); see `envpool_py.rollout.gae`.

        Rows that are not `valid` have advantage 0; leave them out of the loss.

        Raises:
            InputError: as `next_values`.
        """
        return gae(
            self.rewards,
            self._framework.shared(self._column_of_values()),
            self.next_values(value_of),
            self.terminated,
            self.truncated,
            gamma=gamma,
            lam=lam,
            valid=self.valid if self._resets_next else None,
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
        """Returns V-trace targets and advantages, (T, N); see `envpool_py.rollout.vtrace`.

        Args:
            value_of: as in `next_values`: the learned value function.
            log_ratios: float (T, N), log-probabilities of the actions under the learned policy,
                minus those under the policy that acted.
            values: float (T, N), `value_of` of the observations of the steps.
            gamma: discount.
            **clipping: `lam`, `clip_rho`, `clip_c`, `clip_policy_rho`.

        Raises:
            InputError: as `next_values`.
        """
        return vtrace(
            log_ratios,
            self.rewards,
            values,
            self.next_values(value_of, values),
            self.terminated,
            self.truncated,
            gamma=gamma,
            valid=self.valid if self._resets_next else None,
            **clipping,
        )
