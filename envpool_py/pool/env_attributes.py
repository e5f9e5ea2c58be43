"""Attributes and methods of environments, for `get_attr` and `call` of a pool.

Environments in the engine are not Python objects. Attributes that are the same for all environments
of a pool, such as its options, are read from the pool's settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from envpool_py.errors import InputError, NoAttributeError, suggestion
from envpool_py.pool.core import engine_core_of

if TYPE_CHECKING:
    from envpool_py.pool.gymnasium_pool import GymnasiumPool

__all__ = ["call", "get"]

_OF_THE_POOL = {
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
    "render_mode": "render_mode",
}


def get(pool: GymnasiumPool, name: str) -> tuple[Any, ...]:
    """Returns the attribute of each environment.

    Raises:
        NoAttributeError: there is none of that name.
    """
    if name == "np_random_seed":
        return pool.np_random_seed
    values = _attributes(pool)
    if name in values and name not in _OF_THE_POOL and engine_core_of(pool).has_env_options:
        each = pool.get_env_options()
        if all(name in options for options in each):
            return tuple(options[name] for options in each)
    if name not in values:
        known = [*values, "np_random_seed"]
        raise NoAttributeError(
            f"{name}: environments in the engine are not Python objects; they have "
            f"{', '.join(sorted(known))}{suggestion(name, known)}"
        )
    return (values[name],) * pool.num_envs


def call(
    pool: GymnasiumPool, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Calls a method of each environment; for the name of an attribute, returns its values.

    Raises:
        NoAttributeError: there is none of that name.
        InputError: arguments were given.
    """
    if args or kwargs:
        raise InputError(f"call({name!r}): expected no arguments, got {args} {kwargs}")
    if name == "render":
        return pool.render()
    tasks = pool.task.of_envs or [pool.task] * pool.num_envs
    functions = [task.method_of(name) for task in tasks]
    if None in functions:
        return get(pool, name)
    return tuple(
        function(task.id, {**pool.config, **options})
        for function, task, options in zip(functions, tasks, pool.get_env_options(), strict=True)
        if function is not None
    )


def _attributes(pool: GymnasiumPool) -> dict[str, Any]:
    values = {name: getattr(pool, own) for name, own in _OF_THE_POOL.items()}
    values["metadata"] = {
        name: value for name, value in pool.metadata.items() if name != "autoreset_mode"
    }
    return {**pool.config, **values}
