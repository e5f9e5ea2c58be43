"""Rewards and ends of goals, for hindsight experience replay: see `Family.methods`.

Each function takes one goal, an array (size,), or a batch of goals, (..., size), and returns what
the method of that name of the reference's environment returns for each of them. The reference's
`compute_terminated` and `compute_truncated` take one goal only. Infos are not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.tasks.families.robotics.poses import pose_errors

__all__ = ["compute_reward", "compute_terminated", "compute_truncated"]

_MAZE_REACHED = 0.45  # m, the distance at which a goal of a maze counts as reached
# Numbers of a goal, by the beginning of the id.
_SIZES = {"PointMaze": 2, "AntMaze": 2, "Fetch": 3, "HandReach": 15, "HandManipulate": 7}
_Goals = tuple[NDArray[Any], NDArray[Any]]


def compute_reward(
    task_id: str,
    config: Mapping[str, Any],
    achieved_goal: Any,
    desired_goal: Any,
    info: Any = None,
) -> Any:
    """Returns the reward for having achieved one goal when another was desired.

    Args:
        task_id: the task.
        config: the options and the attributes of its environment.
        achieved_goal: float64 (size,) or (..., size), as in observations.
        desired_goal: the same shape.
        info: not used.

    Returns:
        A NumPy scalar or an array (...), float64; float32 for the sparse rewards of Fetch and of
        the hands. In a batch of HandManipulatePen, the reference does not treat each goal by
        itself, nor does this function: see `pose_errors`.

    Raises:
        InputError: the shapes differ, or are not those of goals.
    """
    achieved, desired = _goals(task_id, achieved_goal, desired_goal)
    is_dense = config["reward_type"] == "dense"
    if task_id.startswith("HandManipulate"):
        return _pose_reward(config, achieved, desired, is_dense=is_dense)
    distance = np.linalg.norm(achieved - desired, axis=-1)
    if _is_maze(task_id):
        if is_dense:
            return np.exp(-distance)
        return (distance <= _MAZE_REACHED).astype(np.float64)
    if is_dense:
        return -distance
    return -(distance > config["distance_threshold"]).astype(np.float32)


def compute_terminated(
    task_id: str,
    config: Mapping[str, Any],
    achieved_goal: Any,
    desired_goal: Any,
    info: Any = None,
) -> Any:
    """Returns whether the episode ends with these goals: a bool, or bool (...) for a batch.

    In AntMaze-v3, the reference's method also draws another goal if the goal is reached. This
    function changes nothing.

    Raises:
        InputError: as `compute_reward`.
    """
    achieved, desired = _goals(task_id, achieved_goal, desired_goal)
    if not _is_maze(task_id) or config["continuing_task"]:
        return _all_false(achieved)
    difference = achieved - desired
    # The reference's norm of one goal is the root of a dot product, and vecdot calls that of each.
    reached = np.sqrt(np.vecdot(difference, difference)) <= _MAZE_REACHED
    return bool(reached) if difference.ndim == 1 else reached


def compute_truncated(
    task_id: str,
    config: Mapping[str, Any],
    achieved_goal: Any,
    desired_goal: Any,
    info: Any = None,
) -> Any:
    """Returns False, or bool (...) for a batch: only the limit of steps truncates an episode.

    Raises:
        InputError: as `compute_reward`.
    """
    achieved, _ = _goals(task_id, achieved_goal, desired_goal)
    return _all_false(achieved)


def _is_maze(task_id: str) -> bool:
    return task_id.startswith(("PointMaze", "AntMaze"))


def _pose_reward(
    config: Mapping[str, Any], achieved: NDArray[Any], desired: NDArray[Any], *, is_dense: bool
) -> Any:
    distance, angle = pose_errors(
        achieved,
        desired,
        with_position=config["target_position"] != "ignore",
        ignore_z=config["ignore_z_target_rotation"],
    )
    if is_dense:
        return -(10.0 * distance + angle)
    reached = (distance < config["distance_threshold"]) & (angle < config["rotation_threshold"])
    return reached.astype(np.float32) - np.float32(1.0)


def _all_false(goals: NDArray[Any]) -> Any:
    return False if goals.ndim == 1 else np.zeros(goals.shape[:-1], dtype=bool)


def _goals(task_id: str, achieved_goal: Any, desired_goal: Any) -> _Goals:
    achieved, desired = np.asarray(achieved_goal), np.asarray(desired_goal)
    size = next(size for name, size in _SIZES.items() if task_id.startswith(name))
    if achieved.shape != desired.shape or achieved.shape[-1:] != (size,):
        raise InputError(
            f"{task_id}: expected achieved and desired goals of one shape ({size},) or "
            f"(..., {size}), got {achieved.shape} and {desired.shape}"
        )
    return achieved, desired
