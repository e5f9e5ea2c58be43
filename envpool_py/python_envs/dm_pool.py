"""The pool of environments written in Python with the API of dm_env. Imports dm_env."""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import dm_env

from envpool_py.errors import InputError
from envpool_py.pool.arguments import PoolArguments
from envpool_py.pool.base import EnvIds
from envpool_py.pool.dm_pool import FIXED_FIELDS, DmPool
from envpool_py.pool.spaces import space_data
from envpool_py.pool.task import ResolvedTask
from envpool_py.python_envs.pool import EnvSource, PythonPoolBase

__all__ = ["PythonDmPool", "PythonObservation"]


class PythonObservation(namedtuple("PythonObservation", FIXED_FIELDS)):  # type: ignore[misc]
    """The observation of a time step: `obs`, `env_id` and `elapsed_step`.

    Attributes:
        infos: the infos of the environments, a dict as in the Gymnasium API. It is not a field,
            because every field needs a spec, and the contents of infos are not known in advance.
    """

    infos: dict[str, Any]


class PythonDmPool(PythonPoolBase, DmPool):
    """A pool of environments written in Python; `make_python(env_type="dm")` makes it.

    Calls and time steps are those of `DmPool`. `observation` has the fields `obs`, `env_id` and
    `elapsed_step`, and the attribute `infos`, a dict.

    Attributes:
        num_workers: number of processes, or of threads, that step environments; 0: the calling
            thread does.
    """

    def __init__(self, task: ResolvedTask, arguments: PoolArguments, source: EnvSource) -> None:
        spaces = {}
        for name in ("observation", "action"):
            try:
                spaces[name] = space_data(getattr(source.first, f"{name}_space"))
            except InputError as error:
                raise InputError(f"{name}_space: {error} with env_type 'dm'") from None
        self._take(source)
        description = {**task.description, **spaces, "infos": []}
        DmPool.__init__(self, dataclasses.replace(task, description=description), arguments)
        # The bounds of all environments, which the specs describe.
        description["observation"] = space_data(self._single_observation_space)
        self._observation_type = PythonObservation
        self.render_mode = source.first.render_mode

    def load_states(self, states: Sequence[bytes], env_id: EnvIds = None) -> dm_env.TimeStep:
        """Continues from saved states, as `PythonPoolBase.load_states`; returns a time step."""
        return self._time_step(PythonPoolBase.load_states(self, states, env_id))

    def _time_step(self, result: tuple[Any, ...]) -> dm_env.TimeStep:
        time_step = super()._time_step(result)
        time_step.observation.infos = result[-1]
        return time_step
