"""`envpool.mujoco.robotics`: the classes of Gymnasium-Robotics' tasks.

One of them is `GymnasiumRoboticsFetchEnvSpec`.
"""

from typing import Any

from envpool_py.compat import classes

_MODULE = "mujoco.robotics"

__all__ = classes.names_of(_MODULE)


def __getattr__(name: str) -> Any:
    return classes.class_of(_MODULE, name)


def __dir__() -> list[str]:
    return __all__
