"""`envpool.classic_control`: the classes of classic control, such as `CartPoleEnvSpec`."""

from typing import Any

from envpool_py.compat import classes

_MODULE = "classic_control"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
