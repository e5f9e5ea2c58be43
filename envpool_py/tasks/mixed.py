"""Resolves several tasks, whose environments are in one pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envpool_py.errors import InputError
from envpool_py.pool.arguments import PoolArguments
from envpool_py.pool.base import PoolBase
from envpool_py.pool.checks import as_int
from envpool_py.pool.plain import to_plain
from envpool_py.pool.task import ResolvedTask
from envpool_py.tasks.resolve import resolve

__all__ = ["remake_several", "resolve_several"]


def resolve_several(
    task_ids: Sequence[str], num_envs: int | Sequence[int], options: Mapping[str, Any]
) -> ResolvedTask:
    """Returns all that a pool needs to know of several tasks.

    The engine checks that rows of the tasks have the same form.

    Args:
        task_ids: ids as `resolve` takes them, at least one.
        num_envs: number of environments of each task; or of all together, which are then divided
            evenly: the first tasks have one more if the number is not a multiple.
        options: constructor options of all environments.

    Raises:
        UnknownTaskError, MissingPackageError, OptionError, OptionTypeError, InputError,
        InputTypeError.
    """
    if len(task_ids) == 0:
        raise InputError("task_id: expected at least one id, got an empty list")
    sizes = _sizes(num_envs, len(task_ids))
    tasks = [resolve(task_id, options) for task_id in task_ids]

    def prepare() -> None:
        for task in tasks:
            task.prepare()

    def substitute_of(name: str) -> str | None:
        return next(filter(None, (task.substitute_of(name) for task in tasks)), None)

    return ResolvedTask(
        description=_description(tasks),
        options={option: to_plain(value) for option, value in options.items()},
        prepare=prepare,
        substitute_of=substitute_of,
        warnings=[text for task in tasks for text in task.warnings],
        remake=remake_several,
        parts=list(zip(tasks, sizes, strict=True)),
    )


def remake_several(
    pool_class: type[Any], arguments: dict[str, Any], options: dict[str, Any]
) -> PoolBase:
    """Makes the pool that a pickle or a copy describes; called by pickle."""
    sizes = arguments["num_envs"]
    task = resolve_several(arguments.pop("task_id"), sizes, options)
    arguments["num_envs"] = sum(sizes)
    pool: PoolBase = pool_class(task, PoolArguments.checked(task, arguments))
    return pool


def _sizes(num_envs: int | Sequence[int], num_tasks: int) -> list[int]:
    """Returns the number of environments of each task."""
    if isinstance(num_envs, (Sequence, np.ndarray)) and not isinstance(num_envs, (str, bytes)):
        if len(num_envs) != num_tasks:
            raise InputError(
                f"num_envs: expected a number for each of {num_tasks} tasks, got {len(num_envs)}"
            )
        sizes = [as_int("num_envs", each, "an integer for each task") for each in num_envs]
        for index, size in enumerate(sizes):
            if size < 1:
                raise InputError(f"num_envs[{index}]: expected an integer >= 1, got {size}")
        return sizes
    total = as_int("num_envs", num_envs, "an integer, or one for each task")
    if total < num_tasks:
        raise InputError(
            f"num_envs: expected at least one environment for each of {num_tasks} tasks, got "
            f"{total}"
        )
    least, more = divmod(total, num_tasks)
    return [least + (task < more) for task in range(num_tasks)]


def _description(tasks: Sequence[ResolvedTask]) -> dict[str, Any]:
    """Returns the description of a pool's task: what is equal in all tasks, and all infos.

    The pool replaces the spaces by the widest ones, which the engine computes.
    """
    each = [task.description for task in tasks]
    infos = {info["name"]: info for one in each for info in one["infos"]}
    infos["task"] = {"name": "task", "dtype": "int32", "shape": ()}

    def if_equal(key: str) -> Any:
        return each[0][key] if all(one[key] == each[0][key] for one in each) else None

    def in_all(key: str) -> list[Any]:
        return [option for option in each[0][key] if all(option in one[key] for one in each)]

    return {
        **each[0],
        "id": " + ".join(task.id for task in tasks),
        "max_episode_steps": if_equal("max_episode_steps"),
        "reward_threshold": if_equal("reward_threshold"),
        "infos": list(infos.values()),
        "options": in_all("options"),
        "reset_options": in_all("reset_options"),
    }
