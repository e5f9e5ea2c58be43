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

__all__ = ["compute_reward", "compute_terminated", "compute_truncated"]

_MAZE_REACHED = 0.45  # m, the distance at which a goal of a maze counts as reached


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
        A NumPy scalar or an array (...), float64; float32 for the sparse rewards of Fetch.

    Raises:
        InputError: the shapes differ, or are not those of goals.
    """
    difference = _difference(task_id, achieved_goal, desired_goal)
    distance = np.linalg.norm(difference, axis=-1)
    is_dense = config["reward_type"] == "dense"
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
    difference = _difference(task_id, achieved_goal, desired_goal)
    if not _is_maze(task_id) or config["continuing_task"]:
        return _all_false(difference)
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
    return _all_false(_difference(task_id, achieved_goal, desired_goal))


def _is_maze(task_id: str) -> bool:
    return task_id.startswith(("PointMaze", "AntMaze"))


def _all_false(difference: NDArray[Any]) -> Any:
    return False if difference.ndim == 1 else np.zeros(difference.shape[:-1], dtype=bool)


def _difference(task_id: str, achieved_goal: Any, desired_goal: Any) -> NDArray[Any]:
    achieved, desired = np.asarray(achieved_goal), np.asarray(desired_goal)
    size = 2 if _is_maze(task_id) else 3
    if achieved.shape != desired.shape or achieved.shape[-1:] != (size,):
        raise InputError(
            f"{task_id}: expected achieved and desired goals of one shape ({size},) or "
            f"(..., {size}), got {achieved.shape} and {desired.shape}"
        )
    difference: NDArray[Any] = achieved - desired
    return difference
