"""`envpool.box2d`: the classes of the Box2D tasks, such as `LunarLanderDiscreteEnvSpec`."""

from typing import Any

from envpool_py.compat import classes

_MODULE = "box2d"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
