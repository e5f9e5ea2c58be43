"""`envpool.toy_text`: the classes of toy text, such as `TaxiEnvSpec`."""

from typing import Any

from envpool_py.compat import classes

_MODULE = "toy_text"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
