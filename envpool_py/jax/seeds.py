"""Seeds of environments from keys and numbers: uint32 (num_envs, 2), low half first."""

from __future__ import annotations

import operator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool_py.errors import InputError, InputTypeError

__all__ = ["seeds_of"]

_HIGHEST = 2**64 - 1


def seeds_of(key: Any, seed: Any, num_envs: int, max_seed: int = _HIGHEST) -> Any:
    """Returns a seed for each environment, or (0, 2) if neither key nor seed is given.

    `max_seed` is the largest seed of the task, 2**32 - 1 or 2**64 - 1. The handler checks given
    seeds.
    """
    if key is not None and seed is not None:
        raise InputError("reset: expected a key or a seed, got both")
    if key is not None:
        seeds = _of_key(key, num_envs)
        return seeds if max_seed == _HIGHEST else seeds.at[:, 1].set(0)
    if seed is not None:
        return _of_seed(seed, num_envs)
    return np.zeros((0, 2), np.uint32)


def _of_key(key: Any, num_envs: int) -> Any:
    key = jnp.asarray(key) if not isinstance(key, jax.Array) else key
    typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    if not typed and key.dtype != np.uint32:
        raise InputTypeError(f"key: expected a key of jax.random, got {key.dtype} {key.shape}")
    dims = key.ndim if typed else key.ndim - 1
    if dims == 0:
        return jax.random.bits(key, (num_envs, 2), np.uint32)
    if dims != 1 or key.shape[0] != num_envs:
        raise InputError(
            f"key: expected one key, or {num_envs} (one for each environment), got the shape "
            f"{key.shape}"
        )
    return jax.vmap(lambda one: jax.random.bits(one, (2,), np.uint32))(key)


def _of_seed(seed: Any, num_envs: int) -> Any:
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
        first = operator.index(seed)
        if not 0 <= first <= _HIGHEST - (num_envs - 1):
            raise InputError(
                f"seed: expected an integer in [0, {_HIGHEST - (num_envs - 1)}], got {first}"
            )
        whole = np.array([first + env for env in range(num_envs)], np.uint64)
        return whole.view(np.uint32).reshape(num_envs, 2)
    if isinstance(seed, (list, tuple)) or (
        isinstance(seed, jax.Array) and not isinstance(seed, jax.core.Tracer)
    ):
        seed = np.asarray(seed)
    if not hasattr(seed, "dtype") or not jnp.issubdtype(seed.dtype, np.integer):
        raise InputTypeError(f"seed: expected an integer or an array of integers, got {seed!r}")
    if isinstance(seed, np.ndarray) and (seed.dtype.itemsize == 8 or (seed < 0).any()):
        return _of_wide(seed, num_envs)
    if seed.shape not in ((), (num_envs,)):
        raise InputError(f"seed: expected the shape () or {(num_envs,)}, got {seed.shape}")
    seed = jnp.asarray(seed)
    low = seed.astype(np.uint32)
    high = (seed >> 32).astype(np.uint32) if seed.dtype.itemsize == 8 else jnp.zeros_like(low)
    if seed.ndim == 0:
        # Environment i gets seed + i, in 64 bits.
        number = jnp.arange(num_envs, dtype=np.uint32)
        low = low + number
        high = high + (low < number)
    return jnp.stack([low, high], axis=1)


def _of_wide(seed: np.ndarray[Any, Any], num_envs: int) -> Any:
    if seed.ndim == 0:
        return _of_seed(int(seed), num_envs)
    if seed.shape != (num_envs,):
        raise InputError(f"seed: expected the shape () or {(num_envs,)}, got {seed.shape}")
    if (seed < 0).any():
        raise InputError(f"seed: expected integers >= 0, got {seed.min()}")
    whole = np.ascontiguousarray(seed.astype(np.uint64))
    return whole.view(np.uint32).reshape(num_envs, 2)
