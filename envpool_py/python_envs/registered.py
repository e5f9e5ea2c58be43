"""Pools of the ids that only Gymnasium's registry knows."""

from __future__ import annotations

import copy
import functools
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import Error as GymnasiumError
from gymnasium.vector import AutoresetMode

from envpool_py.errors import InputError
from envpool_py.plain import plain
from envpool_py.pool import Seed
from envpool_py.python_envs.make import make_pool
from envpool_py.python_envs.pool import PythonEnvPool

_VECTOR_ENTRY_POINT = "envpool_py.python_envs.registered:make_registered"
_OWN_NAMESPACE = "EnvPool/"


def registered_ids() -> list[str]:
    """Returns the ids in Gymnasium's registry that are not those of this package, sorted."""
    return sorted(
        name
        for name, spec in gymnasium.registry.items()
        if not name.startswith(_OWN_NAMESPACE) and spec.entry_point is not None
    )


def register_python() -> None:
    """Registers the ids of `registered_ids` for `make_vec` under this package's namespace."""
    for task_id in registered_ids():
        name = _own_id(task_id)
        if name not in gymnasium.registry:
            gymnasium.register(
                name,
                vector_entry_point=_VECTOR_ENTRY_POINT,
                reward_threshold=gymnasium.registry[task_id].reward_threshold,
                kwargs={"task_id": task_id},
            )


def _own_id(task_id: str) -> str:
    return f"{_OWN_NAMESPACE}{task_id.replace('/', '.')}"


def spec_of(task_id: str) -> EnvSpec | None:
    """Returns the spec of an id, as `gymnasium.make` takes it ("module:id" too), or None."""
    if not isinstance(task_id, str) or task_id.startswith(_OWN_NAMESPACE):
        return None
    module, colon, name = task_id.rpartition(":")
    try:
        if colon:
            __import__(module)
        return gymnasium.spec(name)
    except (GymnasiumError, ImportError):
        return None


def make_registered(
    task_id: str,
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    num_workers: int | None = None,
    workers: str = "processes",
    start_method: str = "forkserver",
    on_worker_death: str = "restart",
    step_timeout: float | None = None,
    **options: Any,
) -> PythonEnvPool:
    """Makes a pool of environments as `gymnasium.make` makes them, with its wrappers.

    `task_id` is an id in Gymnasium's registry, or "module:id". `max_episode_steps`, `render_mode`
    and options are those of `gymnasium.make`; `num_threads` must be None, because these
    environments have workers. The other arguments are those of `make_python`.
    """
    if num_threads is not None:
        raise InputError(
            f"num_threads: expected None for {task_id}, an environment in Python, whose pools have "
            f"num_workers, got {num_threads}"
        )
    spec = spec_of(task_id)
    if spec is None:
        raise gymnasium.error.NameNotFound(f"{task_id} is not in Gymnasium's registry")
    make_one = functools.partial(
        _make_one, copy.deepcopy(spec), max_episode_steps, render_mode, dict(options)
    )
    arguments: dict[str, Any] = {
        "num_envs": num_envs,
        "batch_size": batch_size,
        "seed": seed,
        "autoreset_mode": autoreset_mode,
        "record_episode_statistics": record_episode_statistics,
        "max_blocks": max_blocks,
        "infos": infos,
        "num_workers": num_workers,
        "workers": workers,
        "start_method": start_method,
        "on_worker_death": on_worker_death,
        "step_timeout": step_timeout,
    }
    pool_spec = EnvSpec(
        _own_id(spec.id),
        vector_entry_point=_VECTOR_ENTRY_POINT,
        reward_threshold=spec.reward_threshold,
        kwargs=plain(
            {
                **{name: value for name, value in arguments.items() if value is not None},
                "task_id": task_id,
                "render_mode": render_mode,
                "vectorization_mode": "vector_entry_point",
                **options,
            }
        ),
        max_episode_steps=max_episode_steps,
    )
    return make_pool(
        make_one, name=spec.id, reward_threshold=spec.reward_threshold, spec=pool_spec, **arguments
    )


def _make_one(
    spec: EnvSpec, max_episode_steps: int | None, render_mode: str | None, options: dict[str, Any]
) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(
        spec, max_episode_steps=max_episode_steps, render_mode=render_mode, **options
    )
