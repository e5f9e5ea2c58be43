"""The settings and infos of EnvPool 1.2.7, for its tasks of Gymnasium-Robotics and MetaWorld.

The settings of an id follow from the words in it, as in EnvPool. `tests/compat` compares them with
EnvPool.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from envpool_py.compat.envpool_class import EnvPoolClass
from envpool_py.tasks.families.metaworld.lists import MT, TASK_OF
from envpool_py.tasks.families.robotics.tasks import TASKS

__all__ = ["EARLIER_IDS", "KITCHEN_TASKS", "METAWORLD_TASKS", "ROBOTICS_CLASSES"]

_GOALS = ("observation", "achieved_goal", "desired_goal")
KITCHEN_TASKS = (
    "bottom burner", "top burner", "light switch", "slide cabinet", "hinge cabinet", "microwave",
    "kettle",
)  # fmt: skip
"""What is to be done in FrankaKitchen, in EnvPool's order."""

METAWORLD_TASKS = MT["MT50"]
"""The names of MetaWorld's tasks, in the order of EnvPool's numbers of them."""

_UNIT = (0.0, 1.0)
_FROM_ZERO = (0.0, math.inf)
_SUCCESS = {"success": "float64", "distance": "float64"}
_IS_SUCCESS = {"is_success": "float64", "distance": "float64"}
_SUCCESS_BOUNDS = {"success": _UNIT, "is_success": _UNIT, "distance": _FROM_ZERO}
_DENSE = {"reward_type": "dense"}
_SPARSE = {"reward_type": "sparse"}

_FETCH: dict[str, dict[str, Any]] = {
    "FetchReach": {},
    "FetchPush": {
        "xml_file": "fetch/push.xml",
        "has_object": True,
        "target_in_the_air": False,
        "gripper_extra_height": 0.0,
    },
    "FetchPickAndPlace": {
        "xml_file": "fetch/pick_and_place.xml",
        "has_object": True,
        "block_gripper": False,
    },
    "FetchSlide": {
        "xml_file": "fetch/slide.xml",
        "has_object": True,
        "target_in_the_air": False,
        "gripper_extra_height": -0.02,
        "target_offset_x": 0.4,
        "obj_range": 0.1,
        "target_range": 0.3,
        "initial_object_x": 1.7,
        "initial_object_y": 1.1,
        "initial_object_z": 0.41,
    },
}
_ADROIT: dict[str, dict[str, Any]] = {
    "AdroitHandDoor": {},
    "AdroitHandHammer": {
        "xml_file": "adroit_hand/adroit_hammer.xml",
        "adroit_task": "hammer",
        "obs_dim": 46,
        "action_dim": 26,
        "qpos_dim": 33,
        "qvel_dim": 33,
    },
    "AdroitHandPen": {
        "xml_file": "adroit_hand/adroit_pen.xml",
        "adroit_task": "pen",
        "obs_dim": 45,
        "action_dim": 24,
        "reset_dim": 4,
    },
    "AdroitHandRelocate": {
        "xml_file": "adroit_hand/adroit_relocate.xml",
        "adroit_task": "relocate",
        "action_dim": 30,
        "qpos_dim": 36,
        "qvel_dim": 36,
        "reset_dim": 6,
    },
}


def _ids(*beginnings: str) -> tuple[str, ...]:
    return tuple(task_id for task_id in TASKS if task_id.startswith(beginnings))


def _base(task_id: str) -> str:
    """Returns the id without its version and the kind of its reward."""
    return task_id.rpartition("-v")[0].removesuffix("Dense").removesuffix("Sparse")


def _dense(task_id: str) -> Mapping[str, Any]:
    return _DENSE if "Dense-" in task_id else {}


