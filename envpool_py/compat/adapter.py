"""The common part of EnvPool's Gymnasium and dm_env pools.

It adapts one of our pools, whose engine it calls directly: it accepts actions in any of EnvPool's
forms, resets environments at their first step, and lets a program send to some environments only.
Calls come from one thread at a time; an asynchronous pool may have one thread that sends and
another that receives.
"""

from __future__ import annotations

import pprint
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.compat import rows
from envpool_py.compat.errors import (
    ActionError,
    ActionTypeError,
    ConfigTypeError,
)
from envpool_py.compat.game_steps import GameSteps
from envpool_py.compat.pictures import Pictures
from envpool_py.compat.rows import Batch
from envpool_py.compat.spec import EnvSpec
from envpool_py.errors import EnvIdError, EnvironmentFailedError, InputError, InputTypeError
from envpool_py.pool.base import PoolBase
from envpool_py.pool.core import engine_core_of

__all__ = ["EnvPool"]

Ids = NDArray[np.int32]


class EnvPool:
    """The part of EnvPool's pools that does not depend on the form of the results.

    Attributes:
        pool: our pool, which steps the environments.
        spec: the spec that the pool was made from.
    """

    pool: PoolBase
    spec: Any

    def _start(self, pool: PoolBase, spec: EnvSpec) -> None:
        """Takes ownership of a new pool of ours."""
        self.pool = pool
        self.spec = spec
        self._engine = engine_core_of(pool)
        self._pictures = Pictures(pool, spec)
        self._action = spec.action_array_spec["action"]
        self._checked_dict = False
        # Environments that were never reset: their first step is a reset. None: none are left.
        # With players, a step before the first reset is an error, because there are no rows yet.
        self._fresh: NDArray[np.bool_] | None = (
            None if pool.has_players else np.ones(pool.num_envs, np.bool_)
        )
        # Synchronous pools: actions for some environments, with which the next `recv` steps them.
        self._queued: list[tuple[NDArray[Any], Ids]] = []
        # If all environments are in flight: the order of their ids; None: ascending.
        self._order: Ids | None = None
        self._all_in_flight = False
        # Only if a game consists of several episodes.
        self._game_steps: GameSteps | None = None

    def _result(self, batch: Batch, reset: bool) -> Any:
        """Converts a batch to EnvPool's form."""
        raise NotImplementedError

    # Properties that both kinds have.

    def __len__(self) -> int:
        return self.pool.num_envs

    @property
    def config(self) -> dict[str, Any]:
        """The settings, by EnvPool's names."""
        config: dict[str, Any] = self.spec.config._asdict()
        return config

    @property
    def all_env_ids(self) -> Ids:
        """Ids of all environments, int32 (num_envs,)."""
        return self.pool.all_env_ids

    @property
    def is_async(self) -> bool:
        """Whether `recv` returns the first `batch_size` environments that are ready."""
        return self.pool.is_async

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={pprint.pformat(v)}" for k, v in self.config.items())
        return f"{type(self).__name__}({settings})"

    __str__ = __repr__

    def seed(self, seed: Any = None) -> None:
        """Only warns: as in EnvPool, the seed is an argument of `make`."""
        warnings.warn(
            "seed() does nothing; give the seed when the pool is made, as "
            "envpool.make(..., seed=seed)",
            stacklevel=2,
        )

    def xla(self) -> tuple[Any, Any, Any, Any]:
        """Returns functions for compiled programs of JAX.

        Unlike EnvPool's, each handle can be used once: pass on the one that a call returns. After a
        reset of all environments from Python, the first handle is valid again.

        Returns:
            `(handle, recv, send, step)`: `recv(handle)` and `step(handle, action, env_id=None)`
            return a handle and what `recv` and `step` of the pool return; `send(handle, action,
            env_id=None)` returns a handle. JAX's arrays have float32 and int32 in place of float64
            and int64, unless `jax_enable_x64` is set.

        Raises:
            MissingPackageError: JAX is not installed.
        """
        import envpool_py.jax  # noqa: F401  # says what to install if JAX is absent
        from envpool_py.compat.xla import functions_of

        return functions_of(self)

    def _form(self, batch: Batch, elapsed: Any, reset: bool) -> Any:
        """Converts a batch of arrays of NumPy or JAX; `elapsed`: the steps of its games."""
        raise NotImplementedError

    # Actions.

    def _values_and_ids(self, action: Any, env_id: Any) -> tuple[NDArray[Any], Ids | None]:
        """Returns the actions as an array for the engine, and the ids (None: all)."""
        of_rows = None
        if isinstance(action, dict):
            action, in_dict, of_rows = self._split_dict(action)
            env_id = in_dict if env_id is None else env_id
        values = np.asarray(action)
        shape = self._action.row_shape
        if values.ndim == 0 or list(values.shape[1:]) != shape:
            raise ActionError(
                f'action: expected the shape {(-1, *shape)} with "action" (-1: a row per '
                f"environment), got {values.shape}"
            )
        ids = None if env_id is None else self._ids(env_id)
        if self.pool.has_players and of_rows is not None:
            values, ids = _grouped(values, self._ids(of_rows), ids)
        return self._cast(values), ids

    def _split_dict(self, action: dict[str, Any]) -> tuple[Any, Any, Any]:
        """Returns the parts of an action that is a dict, as in EnvPool.

        They are "action", "env_id" and "players.env_id". Without players, "players.env_id" replaces
        a missing "env_id".
        """
        flat = dict(_flat(action))
        known = ("action", "env_id", "players.env_id")
        if "action" not in flat or not flat.keys() <= set(known):
            raise ActionError(
                f'action: expected "action" and perhaps {known[1]!r} and {known[2]!r}, got '
                f"{list(flat)}"
            )
        if not self._checked_dict:  # EnvPool also checks only the first dict
            wanted = {"env_id": np.dtype(np.int32), "action": self._action.dtype}
            for name, dtype in wanted.items():
                came = getattr(flat.get(name), "dtype", dtype)
                if came != dtype:
                    raise ActionTypeError(
                        f'action: expected the dtype {dtype} with "{name}" of a dict, got {came}'
                    )
            self._checked_dict = True
        of_rows = flat.get("players.env_id")
        if self.pool.has_players:
            return flat["action"], flat.get("env_id"), of_rows
        return flat["action"], flat.get("env_id", of_rows), None

    def _cast(self, values: NDArray[Any]) -> NDArray[Any]:
        kind, wanted = values.dtype.kind, self._action.dtype
        if kind not in "biuf":
            raise ActionTypeError(
                f"action: expected a dtype that converts to {wanted}, got {values.dtype}"
            )
        if wanted.kind == "f":
            return values.astype(wanted, copy=False)
        if kind in "iu":  # the engine checks integers of any dtype
            return values
        # Fractions are truncated, as in EnvPool. The engine rejects NaN and infinities.
        with np.errstate(invalid="ignore"):
            return values.astype(np.int64)

    def _ids(self, env_id: Any) -> Ids:
        ids = np.asarray(env_id)
        if ids.dtype.kind not in "iuf" or ids.ndim > 1:
            raise ConfigTypeError(
                f"env_id: expected integers (n,), got {ids.dtype} of shape {ids.shape}"
            )
        whole = ids.reshape(-1).astype(np.int64)
        wrong = (whole < 0) | (whole >= self.pool.num_envs)
        if wrong.any():
            raise EnvIdError(
                f"env_id: expected integers in [0, num_envs - 1 = {self.pool.num_envs - 1}], got "
                f"{whole[wrong][0]}"
            )
        return whole.astype(np.int32)

    # Stepping.

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts a step of some environments; `recv` collects the results.

        An environment that was never reset is reset instead, and its action is ignored. If the pool
        is synchronous and `env_id` names only some environments, they are stepped when `recv` is
        called, together with those of other `send` calls.

        Args:
            action: an array with a row per environment (or per player), or EnvPool's form of a
                dict: "action" with "env_id" and "players.env_id" (or "players": {"env_id": ...}).
            env_id: ids of the environments, integers (n,). None: all of them.
        """
        values, ids = self._values_and_ids(action, env_id)
        if self.is_async:
            self._send_async(values, ids)
        else:
            self._send_sync(values, ids)

    def _send_async(self, values: NDArray[Any], ids: Ids | None) -> None:
        fresh = self._fresh  # another thread may send, too
        if fresh is None:
            self._engine.send(values, ids)
            return
        ids = self.all_env_ids if ids is None else ids
        self._check_rows(values, ids)
        _check_once(ids)  # of both parts, before one of them is sent
        first = fresh[ids]
        if not first.all():
            self._engine.send(values[~first], ids[~first])
        if first.any():
            self._engine.async_reset(ids[first], None)
            self._not_fresh(ids[first])

    def _send_sync(self, values: NDArray[Any], ids: Ids | None) -> None:
        if self._fresh is None and not self._queued and (ids is None or len(ids) == len(self)):
            self._engine.send(values, ids)
            self._order, self._all_in_flight = ids, True
            return
        ids = self.all_env_ids if ids is None else ids
        self._check_rows(values, ids)
        in_flight = self.all_env_ids if self._all_in_flight else ids[:0]
        _check_once(np.concatenate([ids, in_flight, *(queued for _, queued in self._queued)]))
        if len(ids) > 0:
            # A copy, because the program may write its next actions into the same array.
            self._queued.append((values.copy(), ids))

    def _check_rows(self, values: NDArray[Any], ids: Ids) -> None:
        # With players, the engine checks the rows: it keeps the players of the latest results.
        if len(values) != len(ids) and not self.pool.has_players:
            raise ActionError(
                f"action: expected {len(ids)} rows, one per environment, got {len(values)}"
            )

    def recv(self, reset: bool = False, return_info: bool = True) -> Any:
        """Waits for the next results of `send`, `async_reset` and `reset`.

        Args:
            reset: whether to return the results of a reset: observations and infos. It makes no
                difference for a dm pool.
            return_info: ignored, as in EnvPool: infos are always returned.
        """
        del return_info
        return self._converted(self._recv, reset)

    def _recv(self) -> Batch:
        if self._queued:
            values = np.concatenate([values for values, _ in self._queued])
            ids = np.concatenate([ids for _, ids in self._queued])
            queued, self._queued = self._queued, []
            try:
                return self._step_now(values, ids)
            except (InputError, InputTypeError):
                self._queued = queued  # no environment was stepped
                raise
        try:
            received: Batch = self._engine.recv(None)
        except EnvironmentFailedError as error:
            error.batch = self._in_order_of_send(error.batch)
            raise
        return self._in_order_of_send(received)

    def _in_order_of_send(self, batch: Batch) -> Batch:
        """Returns a received batch with its rows in the order of the ids of `send`."""
        order = self._order
        if self._all_in_flight:
            self._order, self._all_in_flight = None, False
        return batch if order is None else rows.in_order(batch, order)

    def _step_now(self, values: NDArray[Any], ids: Ids | None) -> Batch:
        """Steps environments of a synchronous pool; resets them if they were never reset."""
        fresh = self._fresh
        if fresh is None:
            return self._engine.step(values, ids)
        ids = self.all_env_ids if ids is None else ids
        self._check_rows(values, ids)
        first = fresh[ids]
        if not first.any():
            return self._engine.step(values, ids)
        # The step comes first: if it raises an error, nothing has been reset.
        stepped = None if first.all() else self._engine.step(values[~first], ids[~first])
        batch = rows.of_reset(self._engine.reset(ids[first], None, None, None))
        self._not_fresh(ids[first])
        if stepped is None:
            return batch
        order = np.argsort(np.concatenate([np.flatnonzero(first), np.flatnonzero(~first)]))
        joined: Batch = rows.take(rows.join(batch, stepped), order)
        return joined

    def step(self, action: Any, env_id: Any = None) -> Any:
        """Steps environments and waits for them: `send`, then `recv`."""
        if self.is_async or self._queued:
            self.send(action, env_id)
            return self.recv()
        values, ids = self._values_and_ids(action, env_id)
        return self._converted(lambda: self._step_now(values, ids), False)

    # Resets.

    def async_reset(self) -> None:
        """Starts a reset of all environments; `recv` collects the results."""
        self._engine.async_reset(None, None)
        self._engine.allow_xla_restart()
        self._not_fresh(None)
        self._queued, self._order = [], None
        self._all_in_flight = not self.is_async

    def _reset(self, env_id: Any) -> Any:
        """Resets environments. A reset of all first waits for results in flight and drops them."""
        if env_id is not None:
            ids = self._ids(env_id)
            return self._converted(lambda: self._reset_now(ids), True)
        self._engine.drain()
        self._queued, self._order, self._all_in_flight = [], None, False
        if not self.is_async:
            return self._converted(lambda: self._reset_now(None), True)
        self.async_reset()
        return self.recv(reset=True)

    def _reset_now(self, ids: Ids | None) -> Batch:
        batch = rows.of_reset(self._engine.reset(ids, None, None, None))
        self._not_fresh(ids)
        if ids is None:
            self._engine.allow_xla_restart()
        if ids is not None and self._queued:
            queued = [(values, some, ~np.isin(some, ids)) for values, some in self._queued]
            self._queued = [(values[kept], some[kept]) for values, some, kept in queued]
        return batch

    def _not_fresh(self, ids: Ids | None) -> None:
        if self._game_steps is not None:
            self._game_steps.restart(ids)
        fresh = self._fresh
        if fresh is None:
            return
        if ids is not None:
            fresh[ids] = False
        if ids is None or not fresh.any():
            self._fresh = None

    def _converted(self, call: Any, reset: bool) -> Any:
        try:
            batch = call()
        except EnvironmentFailedError as error:
            error.batch = self._result(rows.of_reset(error.batch), reset)
            raise
        return self._result(batch, reset)

    # Pictures, and the end.

    def render(self, env_ids: Any = None, camera_id: int | None = None) -> NDArray[np.uint8] | None:
        """Draws environments in their current state.

        Args:
            env_ids: an id, or integers (n,). None: the `render_env_id` of `make`, by default 0.
            camera_id: the camera of a MuJoCo task; None or -1: that of `make`.

        Returns:
            Pictures, uint8 (n, height, width, 3), RGB. None with `render_mode="human"`, which shows
            the picture of one environment in a window and needs OpenCV.

        Raises:
            PictureError: there is no `render_mode`, or the task does not render, or has no such
                camera.
        """
        return self._pictures.render(
            None if env_ids is None else self._ids(env_ids), camera_id, type(self).__name__
        )

    def close(self, **kwargs: Any) -> None:
        """Closes the pool. Arguments are Gymnasium's, and ignored."""
        del kwargs
        if not hasattr(self, "_pictures"):  # made in part
            return
        self._pictures.close()
        self.pool.close()


