"""Pools inside compiled programs of JAX: `jax.jit`, `jax.lax.scan`, `shard_map`.

Imported by programs and by `compat`. Needs the package jax.

    env = envpool_py.jax.make("CartPole-v1", num_envs=256)
    obs, state = env.reset(jax.random.key(0))
    obs, state, reward, terminated, truncated, info = env.step(state, actions)
"""

from __future__ import annotations

from envpool_py.errors import MissingPackageError, install_command

try:
    import jax
except ImportError as error:
    raise MissingPackageError(
        f"envpool_py.jax needs JAX, which cannot be imported ({error}): `{install_command('jax')}`"
    ) from error

if not hasattr(jax, "ffi"):
    raise MissingPackageError(f"envpool_py.jax needs jax>=0.6, got {jax.__version__}")

from envpool_py.jax.env import JaxEnv, Transition, make

__all__ = ["JaxEnv", "Transition", "make"]
