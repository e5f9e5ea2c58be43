"""The manifest of the MuJoCo tasks: see `envpool_py.tasks.manifest`.

The ids are those that Gymnasium registers and can make with MuJoCo 3. Pusher-v4 does not run on
MuJoCo 3, and ids before -v4 need mujoco-py, which Gymnasium no longer supports.
"""

from __future__ import annotations

from envpool_py.tasks.families.mujoco.tasks import TASKS
from envpool_py.tasks.manifest import WHOLE_STATES, Family

__all__ = ["FAMILY"]

_OLD = "Gymnasium no longer contains its rules, and mujoco-py, which it needs, is not maintained"
_PUSHER = "its model does not run on MuJoCo 3, in Gymnasium either; take Pusher-v5"


def _old_ids() -> dict[str, str]:
    names = {task_id.rpartition("-")[0] for task_id in TASKS}
    newer = {name: f"{name}-v4" if f"{name}-v4" in TASKS else f"{name}-v5" for name in names}
    return {
        f"{name}-v{version}": f"{_OLD}; take {newer[name]}"
        for name in names
        for version in (1, 2, 3)
    }


FAMILY = Family(
    name="MuJoCo",
    tasks=TASKS,
    page="mujoco.md",
    module="envpool_py.tasks.families.mujoco.family",
    extra="mujoco",
    needs=("mujoco",),
    # A task whose agent can fall, a task with short episodes, and a task of the older version.
    representatives=frozenset({"Ant-v5", "InvertedDoublePendulum-v4", "Reacher-v4"}),
    attributes={"dt": "envpool_py.tasks.families.mujoco.attributes:dt"},
    substitutes={
        "data": "observations and infos have positions and velocities, all of them with "
        "exclude_current_positions_from_observation=False",
        "model": "options such as xml_file and frame_skip set what it has",
        "init_qpos": "a model of your own (xml_file) sets them",
        "init_qvel": "a model of your own (xml_file) sets them",
        "do_simulation": "`step` takes the action",
        "get_body_com": "observations and infos have positions",
        "set_state": WHOLE_STATES,
        "state_vector": WHOLE_STATES,
        "mujoco_renderer": "width, height, camera_id, camera_name and default_camera_config are "
        "options, and `render` draws",
    },
    absent={**_old_ids(), "Pusher-v4": _PUSHER},
)