def _hand(task_id: str) -> dict[str, Any]:
    """Returns the settings in which a task of the hand differs from HandReach."""
    name = _base(task_id)
    if name == "HandReach":
        return dict(_dense(task_id))
    touch = "TouchSensors" in name
    kind = next(each for each in ("Block", "Egg", "Pen") if each in name)
    rotation = name.removeprefix(f"HandManipulate{kind}").partition("_")[0].removeprefix("Rotate")
    settings: dict[str, Any] = {
        "xml_file": f"hand/manipulate_{kind.lower()}{'_touch_sensors' if touch else ''}.xml",
        "hand_task": "manipulate",
        "obs_dim": 153 if touch else 61,
        "goal_dim": 7,
        "qpos_dim": 38,
        "qvel_dim": 36,
        "target_position": "ignore" if "Rotate" in name else "random",
        "target_rotation": {"Z": "z", "Parallel": "parallel"}.get(rotation, "xyz"),
        "randomize_initial_position": True,
        "randomize_initial_rotation": kind != "Pen",
        "ignore_z_target_rotation": kind == "Pen",
        **_dense(task_id),
    }
    if kind == "Pen":
        settings["distance_threshold"] = 0.05
    if touch:
        settings["touch_visualisation"] = "on_touch"
        settings["touch_get_obs"] = "boolean" if "Boolean" in name else "sensordata"
    return settings


def _maze(task_id: str) -> dict[str, Any]:
    """Returns the settings in which a maze differs from PointMaze_Open."""
    name = _base(task_id).removeprefix("PointMaze_")
    size, _, kind = name.partition("_")
    words = {"UMaze": "U_MAZE", "Open": "OPEN"}
    rows = words.get(size, f"{size.upper()}_MAZE")
    return {"maze_map": f"{rows}_{kind.upper()}" if kind else rows, **_dense(task_id)}


_FETCH_IDS = sorted(_ids("Fetch"), key=lambda task_id: "Reach" not in task_id)
_HAND_IDS = sorted(_ids("Hand"), key=lambda task_id: "HandReach-" not in task_id)
_ADROIT_IDS = _ids("AdroitHand")
_MAZE_IDS = sorted(_ids("PointMaze"), key=lambda task_id: task_id != "PointMaze_Open-v3")

