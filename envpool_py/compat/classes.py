"""EnvPool's spec and pool classes by name, for programs that make pools without `make`."""

from __future__ import annotations

from typing import Any

from envpool_py.compat.dm_pool import dm_class
from envpool_py.compat.gymnasium_pool import gymnasium_class
from envpool_py.compat.spec import spec_class
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.compat.tasks import Task

__all__ = ["class_of", "names_of", "spec_class_of"]

_ENDINGS = ("GymnasiumEnvPool", "DMEnvPool", "EnvSpec")


def names_of(module: str) -> list[str]:
    """Returns the names of the classes in a module of EnvPool's, for the tasks that exist here."""
    return [
        f"{class_name}{ending}"
        for class_name, envpool_class in ENVPOOL_CLASSES.items()
        if envpool_class.module == module
        for ending in _ENDINGS
    ]


def class_of(module: str, name: str) -> type[Any]:
    """Returns a class of a module by its name.

    Raises:
        AttributeError: there is no such class, as the module's `__getattr__` must raise.
    """
    for ending in _ENDINGS:
        class_name = name.removesuffix(ending)
        envpool_class = ENVPOOL_CLASSES.get(class_name)
        if envpool_class is None or class_name == name or envpool_class.module != module:
            continue
        if ending == "EnvSpec":
            return spec_class(class_name, envpool_class.ids[0] if envpool_class.ids else "Pong-v5")
        return gymnasium_class(class_name) if ending == _ENDINGS[0] else dm_class(class_name)
    raise AttributeError(f"module 'envpool.{module}' has no attribute {name!r}")


def spec_class_of(task: Task) -> type[Any]:
    """Returns the spec class of a task."""
    if task.envpool_class is None:
        return spec_class(task.class_name, task.id)
    return class_of(task.envpool_class.module, f"{task.class_name}EnvSpec")
