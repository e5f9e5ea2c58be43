"""Advantages and value targets of a rollout: GAE and V-trace.

The functions take arrays of NumPy, PyTorch or JAX (also inside `jax.jit`), of shape (T, N): T steps
of N environments. They allocate their results, and modify no argument.

`next_values` contains the values of the states that the steps reached before any reset. A truncated
episode is therefore bootstrapped from its own last state in all autoreset modes.
`Rollout.next_values` computes these values.
"""

from __future__ import annotations

import sys
from typing import Any

from envpool_py.errors import InputError

__all__ = ["gae", "vtrace"]

Array = Any
"""An array of NumPy, PyTorch or JAX."""


def gae(
    rewards: Array,
    values: Array,
    next_values: Array,
    terminated: Array,
    truncated: Array,
    *,
    gamma: float,
    lam: float,
    valid: Array | None = None,
) -> tuple[Array, Array]:
    """Returns the generalized advantage estimates, and the returns (advantages + values).

    Schulman et al., "High-Dimensional Continuous Control Using Generalized Advantage Estimation",
    equations 11 to 16, with episodes that end:

        delta[t] = rewards[t] + gamma * (1 - terminated[t]) * next_values[t] - values[t]
        advantages[t] = delta[t] + gamma * lam * (1 - ended[t]) * advantages[t + 1]

    `ended` is `terminated | truncated`. After the last step, advantages[T] is 0.

    Args:
        rewards: float (T, N), rewards of the steps.
        values: float (T, N), values of the states in which the steps began.
        next_values: float (T, N), values of the states after the steps, before any reset.
        terminated: bool (T, N), whether the episode terminated in this step, so that the value of
            the next state is 0.
        truncated: bool (T, N), whether the episode was truncated in this step.
        gamma: discount, in [0, 1].
        lam: the lambda of the estimator, in [0, 1].
        valid: bool (T, N), False where a row is not a step of the policy, such as a reset in the
            autoreset mode NextStep. The advantage of such a row is 0. None: all rows are valid.

    Returns:
        Advantages and returns, float (T, N).

    Raises:
        InputError: the shapes differ.
    """
    columns = (rewards, values, next_values, terminated, truncated)
    _check_shapes(columns, ("rewards", "values", "next_values", "terminated", "truncated"), valid)
    deltas = rewards + gamma * next_values * _unless(terminated, rewards) - values
    carries = gamma * lam * (_unless(terminated, rewards) * _unless(truncated, rewards))
    if valid is not None:
        deltas = deltas * _as(valid, rewards)
        carries = carries * _as(valid, rewards)
    advantages = _scan_back(deltas, carries)
    return advantages, advantages + values


