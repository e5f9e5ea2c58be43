"""Pools for ids that only Gymnasium's registry has."""

from __future__ import annotations

import copy
import functools
import importlib
import inspect
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import Error as GymnasiumError

from envpool_py.errors import InputError
from envpool_py.pool.checks import integer
from envpool_py.pool.plain import to_plain
from envpool_py.python_envs.make import make_pool, make_python
from envpool_py.python_envs.pool import PythonEnvPool
from envpool_py.tasks.discovery import split

if TYPE_CHECKING:
    from envpool_py.python_envs.dm_pool import PythonDmPool

__all__ = ["make_registered", "register_python", "registered_ids", "spec_of"]

_VECTOR_ENTRY_POINT = "envpool_py.tasks.python_tasks:make_registered"
_OWN_NAMESPACE = "EnvPool/"


def registered_ids() -> list[str]:
    """Returns the ids in Gymnasium's registry that are not in this package's namespace, sorted."""
    return sorted(
        name
        for name, spec in gymnasium.registry.items()
        if not name.startswith(_OWN_NAMESPACE) and spec.entry_point is not None
    )


def register_python() -> None:
    """Registers the ids of `registered_ids` for `make_vec` under this package's namespace."""
    for task_id in registered_ids():
        name = _vector_id(task_id)
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                vector_entry_point=_VECTOR_ENTRY_POINT,
                reward_threshold=gymnasium.registry[task_id].reward_threshold,
                kwargs={"task_id": task_id},
            )


def _vector_id(task_id: str) -> str:
    return f"{_OWN_NAMESPACE}{task_id.replace('/', '.')}"


def spec_of(task_id: str) -> EnvSpec | None:
    """Returns the spec of an id or "module:id" of `gymnasium.make`; None if there is no such id."""
    if not isinstance(task_id, str) or task_id.startswith(_OWN_NAMESPACE):
        return None
    module, name = split(task_id)
    try:
        if module is not None:
            importlib.import_module(module)
        return gymnasium.spec(name)
    except (GymnasiumError, ImportError):
        return None


# The arguments of `make_registered` that are passed to the pool, and their defaults.
_OF_POOL = {
    name: parameter.default
    for name, parameter in inspect.signature(make_python).parameters.items()
    if name not in ("env_fns", "max_episode_steps", "arguments")
} | {"num_envs": 1}


def make_registered(
    task_id: str,
    *,
    num_threads: int | None = None,
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    **arguments: Any,
) -> PythonEnvPool | PythonDmPool:
    """Makes a pool of environments as `gymnasium.make` makes them, with its wrappers.

    `task_id` is an id in Gymnasium's registry, or "module:id". `max_episode_steps` and
    `render_mode` are those of `gymnasium.make`; with "human", environment 0 has a window, and the
    other environments do not render. `num_threads` must be None, because workers step these
    environments. The other arguments are those of `make_python`, with `num_envs=1` as the default;
    arguments with other names are options of the environment.
    """
    if num_threads is not None:
        raise InputError(
            f"num_threads: not supported for {task_id}, whose environments are written in Python; "
            "use num_workers"
        )
    spec = spec_of(task_id)
    if spec is None:
        raise gymnasium.error.NameNotFound(f"{task_id} is not in Gymnasium's registry")
    of_pool = {name: arguments.pop(name, default) for name, default in _OF_POOL.items()}
    pool_spec = EnvSpec(
        _vector_id(spec.id),
        vector_entry_point=_VECTOR_ENTRY_POINT,
        reward_threshold=spec.reward_threshold,
        kwargs=to_plain(
            {
                **{name: value for name, value in of_pool.items() if value is not None},
                "task_id": task_id,
                "render_mode": render_mode,
                "vectorization_mode": "vector_entry_point",
                **arguments,
            }
        ),
        max_episode_steps=max_episode_steps,
    )
    make_one = functools.partial(
        gymnasium.make, copy.deepcopy(spec), max_episode_steps=max_episode_steps, **arguments
    )
    env_fns: Any = make_one
    if render_mode is not None:  # some environments do not accept the argument
        env_fns = functools.partial(make_one, render_mode=render_mode)
    if render_mode == "human":
        others = integer("num_envs", of_pool["num_envs"], 1, 2**31 - 1) - 1
        env_fns = [env_fns, *[make_one] * others]
    return make_pool(
        env_fns,
        **of_pool,
        name=spec.id,
        reward_threshold=spec.reward_threshold,
        spec=pool_spec,
    )
