"""`envpool.mujoco.gym`: the classes of Gymnasium's MuJoCo tasks, such as `GymAntEnvSpec`."""

from typing import Any

from envpool_py.compat import classes

_MODULE = "mujoco.gym"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
