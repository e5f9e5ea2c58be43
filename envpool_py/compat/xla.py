"""EnvPool's functions for JAX, on the functions of `envpool_py.jax`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from envpool_py.compat.errors import ActionError
from envpool_py.compat.game_steps import games_over
from envpool_py.compat.outputs import cast
from envpool_py.jax.functions import Functions
from envpool_py.pool.core import engine_core_of

if TYPE_CHECKING:
    from envpool_py.compat.adapter import EnvPool

__all__ = ["functions_of"]


def functions_of(pool: EnvPool) -> tuple[Any, Any, Any, Any]:
    """Returns `(handle, recv, send, step)` of a pool."""
    made = _Functions(pool)
    return made.handle, made.recv, made.send, made.step


class _Functions:
    """The functions of a pool.

    A handle is an array of bytes, uint8 (m,), as in EnvPool: the state of the pool; if each life is
    an episode, then the steps of the games.
    """

    def __init__(self, pool: EnvPool) -> None:
        self._pool = pool
        self._functions = Functions(pool.pool, None)
        engine_core_of(pool.pool).allow_xla_restart()
        layout = self._functions.layout
        wide = jax.dtypes.canonicalize_dtype(pool._action.dtype) == np.float64
        infos = {
            key: name
            for key, name in layout.infos(own=True, wide=wide).items()
            if key not in ("final_obs", "final_info", "episode") and not key.startswith("_")
        }
        infos["elapsed_step"] = "info/elapsed_step"
        columns = ("step_type", "reward", "discount")
        if not layout.has("step_type"):
            columns = ("reward", "terminated", "truncated")
        self._is_dm = layout.has("step_type")
        self._tree = (layout.observation(), columns, infos)
        n = len(pool)
        steps = None
        if pool._game_steps is not None:
            zeros = jnp.zeros(n, np.int32)
            steps = zeros, zeros, jnp.ones(n, np.bool_)
        self.handle: Any = self._joined(jnp.asarray(self._functions.restart), steps)

    def recv(self, handle: Any) -> tuple[Any, Any]:
        """Waits for the next results of `send`."""
        state, steps = self._split(handle)
        return self._results(steps, *self._functions.recv(state, self._tree))

    def send(self, handle: Any, action: Any, env_id: Any = None) -> Any:
        """Starts a step of environments."""
        state, steps = self._split(handle)
        return self._joined(self._functions.send(state, *self._actions(action, env_id)), steps)

    def step(self, handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        """Steps environments, and waits for them."""
        state, steps = self._split(handle)
        actions, ids = self._actions(action, env_id)
        return self._results(steps, *self._functions.step(state, actions, ids, self._tree))

    def _split(self, handle: Any) -> tuple[Any, Any]:
        restart = self._functions.restart
        if self._pool._game_steps is None:
            return _numbers(handle, restart.dtype), None
        n = len(self._pool)
        parts = jnp.split(handle, np.cumsum([restart.nbytes, 4 * n, 4 * n]))
        before, latest = (_numbers(part, np.int32) for part in parts[1:3])
        return _numbers(parts[0], restart.dtype), (before, latest, parts[3] != 0)

    def _joined(self, state: Any, steps: Any) -> Any:
        if steps is None:
            return _bytes(state)
        before, latest, over = steps
        return jnp.concatenate(
            [_bytes(state), _bytes(before), _bytes(latest), over.astype(np.uint8)]
        )

    def _results(self, steps: Any, state: Any, results: Any) -> tuple[Any, Any]:
        observations, columns, infos = results
        batch: Any = (observations, *columns, infos)
        if self._is_dm:
            batch = (*columns, observations, infos)
        elapsed = infos["elapsed_step"]
        if steps is not None:
            elapsed, steps = _count(steps, infos["env_id"], elapsed, games_over(batch))
        return self._joined(state, steps), self._pool._form(batch, elapsed, False)

    def _actions(self, action: Any, env_id: Any) -> tuple[Any, Any]:
        if isinstance(action, dict):
            action, in_dict, _ = self._pool._split_dict(action)  # without players
            env_id = in_dict if env_id is None else env_id
        wanted = self._pool._action
        action = jnp.asarray(action)
        if action.ndim == 0 or list(action.shape[1:]) != wanted.row_shape:
            raise ActionError(
                f"action: expected the shape {(-1, *wanted.row_shape)} (-1: a row per "
                f"environment), got {action.shape}"
            )
        if wanted.dtype.kind == "f":
            action = cast(action, wanted.dtype)
        elif not jnp.issubdtype(action.dtype, np.integer):
            action = action.astype(np.int32)  # fractions are truncated, as in EnvPool
        return action, env_id


def _bytes(numbers: Any) -> Any:
    return jax.lax.bitcast_convert_type(numbers, np.uint8).reshape(-1)


def _numbers(flat: Any, dtype: Any) -> Any:
    size = np.dtype(dtype).itemsize
    return jax.lax.bitcast_convert_type(flat.reshape(-1, size), dtype)


def _count(
    steps: tuple[Any, Any, Any], env_id: Any, elapsed: Any, over: Any
) -> tuple[Any, tuple[Any, Any, Any]]:
    """Counts the steps of games as `GameSteps.count` does."""
    before, latest, was_over = steps
    start = jnp.where(was_over[env_id], 0, latest[env_id])
    before = before.at[env_id].set(jnp.where(elapsed == 0, start, before[env_id]))
    games = before[env_id] + elapsed
    return games, (before, latest.at[env_id].set(games), was_over.at[env_id].set(over))
