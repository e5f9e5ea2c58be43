"""Collects the pictures of every step, for `render_mode="rgb_array_list"`.

Behaves like Gymnasium's `RenderCollection` around each environment. A reset discards the pictures
of the environment's previous episode. `render` returns the collected pictures and discards them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    EnvironmentFailedError,
    InputError,
    InputTypeError,
)

__all__ = ["CollectingCore"]

Picture = NDArray[np.uint8]
Draw = Callable[[NDArray[np.int32]], Sequence[Picture]]


class CollectingCore:
    """The engine's pool, with the pictures of each environment after every reset and step.

    Args:
        core: `envpool_py._core.Pool`.
        draw: returns the pictures of idle environments.
        own_infos: whether results have "env_id" and "elapsed_step". The results of `core` always
            have them.
    """

    def __init__(self, core: Any, draw: Draw, own_infos: bool) -> None:
        self._core = core
        self._draw = draw
        self._own_infos = own_infos
        self._frames: list[list[Picture]] = [[] for _ in range(core.num_envs)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def step(self, actions: Any, env_id: Any = None, /) -> Any:
        """As the pool's."""
        return self._collect(lambda: self._core.step(actions, env_id))

    def recv(self, timeout: float | None = None, /) -> Any:
        """As the pool's."""
        return self._collect(lambda: self._core.recv(timeout))

    def reset(self, env_id: Any, seed: Any, mask: Any, options: Any, /) -> Any:
        """As the pool's."""
        return self._collect(lambda: self._core.reset(env_id, seed, mask, options), mask)

    def load_states(self, states: Any, env_id: Any = None, /) -> Any:
        """As the pool's. Discards the collected pictures, like a reset."""
        return self._collect(lambda: self._core.load_states(states, env_id), starts=True)

    def take(self, env_ids: Any = None) -> tuple[list[Picture], ...]:
        """Returns the pictures of environments since the latest call, and discards them.

        Args:
            env_ids: distinct ids of the environments, integers (n,). None: all of them.

        Raises:
            EnvIdError, InputError, InputTypeError, ClosedError.
        """
        if self._core.closed:
            raise ClosedError("the pool is closed")
        taken = []
        for env in self._checked(env_ids):
            taken.append(self._frames[env])
            self._frames[env] = []
        return tuple(taken)

    def _checked(self, env_ids: Any) -> Iterable[int]:
        num_envs = len(self._frames)
        if env_ids is None:
            return range(num_envs)
        given = np.asarray(env_ids)
        if not np.issubdtype(given.dtype, np.integer) and given.size > 0:
            raise InputTypeError(f"env_ids: expected an integer dtype, got {given.dtype}")
        if given.ndim != 1 or given.size == 0:
            raise InputError(f"env_ids: expected shape (n,) with n >= 1, got {given.shape}")
        ids: list[int] = given.tolist()
        for at, env in enumerate(ids):
            if env not in range(num_envs):
                raise EnvIdError(
                    f"env_ids[{at}]: expected a value in [0, {num_envs - 1}], got {env}"
                )
            if env in ids[:at]:
                raise EnvIdError(f"env_ids[{at}]: environment {env} is named more than once")
        return ids

    def _collect(
        self, call: Callable[[], Any], mask: NDArray[np.bool_] | None = None, starts: bool = False
    ) -> Any:
        """Calls the pool and adds a picture of each environment of the result.

        Args:
            call: calls the pool.
            mask: environments whose picture is added, bool (num_envs,). None: all in the result.
            starts: whether the earlier pictures of all these environments are discarded. Those of
                an environment that was reset are always discarded.

        Raises:
            EnvironmentFailedError: an environment failed in the call, or could not be drawn
                afterwards. `batch` is the result of the call.
        """
        failure: EnvironmentFailedError | None = None
        try:
            result = call()
        except EnvironmentFailedError as error:
            failure, result = error, error.batch
        infos = result[-1]
        ids: NDArray[np.int32] = infos["env_id"]
        new = infos["elapsed_step"] == 0
        if mask is not None:
            ids, new = ids[mask], new[mask]
        if failure is not None:
            drawn = ~np.isin(ids, failure.env_ids)  # the failed environments have no picture
            ids, new = ids[drawn], new[drawn]
        for env in ids[new | starts].tolist():
            self._frames[env] = []
        try:
            self._add(ids, self._draw(ids) if ids.size > 0 else ())
        except EnvironmentFailedError as error:
            self._add(ids, error.batch, but=error.env_ids)
            error.batch = result
            failure = failure or error
        self._strip(infos)
        if failure is not None:
            raise failure
        return result

    def _add(
        self, ids: NDArray[np.int32], pictures: Sequence[Picture], but: Sequence[int] = ()
    ) -> None:
        for env, picture in zip(ids.tolist(), pictures, strict=True):
            if env not in but:
                self._frames[env].append(picture)

    def _strip(self, infos: dict[str, Any]) -> None:
        if self._own_infos:
            return
        for each in (infos, infos.get("final_info", {})):
            for name in ("env_id", "elapsed_step"):
                each.pop(name, None)
                each.pop("_" + name, None)
