"""The manifest of the MuJoCo tasks: see `envpool_py.manifest`.

The ids are those that Gymnasium registers and can make with this MuJoCo: its Pusher-v4 cannot.
"""

from __future__ import annotations

from envpool_py.manifest import Family
from envpool_py.mujoco.tasks import TASKS

__all__ = ["FAMILY"]

FAMILY = Family(
    name="MuJoCo",
    tasks=TASKS,
    page="mujoco.md",
    module="envpool_py.mujoco.family",
    extra="mujoco",
    needs=("mujoco",),
    # One that falls, one of few steps and one of the older version.
    stand_ins=frozenset({"Ant-v5", "InvertedDoublePendulum-v4", "Reacher-v4"}),
)
