"""EnvPool's pools of the dm_env kind."""

from __future__ import annotations

import functools
from typing import Any

import dm_env
import numpy as np

from envpool_py.compat import pictures
from envpool_py.compat.adapter import EnvPool
from envpool_py.compat.arrays import dm_structure
from envpool_py.compat.outputs import cast, infos_of, namespace_of, observations_of
from envpool_py.compat.rows import Batch
from envpool_py.compat.spec import EnvSpec
from envpool_py.tasks.make import make_dm

__all__ = ["DMEnvPool", "dm_class"]

_LAST = int(dm_env.StepType.LAST)


class DMEnvPool(EnvPool, dm_env.Environment):  # type: ignore[misc]
    """EnvPool's dm_env pool: many environments of one task.

    A time step holds, for n rows: `step_type` int32 (n,); `reward` float32 (n,); `discount` float32
    (n,), 0 on every last step, truncated or not; and `observation`, a named tuple of `env_id`,
    `players` (with `env_id`), `obs` and the infos of the task. If pixels are observed, `pixels`
    comes last and there is no `obs`. The specs describe one environment.
    """

    def __init__(self, spec: EnvSpec) -> None:
        arguments = {
            **spec.engine_arguments,
            **pictures.engine_arguments(spec.pictures, spec.ours),
        }
        self._start(make_dm(spec.task.id, **arguments), spec)
        self._observation = spec.observation_array_spec
        self._infos = spec.infos
        self._task = spec.task

    def reset(self, env_id: Any = None) -> dm_env.TimeStep:
        """Starts a new episode in some environments.

        Args:
            env_id: ids of the environments, integers (n,). None: all; an asynchronous pool then
                drops the results in flight, and returns the first `batch_size` that are ready.
        """
        return self._reset(env_id)

    def observation_spec(self) -> Any:
        """Returns the specs of one environment's observation, as a named tuple."""
        return self.spec.observation_spec()

    def action_spec(self) -> Any:
        """Returns the spec of one environment's action."""
        return self.spec.action_spec()

    def _result(self, batch: Batch, reset: bool) -> dm_env.TimeStep:
        return self._form(batch, None, reset)

    def _form(self, batch: Batch, elapsed: Any, reset: bool) -> dm_env.TimeStep:
        del elapsed, reset
        step_type, reward, discount, observations, infos = batch
        named = infos_of(self._infos, infos, observations)
        rest = {name: value for name, value in named.items() if name not in ("env_id", "players")}
        observed = observations_of(self._task, self._observation, observations)
        pixels = self._task.pixels
        values = {
            "env_id": named["env_id"],
            "players": named["players"],
            **({} if pixels else observed if isinstance(observed, dict) else {"obs": observed}),
            **rest,
            **({"pixels": observed} if pixels else {}),
        }
        where = namespace_of(step_type).where
        last = step_type == _LAST
        if self.pool.has_players:
            last = np.isin(named["players"]["env_id"], named["env_id"][last])
        discount = where(last, np.float32(0), cast(discount, np.float32))
        return dm_env.TimeStep(
            step_type=step_type,
            reward=cast(reward, np.float32),
            discount=discount,
            observation=dm_structure("State", values),
        )


@functools.cache
def dm_class(class_name: str) -> type[DMEnvPool]:
    """Returns EnvPool's class of pools, such as `CartPoleDMEnvPool`."""
    return type(f"{class_name}DMEnvPool", (DMEnvPool,), {"__doc__": DMEnvPool.__doc__})
