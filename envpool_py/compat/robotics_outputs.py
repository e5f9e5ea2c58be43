"""EnvPool's infos of distances, in tasks of Gymnasium-Robotics, computed from our observations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.compat.robotics_tables import KITCHEN_TASKS
from envpool_py.compat.tasks import Task
from envpool_py.tasks.families.robotics.poses import pose_errors
from envpool_py.tasks.spec import TaskSpec

__all__ = ["GOAL_INFOS", "kitchen_order"]

_Compute = Callable[[Any, Mapping[str, Any]], Any]
_NAIL = 0.091  # m, from which the nail of AdroitHandHammer is driven to its goal
# Where the observations of AdroitHand have what a distance is the length of.
_ADROIT = {"door": slice(28, 29), "pen": slice(39, 42), "relocate": slice(36, 39)}


def _length(vectors: Any) -> Any:
    """Returns the lengths (n,) of vectors (n, size), of NumPy or JAX."""
    return ((vectors * vectors).sum(axis=-1)) ** 0.5


def _to_goal(task: Task, settings: Mapping[str, Any]) -> _Compute:
    """The distance of what is achieved from what is desired (m)."""

    def compute(observations: Any, infos: Mapping[str, Any]) -> Any:
        return _length(observations["achieved_goal"] - observations["desired_goal"])

    return compute


def _of_hand(task: Task, settings: Mapping[str, Any]) -> _Compute:
    """The distance (m) of the fingers, or the sum of an object's distance and angle (radians)."""
    if settings["hand_task"] == "reach":
        return _to_goal(task, settings)
    chosen = {
        "with_position": settings["target_position"] != "ignore",
        "ignore_z": bool(settings["ignore_z_target_rotation"]),
    }

    def of_arrays(achieved: NDArray[Any], desired: NDArray[Any]) -> NDArray[Any]:
        # Each pose is a batch of its own: see pose_errors.
        distance, angle = pose_errors(achieved[:, None], desired[:, None], **chosen)
        total: NDArray[Any] = (distance + angle)[:, 0].astype(achieved.dtype)
        return total

    def compute(observations: Any, infos: Mapping[str, Any]) -> Any:
        goals = observations["achieved_goal"], observations["desired_goal"]
        if isinstance(goals[0], np.ndarray):
            return of_arrays(*goals)
        import jax

        result = jax.ShapeDtypeStruct(goals[0].shape[:1], goals[0].dtype)
        return jax.pure_callback(of_arrays, result, *goals)

    return compute


def _of_adroit(task: Task, settings: Mapping[str, Any]) -> _Compute:
    """How far (m, or radians of a door) the object is from its start or goal; 0 after a reset."""
    kind = settings["adroit_task"]

    def compute(observations: Any, infos: Mapping[str, Any]) -> Any:
        if kind == "hammer":
            distance = abs(_NAIL - observations[:, 26])
        else:
            distance = _length(observations[:, _ADROIT[kind]])
        return distance * (infos["elapsed_step"] > 0)

    return compute


GOAL_INFOS: dict[tuple[str, str], Callable[[Task, Mapping[str, Any]], _Compute]] = {
    ("GymnasiumRoboticsFetch", "distance"): _to_goal,
    ("GymnasiumRoboticsPointMaze", "distance"): _to_goal,
    ("GymnasiumRoboticsHand", "distance"): _of_hand,
    ("GymnasiumRoboticsAdroit", "distance"): _of_adroit,
}
"""What computes an info, by EnvPool's class and the name, given the task and its settings."""


def kitchen_order(ours: TaskSpec) -> list[int]:
    """Returns the columns of our infos of FrankaKitchen in EnvPool's order."""
    names = list(ours.observation_space["desired_goal"].spaces)  # type: ignore[index]
    return [names.index(name) for name in KITCHEN_TASKS]
