"""The manifest of MaMuJoCo: see `envpool_py.tasks.manifest`.

The ids are the scenarios of Gymnasium-Robotics 1.4.2's `mamujoco_v1`.
"""

from __future__ import annotations

from envpool_py.tasks.families.mamujoco.tasks import TASKS
from envpool_py.tasks.manifest import WHOLE_STATES, Family

__all__ = ["FAMILY"]

FAMILY = Family(
    name="MaMuJoCo",
    tasks=TASKS,
    page="mamujoco.md",
    module="envpool_py.tasks.families.mamujoco.family",
    extra="robotics",
    needs=("mujoco", "gymnasium_robotics"),
    representatives=frozenset(
        {"MaMuJoCo/Ant-v1", "MaMuJoCo/ManySegmentSwimmer-v1", "MaMuJoCo/Reacher-v1"}
    ),
    substitutes={
        "data": "the info `state` has positions and velocities",
        "model": "options such as xml_file and frame_skip set what it has",
        "set_state": WHOLE_STATES,
        "mujoco_renderer": "width, height, camera_id, camera_name and default_camera_config are "
        "options, and `render` draws",
    },
    absent={
        "MaMuJoCo/CoupledHalfCheetah-v1": "its rules read the Jacobian of a tendon as a matrix, "
        "which MuJoCo has not stored since version 3.6, so that the reference fails there, too; "
        "take MaMuJoCo/HalfCheetah-v1"
    },
    noun="scenarios",
    compat_exclusion="they are not among EnvPool's tasks",
)