def vtrace(
    log_ratios: Array,
    rewards: Array,
    values: Array,
    next_values: Array,
    terminated: Array,
    truncated: Array,
    *,
    gamma: float,
    lam: float = 1.0,
    clip_rho: float = 1.0,
    clip_c: float = 1.0,
    clip_policy_rho: float = 1.0,
    valid: Array | None = None,
) -> tuple[Array, Array]:
    """Returns the V-trace targets of the values, and the advantages of the policy gradient.

    Espeholt et al., "IMPALA", section 4.1, with episodes that end. With rho = min(clip_rho, ratio)
    and c = lam * min(clip_c, ratio):

        delta[t] = rho[t] * (rewards[t] + gamma * (1 - terminated[t]) * next_values[t] - values[t])
        targets[t] = values[t] + delta[t]
                     + gamma * c[t] * (1 - ended[t]) * (targets[t + 1] - values[t + 1])
        advantages[t] = min(clip_policy_rho, ratio) * (rewards[t]
                        + gamma * (1 - terminated[t]) * target of the next state - values[t])

    `ratio` is exp(log_ratios), and `ended` is `terminated | truncated`. The target of the next
    state is targets[t + 1]; where the episode was truncated, and after the last step, it is
    next_values[t].

    Args:
        log_ratios: float (T, N), log(pi(a|x) / mu(a|x)): the log-probability of the action under
            the learned policy, minus that under the policy that acted.
        rewards: as in `gae`.
        values: as in `gae`, of the learned value function.
        next_values: as in `gae`, of the learned value function.
        terminated: as in `gae`.
        truncated: as in `gae`.
        gamma: as in `gae`.
        lam: a factor of c, in [0, 1].
        clip_rho: the paper's rho-bar, the bound of rho.
        clip_c: the paper's c-bar, the bound of c.
        clip_policy_rho: the bound of the ratio in the policy gradient.
        valid: as in `gae`.

    Returns:
        Targets and advantages, float (T, N). Rows that are not valid have their values as targets,
        and advantages of 0.

    Raises:
        InputError: the shapes differ.
    """
    names = ("log_ratios", "rewards", "values", "next_values", "terminated", "truncated")
    columns = (log_ratios, rewards, values, next_values, terminated, truncated)
    _check_shapes(columns, names, valid)
    xp = _module_of(rewards)
    ratios = xp.exp(log_ratios)
    discounts = gamma * _unless(terminated, rewards)
    continues = _unless(terminated, rewards) * _unless(truncated, rewards)
    weights = 1.0 if valid is None else _as(valid, rewards)
    deltas = _at_most(xp, ratios, clip_rho) * (rewards + discounts * next_values - values)
    carries = gamma * lam * _at_most(xp, ratios, clip_c) * continues
    corrections = _scan_back(deltas * weights, carries * weights)
    targets = values + corrections
    # The correction of the next state; 0 for the last step, and where the episode ended.
    following = continues * _shifted(xp, corrections)
    # next_values[t] equals values[t + 1] except at the ends, so next_values + following is the
    # target of the next state.
    advantages = _at_most(xp, ratios, clip_policy_rho) * (
        rewards + discounts * (next_values + following) - values
    )
    return targets, advantages * weights


def _check_shapes(columns: tuple[Array, ...], names: tuple[str, ...], valid: Array | None) -> None:
    shape = tuple(columns[0].shape)
    if valid is not None:
        columns, names = (*columns, valid), (*names, "valid")
    for column, name in zip(columns, names, strict=True):
        if tuple(column.shape) != shape or not shape:
            raise InputError(
                f"{name}: expected the shape (T, N) of {names[0]}, {shape}, got "
                f"{tuple(column.shape)}"
            )


def _module_of(array: Array) -> Any:
    """Returns the module with the functions for an array."""
    kind = type(array).__module__.partition(".")[0]
    if kind == "torch":
        return sys.modules["torch"]
    if kind in ("jax", "jaxlib"):
        return sys.modules["jax"].numpy
    return sys.modules["numpy"]


def _as(flags: Array, like: Array) -> Array:
    """Returns flags as numbers of the dtype of `like`."""
    if _is_torch(flags):
        return flags.to(like.dtype)
    return flags.astype(like.dtype)


def _unless(flags: Array, like: Array) -> Array:
    return 1 - _as(flags, like)


def _is_torch(array: Array) -> bool:
    return type(array).__module__.partition(".")[0] == "torch"


def _at_most(xp: Any, array: Array, bound: float) -> Array:
    return array.clamp(max=bound) if _is_torch(array) else xp.minimum(array, bound)


def _shifted(xp: Any, array: Array) -> Array:
    """Returns the array of the following rows; zero for the last one."""
    concatenate = xp.cat if _is_torch(array) else xp.concatenate
    return concatenate([array[1:], xp.zeros_like(array[:1])])


def _scan_back(deltas: Array, carries: Array) -> Array:
    """Returns x with x[t] = deltas[t] + carries[t] * x[t + 1], and 0 after the last row."""
    xp = _module_of(deltas)
    if xp.__name__.startswith("jax"):
        jax = sys.modules["jax"]

        def step(later: Array, row: tuple[Array, Array]) -> tuple[Array, Array]:
            now = row[0] + row[1] * later
            return now, now

        return jax.lax.scan(step, xp.zeros_like(deltas[0]), (deltas, carries), reverse=True)[1]
    result = xp.empty_like(deltas)
    later = xp.zeros_like(deltas[0])
    for t in range(len(deltas) - 1, -1, -1):
        later = deltas[t] + carries[t] * later
        result[t] = later
    return result
