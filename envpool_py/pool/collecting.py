"""The pool of `render_mode="rgb_array_list"`, which draws every environment after each step.

Behaves like Gymnasium's `RenderCollection` around each environment. A reset discards the pictures
of the environment's previous episode. `render` returns the collected pictures and discards them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    EnvironmentFailedError,
    InputError,
    InputTypeError,
)
from envpool_py.pool.arguments import EnvType, PoolArguments, Seed
from envpool_py.pool.base import EnvIds
from envpool_py.pool.core import Capabilities, engine_core_of
from envpool_py.pool.gymnasium_pool import GymnasiumPool, StepResult
from envpool_py.pool.pictures import Picture, draw_pictures
from envpool_py.pool.task import ResolvedTask

__all__ = ["CollectingPool"]

_Result = TypeVar("_Result", bound=tuple[Any, ...])


class CollectingPool(GymnasiumPool):
    """A `GymnasiumPool` that collects the pictures of each environment."""

    def __init__(self, task: ResolvedTask, arguments: PoolArguments) -> None:
        if task.painter is not None:
            task.painter.prepare()  # an error of it in `step` would lose a batch
        self._frames: list[list[Picture]] = [[] for _ in range(arguments.num_envs)]
        super().__init__(task, arguments)

    def _core_arguments(self, env_type: EnvType) -> dict[str, Any]:
        # The pool needs "env_id" and "elapsed_step", and removes them if they are not wanted.
        return {**super()._core_arguments(env_type), "extra_infos": True}

    @property
    def capabilities(self) -> Capabilities:
        """Every call must go through the methods of this class, which draw after it."""
        return dataclasses.replace(
            super().capabilities, can_step_into=False, can_share_with_xla=False
        )

    def step(self, actions: Any, env_id: EnvIds = None) -> StepResult:
        """As `GymnasiumPool.step`; draws the environments of the result."""
        call = super().step
        return self._collect(lambda: call(actions, env_id))

    def recv(self, timeout: float | None = None) -> StepResult:
        """As `GymnasiumPool.recv`; draws the environments of the result."""
        call = super().recv
        return self._collect(lambda: call(timeout))

    def reset(
        self,
        env_id: EnvIds = None,
        *,
        seed: Seed = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """As `GymnasiumPool.reset`; draws the environments that it resets."""
        call = super().reset
        mask = options.get("reset_mask") if isinstance(options, Mapping) else None
        return self._collect(lambda: call(env_id, seed=seed, options=options), mask)

    def load_states(self, states: Sequence[bytes], env_id: EnvIds = None) -> Any:
        """As `GymnasiumPool.load_states`. Discards the collected pictures, like a reset."""
        call = super().load_states
        return self._collect(lambda: call(states, env_id), starts=True)

    def render(self, env_id: EnvIds = None) -> tuple[Any, ...]:
        """Returns the pictures of environments since the latest call, and discards them.

        Args:
            env_id: distinct ids of the environments, integers (n,), which may be in flight. None:
                all of them.

        Returns:
            One list per environment, as in Gymnasium: a picture for its latest reset and for each
            step since then, without those that an earlier call has returned.

        Raises:
            EnvIdError, InputError, InputTypeError, ClosedError.
        """
        if self._core.closed:
            raise ClosedError("the pool is closed")
        taken = []
        for env in self._checked(env_id):
            taken.append(self._frames[env])
            self._frames[env] = []
        return tuple(taken)

    def _checked(self, env_id: Any) -> Iterable[int]:
        num_envs = len(self._frames)
        if env_id is None:
            return range(num_envs)
        given = np.asarray(env_id)
        if not np.issubdtype(given.dtype, np.integer) and given.size > 0:
            raise InputTypeError(f"env_id: expected an integer dtype, got {given.dtype}")
        if given.ndim != 1 or given.size == 0:
            raise InputError(f"env_id: expected shape (n,) with n >= 1, got {given.shape}")
        ids: list[int] = given.tolist()
        for at, env in enumerate(ids):
            if env not in range(num_envs):
                raise EnvIdError(
                    f"env_id[{at}]: expected a value in [0, {num_envs - 1}], got {env}"
                )
            if env in ids[:at]:
                raise EnvIdError(f"env_id[{at}]: environment {env} is named more than once")
        return ids

    def _collect(
        self,
        call: Callable[[], _Result],
        mask: NDArray[np.bool_] | None = None,
        starts: bool = False,
    ) -> _Result:
        """Makes a call and adds a picture of each environment of the result.

        Args:
            call: a call of the pool.
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
        infos: dict[str, Any] = result[-1]
        ids: NDArray[np.int32] = infos["env_id"]
        new = infos["elapsed_step"] == 0
        if mask is not None:
            ids, new = ids[mask], new[mask]
        failed = ids[:0] if failure is None else np.asarray(failure.env_ids)
        if self._arguments.on_error == "reset" and "_error" in infos:
            failed = np.append(failed, infos["env_id"][infos["_error"]])
        if failed.size:
            drawn = ~np.isin(ids, failed)  # the failed environments have no picture
            ids, new = ids[drawn], new[drawn]
        for env in ids[new | starts].tolist():
            self._frames[env] = []
        try:
            self._add(
                ids,
                draw_pictures(engine_core_of(self), self._task, ids) if ids.size else (),
            )
        except EnvironmentFailedError as error:
            self._add(ids, error.batch, but=error.env_ids)
            error.batch = result
            failure = failure or error
        if not self._arguments.extra_infos:
            for each in (infos, infos.get("final_info", {})):
                for name in ("env_id", "elapsed_step"):
                    each.pop(name, None)
                    each.pop("_" + name, None)
        if failure is not None:
            raise failure
        return result

    def _add(
        self, ids: NDArray[np.int32], pictures: Sequence[Picture], but: Sequence[int] = ()
    ) -> None:
        for env, picture in zip(ids.tolist(), pictures, strict=True):
            if env not in but:
                self._frames[env].append(picture)
