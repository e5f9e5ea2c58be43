"""The manifest of the classic control tasks: see `envpool_py.tasks.manifest`."""

from __future__ import annotations

from envpool_py.tasks.families.classic_control.tasks import TASKS
from envpool_py.tasks.manifest import Family, Keys

__all__ = ["FAMILY"]

_PAINTERS = "envpool_py.tasks.families.classic_control.painters"

_JAX = "it is written in JAX, and its random numbers are those of JAX"

FAMILY = Family(
    name="Classic control",
    tasks=TASKS,
    page="classic-control.md",
    substitutes={
        "state": "observations are made of it; `save_states` and `load_states` of a pool "
        "(envpool_py.make) keep and set it",
    },
    absent={
        "phys2d/CartPole-v0": f"{_JAX}; take CartPole-v0",
        "phys2d/CartPole-v1": f"{_JAX}; take CartPole-v1",
        "phys2d/Pendulum-v0": f"{_JAX}; take Pendulum-v1",
    },
    painters={
        "Acrobot": f"{_PAINTERS}:AcrobotPainter",
        "CartPole": f"{_PAINTERS}:CartPolePainter",
        "MountainCar": f"{_PAINTERS}:MountainCarPainter",
        "MountainCarContinuous": f"{_PAINTERS}:MountainCarContinuousPainter",
        "Pendulum": f"{_PAINTERS}:PendulumPainter",
    },
    keys={
        "Acrobot": Keys({"left": (0, "torque -1"), "right": (2, "torque +1")}, idle=(1,)),
        # CartPole has no action without effect. Alternating pushes are the nearest substitute.
        "CartPole": Keys({"left": (0, "push left"), "right": (1, "push right")}, idle=(0, 1)),
        "MountainCar": Keys({"left": (0, "push left"), "right": (2, "push right")}, idle=(1,)),
    },
)
