"""`envpool.mujoco.metaworld`: the classes of MetaWorld's tasks, such as `MetaWorldEnvSpec`."""

from typing import Any

from envpool_py.compat import classes

_MODULE = "mujoco.metaworld"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
