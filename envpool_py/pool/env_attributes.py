"""Attributes and methods of environments, for `get_attr`, `set_attr` and `call` of a pool.

Environments in the engine are not Python objects. The engine has those attributes of Gymnasium's
environments that programs change, such as the constants of the dynamics. What is the same for all
environments of a pool, such as its options, is read from the pool's settings.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from envpool_py.errors import InputError, NoAttributeError, suggestion
from envpool_py.pool.core import engine_core_of
from envpool_py.pool.task import Method

if TYPE_CHECKING:
    from envpool_py.pool.base import EnvIds
    from envpool_py.pool.gymnasium_pool import GymnasiumPool

__all__ = ["assign", "bound_methods", "call", "call_methods", "get", "methods", "names"]

_OF_THE_POOL = {
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
    "render_mode": "render_mode",
}
_NOT_OBJECTS = "environments in the engine are not Python objects"


def names(pool: GymnasiumPool) -> list[str]:
    """Returns the names of the attributes that `assign` takes."""
    return [attribute["name"] for attribute in engine_core_of(pool).attributes]


def get(pool: GymnasiumPool, name: str) -> tuple[Any, ...]:
    """Returns the attribute of each environment; for the name of a method, functions.

    Raises:
        NoAttributeError: there is none of that name.
        EnvIdError: it can be changed, and environments are in flight.
    """
    core = engine_core_of(pool)
    own = names(pool)
    if name in own:
        return core.get_attribute(name, None)
    if name == "np_random_seed":
        return pool.np_random_seed
    values = _settings(pool)
    if name in values and name not in _OF_THE_POOL and core.has_env_options:
        each = pool.get_env_options()
        if all(name in options for options in each):
            return tuple(options[name] for options in each)
    found = None if name in values else bound_methods(pool, name)
    if found is not None:
        return found
    if name not in values:
        known = [*own, *values, "np_random_seed"]
        raise NoAttributeError(
            f"{name}: {_reason(pool, name) or _NOT_OBJECTS}; they have "
            f"{', '.join(sorted(known))}{suggestion(name, known)}"
        )
    return (values[name],) * pool.num_envs


def assign(pool: GymnasiumPool, name: str, values: Any, env_id: EnvIds = None) -> None:
    """Changes the attribute of each environment of `env_id`, or of all.

    Args:
        pool: the pool; these environments must be idle.
        name: name of the attribute.
        values: a list or tuple with a value per environment, or one value for all.
        env_id: ids of the environments, or None.

    Raises:
        NoAttributeError: there is none of that name, or it cannot be changed.
        InputError, InputTypeError: a wrong number of values, or one that the attribute cannot have.
        EnvIdError: environments are in flight.
    """
    own = names(pool)
    if name not in own:
        raise NoAttributeError(f"{name}: {_why_not_set(pool, name, own)}")
    count = pool.num_envs if env_id is None else len(list(env_id))  # type: ignore[arg-type]
    if not isinstance(values, (list, tuple)):
        values = [values] * count
    if len(values) != count:
        raise InputError(
            f"set_attr: {name}: expected a list or tuple of {count} (one per environment), or one "
            f"value for all, got {len(values)} values"
        )
    engine_core_of(pool).set_attribute(name, list(values), env_id)


def call(
    pool: GymnasiumPool, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Calls a method of each environment; for the name of an attribute, returns its values.

    Raises:
        NoAttributeError: there is none of that name.
        InputError: the method does not take these arguments.
        EnvIdError: the environments have attributes, and some are in flight.
    """
    own = methods(pool, name)
    if own is not None:
        return call_methods(own, name, args, kwargs)
    if args or kwargs:
        if name != "render":
            get(pool, name)  # raises if there is none of that name
        raise InputError(f"call({name!r}): expected no arguments, got {args} {kwargs}")
    return pool.render() if name == "render" else get(pool, name)


Bound = tuple[Method, str, dict[str, Any]]
"""A method of an environment: the function, and the id and the config that it is called with."""


def methods(pool: GymnasiumPool, name: str) -> list[Bound] | None:
    """Returns the method of each environment (`Family.methods`); None: they have none of this name.

    Raises:
        EnvIdError: as `call`.
    """
    tasks = pool.task.of_envs or [pool.task] * pool.num_envs
    functions = [task.method_of(name) for task in tasks]
    if None in functions:
        return None
    core = engine_core_of(pool)
    config = pool.config
    current = {attribute: core.get_attribute(attribute, None) for attribute in names(pool)}
    options = pool.get_env_options()
    return [
        (
            function,
            tasks[env].id,
            {**config, **options[env], **{each: values[env] for each, values in current.items()}},
        )
        for env, function in enumerate(functions)
        if function is not None
    ]


def bound_methods(pool: GymnasiumPool, name: str) -> tuple[Callable[..., Any], ...] | None:
    """Returns the method of each environment as a function; None: they have none of this name.

    Raises:
        EnvIdError: as `call`.
    """
    found = methods(pool, name)
    if found is None:
        return None
    return tuple(functools.partial(function, *of_env) for function, *of_env in found)


def call_methods(
    calls: Sequence[Bound], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """Calls methods of several environments; those of equal environments once.

    Raises:
        InputError: a method does not take these arguments.
    """
    results: list[Any] = []
    for index, (function, task_id, config) in enumerate(calls):
        if index > 0 and calls[index - 1] == (function, task_id, config):
            results.append(results[-1])
            continue
        try:
            inspect.signature(function).bind(task_id, config, *args, **kwargs)
        except TypeError as error:
            raise InputError(f"call({name!r}): {error}, got {args} {kwargs}") from None
        results.append(function(task_id, config, *args, **kwargs))
    return tuple(results)


def _settings(pool: GymnasiumPool) -> dict[str, Any]:
    values = {name: getattr(pool, own) for name, own in _OF_THE_POOL.items()}
    values["metadata"] = {
        name: value for name, value in pool.metadata.items() if name != "autoreset_mode"
    }
    return {**pool.config, **values}


def _reason(pool: GymnasiumPool, name: str) -> str | None:
    """Returns why environments here do not have an attribute of the reference, if it is known."""
    if name == "np_random":
        return "they draw from generators in the engine, which reset(seed=...) seeds"
    substitute = pool.task.substitute_of(name)
    return None if substitute is None else f"{_NOT_OBJECTS}; {substitute}"


def _why_not_set(pool: GymnasiumPool, name: str, own: list[str]) -> str:
    options = [option["name"] for option in pool.task.description["options"]]
    # Gymnasium's environments keep some arguments of their constructors under such names.
    option = next((option for option in (name, name.removeprefix("_")) if option in options), None)
    substitute = _reason(pool, name)
    if substitute is not None:
        return substitute
    if f"_{name}" in own:
        return f"Gymnasium's name of the attribute is _{name}"
    if option is not None:
        return (
            f"it is fixed when an environment is made; set_env_options changes the option {option} "
            "from the next episode on"
        )
    if name == "np_random_seed":
        return "reset(seed=...) sets it"
    if name in _settings(pool) or name.removeprefix("_") == "max_episode_steps":
        return "this belongs to the pool, and is an argument of make"
    can_be_set = ", ".join(sorted(own)) or "none"
    return f"{_NOT_OBJECTS}; attributes that can be set: {can_be_set}{suggestion(name, own)}"