ROBOTICS_CLASSES: dict[str, EnvPoolClass] = {
    "GymnasiumRoboticsFetch": EnvPoolClass(
        "mujoco.robotics",
        ids=tuple(_FETCH_IDS),
        has_threshold=True,
        threshold=0.0,
        infos=_IS_SUCCESS,
        info_bounds=_SUCCESS_BOUNDS,
        order=_GOALS,
        options={
            "frame_skip": 20,
            "frame_stack": 1,
            "xml_file": "fetch/reach.xml",
            "reward_type": "sparse",
            "has_object": False,
            "block_gripper": True,
            "target_in_the_air": True,
            "gripper_extra_height": 0.2,
            "target_offset_x": 0.0,
            "target_offset_y": 0.0,
            "target_offset_z": 0.0,
            "obj_range": 0.15,
            "target_range": 0.15,
            "distance_threshold": 0.05,
            "initial_slide0": 0.4049,
            "initial_slide1": 0.48,
            "initial_slide2": 0.0,
            "initial_object_x": 1.25,
            "initial_object_y": 0.53,
            "initial_object_z": 0.4,
        },
        by_id={
            task_id: {**_FETCH[_base(task_id)], **_dense(task_id)} for task_id in _FETCH_IDS
        },
    ),
    "GymnasiumRoboticsHand": EnvPoolClass(
        "mujoco.robotics",
        ids=tuple(_HAND_IDS),
        has_threshold=True,
        threshold=0.0,
        infos=_IS_SUCCESS,
        info_bounds=_SUCCESS_BOUNDS,
        order=_GOALS,
        options={
            "frame_skip": 20,
            "frame_stack": 1,
            "xml_file": "hand/reach.xml",
            "hand_task": "reach",
            "reward_type": "sparse",
            "obs_dim": 63,
            "goal_dim": 15,
            "qpos_dim": 24,
            "qvel_dim": 24,
            "relative_control": False,
            "distance_threshold": 0.01,
            "rotation_threshold": 0.1,
            "target_position": "ignore",
            "target_rotation": "ignore",
            "target_position_low0": -0.04,
            "target_position_high0": 0.04,
            "target_position_low1": -0.06,
            "target_position_high1": 0.02,
            "target_position_low2": 0.0,
            "target_position_high2": 0.06,
            "randomize_initial_position": False,
            "randomize_initial_rotation": False,
            "ignore_z_target_rotation": False,
            "touch_visualisation": "off",
            "touch_get_obs": "off",
        },
        by_id={task_id: _hand(task_id) for task_id in _HAND_IDS},
    ),
    "GymnasiumRoboticsAdroit": EnvPoolClass(
        "mujoco.robotics",
        ids=_ADROIT_IDS,
        has_threshold=True,
        threshold=0.0,
        infos=_SUCCESS,
        info_bounds=_SUCCESS_BOUNDS,
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "xml_file": "adroit_hand/adroit_door.xml",
            "adroit_task": "door",
            "reward_type": "dense",
            "obs_dim": 39,
            "action_dim": 28,
            "qpos_dim": 30,
            "qvel_dim": 30,
            "reset_dim": 3,
        },
        by_id={
            task_id: {**_ADROIT[_base(task_id)], **(_SPARSE if "Sparse-" in task_id else {})}
            for task_id in _ADROIT_IDS
        },
    ),
    "GymnasiumRoboticsPointMaze": EnvPoolClass(
        "mujoco.robotics",
        ids=tuple(_MAZE_IDS),
        has_threshold=True,
        threshold=0.0,
        infos=_SUCCESS,
        info_bounds=_SUCCESS_BOUNDS,
        order=_GOALS,
        options={
            "frame_skip": 1,
            "frame_stack": 1,
            "maze_map": "OPEN",
            "reward_type": "sparse",
            "continuing_task": True,
            "reset_target": False,
            "maze_size_scaling": 1.0,
            "maze_height": 0.4,
            "position_noise_range": 0.25,
        },
        by_id={task_id: _maze(task_id) for task_id in _MAZE_IDS},
    ),
    "GymnasiumRoboticsKitchen": EnvPoolClass(
        "mujoco.robotics",
        ids=_ids("FrankaKitchen"),
        has_threshold=True,
        threshold=0.0,
        infos={
            "tasks_to_complete": "int32",
            "step_task_completions": "int32",
            "episode_task_completions": "int32",
        },
        info_bounds=dict.fromkeys(
            ("tasks_to_complete", "step_task_completions", "episode_task_completions"), (0, 1)
        ),
        order=("observation", "desired_goal", "achieved_goal", *KITCHEN_TASKS),
        options={
            "frame_skip": 40,
            "frame_stack": 1,
            "xml_file": "kitchen_franka/kitchen_assets/kitchen_env_model.xml",
            "tasks_to_complete": list(KITCHEN_TASKS),
            "terminate_on_tasks_completed": True,
            "remove_task_when_completed": True,
            "robot_noise_ratio": 0.01,
            "object_noise_ratio": 0.0005,
        },
    ),
    "MetaWorld": EnvPoolClass(
        "mujoco.metaworld",
        ids=tuple(TASK_OF[name] for name in METAWORLD_TASKS),
        has_threshold=True,
        threshold=10.0,
        infos={
            **dict.fromkeys(
                (
                    "success", "near_object", "grasp_success", "grasp_reward", "in_place_reward",
                    "obj_to_target", "unscaled_reward",
                ),
                "float64",
            ),
            "task_id": "int32",
        },
        info_bounds={"success": _UNIT, "grasp_success": _UNIT},
        options={
            "frame_skip": 5,
            "frame_stack": 1,
            "task_name": "assembly-v3",
            "partially_observable": True,
        },
        by_id={TASK_OF[name]: {"task_name": name} for name in METAWORLD_TASKS},
        ours={"goal_observable": False},
        bounds="infinite",
    ),
}  # fmt: skip

EARLIER_IDS = {
    task_id.replace(new, old): task_id
    for beginning, new, old in (
        ("Fetch", "-v4", "-v1"), ("HandReach", "-v3", "-v0"), ("HandManipulate", "-v1", "-v0"),
    )
    for task_id in _ids(beginning)
}  # fmt: skip
"""EnvPool's ids of earlier versions, with ours: EnvPool has the same task in both versions."""
