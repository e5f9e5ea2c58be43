"""The manifest of Gymnasium-Robotics: see `envpool_py.tasks.manifest`.

The ids are those of Gymnasium-Robotics 1.4.2 whose environments run on MuJoCo 3.
"""

from __future__ import annotations

from envpool_py.tasks.families.robotics.tasks import TASKS
from envpool_py.tasks.manifest import WHOLE_STATES, Family

__all__ = ["FAMILY"]

_GOALS = "envpool_py.tasks.families.robotics.goals"
FAMILY = Family(
    name="Gymnasium-Robotics",
    tasks=TASKS,
    page="robotics.md",
    module="envpool_py.tasks.families.robotics.family",
    extra="robotics",
    needs=("mujoco", "gymnasium_robotics"),
    representatives=frozenset(
        {
            "PointMaze_UMaze-v3",
            "AntMaze_UMaze-v5",
            "FetchPush-v4",
            "AdroitHandRelocate-v1",
            "FrankaKitchen-v1",
            "HandManipulateBlock_ContinuousTouchSensors-v1",
        }
    ),
    methods={
        name: f"{_GOALS}:{name}"
        for name in ("compute_reward", "compute_terminated", "compute_truncated")
    },
    without_methods=("AdroitHand", "FrankaKitchen"),
    substitutes={
        "data": "observations and infos have positions and velocities",
        "model": "the option `model` sets numbers of it",
        "goal": "observations have it as `desired_goal`",
        "maze": "the option maze_map has its rows",
        "set_state": WHOLE_STATES,
        "compute_reward": "only tasks with one goal have it",
        "get_env_state": WHOLE_STATES,
        "set_env_state": "the reset option initial_state_dict begins an episode in a state",
        "mujoco_renderer": "width, height, camera_id and camera_name are options, and `render` "
        "draws",
    },
)
