"""`envpool.procgen`: the classes of Procgen's games, such as `ProcgenEnvSpec`."""

from typing import Any

from envpool_py.compat import classes

_MODULE = "procgen"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
