"""Resolves an id and its options into the record from which a pool is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool_py.compat.hints import ADVICE, SETTINGS
from envpool_py.errors import InputTypeError, OptionError, UnknownOptionError, suggestion
from envpool_py.pool import core
from envpool_py.pool.arguments import ARGUMENT_NAMES, PoolArguments
from envpool_py.pool.base import PoolBase
from envpool_py.pool.pictures import Painter
from envpool_py.pool.plain import to_plain
from envpool_py.pool.task import Method, ResolvedTask
from envpool_py.tasks import catalog, discovery, gymnasium_ids, registry, scenes

__all__ = ["MAKE_ARGUMENTS", "describe", "remake", "resolve"]

MAKE_ARGUMENTS = ("task_id", "env_type", *ARGUMENT_NAMES)
"""The keywords of `make` that are not options of the environment.

A misspelt argument looks like an unknown option, so the search for the nearest name includes them.
"""
core.reserve_option_names(MAKE_ARGUMENTS)


def resolve(task_id: str, options: Mapping[str, Any]) -> ResolvedTask:
    """Returns all that a pool needs to know of a task.

    Args:
        task_id: an id from `list_all_envs`, or "module:id", which imports the module first.
        options: constructor options of the environment.

    Raises:
        UnknownTaskError, MissingPackageError, OptionError, OptionTypeError, InputTypeError.
    """
    name, description, painter = _describe(task_id, options)
    own_id = description["id"]

    def method_of(method: str) -> Method | None:
        return registry.method_of(own_id, method)

    return ResolvedTask(
        description=description,
        options={option: to_plain(value) for option, value in options.items()},
        name=name,
        painter=painter,
        make_painter=None if painter is None else type(painter),
        prepare=lambda: registry.prepare(own_id),
        method_of=method_of,
        substitute_of=lambda attribute: registry.substitute_of(own_id, attribute),
        warnings=registry.warnings_of(own_id, options),
        spec=gymnasium_ids.spec_of(description),
        remake=remake,
    )


def remake(pool_class: type[Any], arguments: dict[str, Any], options: dict[str, Any]) -> PoolBase:
    """Makes the pool that a pickle or a copy describes; called by pickle."""
    task = resolve(arguments.pop("task_id"), options)
    pool: PoolBase = pool_class(task, PoolArguments.checked(task, arguments))
    return pool


def describe(task_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the description of a task with `options`; see `ResolvedTask.description`."""
    return _describe(task_id, options)[1]


def _describe(
    task_id: str, options: Mapping[str, Any]
) -> tuple[str, dict[str, Any], Painter | None]:
    """Returns what `make` takes for the task, its description, and its painter.

    For a task with scenes, "render" of the description is that of the painter's pictures. If the id
    is "module:id", imports the module.
    """
    if not isinstance(task_id, str):
        raise InputTypeError(f"task_id: expected a str, got {type(task_id).__name__} {task_id!r}")
    module, task_id = discovery.split(task_id)
    if module is not None:
        discovery.import_named(module)
    task_id = registry.canonical_id(task_id)
    catalog.load(task_id)
    try:
        task = core.describe_task(task_id, options)
    except OptionError as error:
        _raise_if_unknown(task_id, options, error)
        raise
    painter = scenes.painter_of(task, options)
    if painter is not None:
        height, width = painter.size
        task["render"] = {"height": height, "width": width, "fps": painter.fps}
    name = task["id"] if module is None else f"{module}:{task['id']}"
    return name, task, painter


def _raise_if_unknown(task_id: str, options: Mapping[str, Any], error: OptionError) -> None:
    """Raises UnknownOptionError if the engine has refused the name of an option.

    Programs look for Python's own words about such a keyword, and then omit it.
    """
    known = [option["name"] for option in core.describe_task(task_id, {})["options"]]
    for name in options:
        if name not in known:
            reason = _reason(task_id, name, known) or str(error)
            raise UnknownOptionError(f"unexpected keyword argument {name!r}: {reason}") from None


def _reason(task_id: str, name: str, known: list[str]) -> str:
    """Returns why an unknown option is not accepted, if it is or resembles one of `make`."""
    if name in MAKE_ARGUMENTS:  # `make` has removed its own arguments
        return (
            f'{task_id} has no option "{name}": it is an argument of make, and make_spec takes '
            f"the options of the environment only ({ADVICE})"
        )
    if name in SETTINGS:
        return (
            f'neither {task_id} nor make takes "{name}", which is an argument of EnvPool ({ADVICE})'
        )
    hint = suggestion(name, [*MAKE_ARGUMENTS, *known])
    if any(f'"{argument}"' in hint for argument in MAKE_ARGUMENTS):
        return f'neither {task_id} nor make takes "{name}"{hint}'
    return ""