def _check_once(ids: Ids) -> None:
    """Checks that no environment is named twice."""
    numbers, times = np.unique(ids, return_counts=True)
    if (times > 1).any():
        raise EnvIdError(
            f"env_id: expected each environment once before recv, got {numbers[times > 1][0]} again"
        )


def _grouped(values: NDArray[Any], of_rows: Ids, ids: Ids | None) -> tuple[NDArray[Any], Ids]:
    """Returns the rows of players grouped by environment, in the order of the ids."""
    if len(of_rows) != len(values):
        raise ActionError(
            f"players.env_id: expected one for each of {len(values)} rows of the action, got "
            f"{len(of_rows)}"
        )
    if ids is None:
        _, first = np.unique(of_rows, return_index=True)
        ids = of_rows[np.sort(first)]
    order = np.argsort(ids, kind="stable")
    place = np.searchsorted(ids, of_rows, sorter=order)
    known = place < len(ids)
    known[known] = ids[order[place[known]]] == of_rows[known]
    if not known.all():
        raise EnvIdError(
            f"players.env_id: expected ids of env_id, {ids.tolist()}, got {of_rows[~known][0]}"
        )
    return values[np.argsort(order[place], kind="stable")], ids


def _flat(action: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = []
    for name, value in action.items():
        if isinstance(value, dict):
            pairs += _flat(value, f"{prefix}{name}.")
        else:
            pairs.append((f"{prefix}{name}", value))
    return pairs
