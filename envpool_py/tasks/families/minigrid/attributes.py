"""Attributes of minigrid's environments that wrappers read: see `Family.attributes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envpool_py.errors import NoAttributeError
from envpool_py.pool import core
from envpool_py.tasks.manifest import Latest

__all__ = ["agent_dir", "height", "mission", "width"]


def width(task_id: str, config: Mapping[str, Any], latest: Latest) -> int:
    """Returns the number of columns of the grid."""
    return _cells(task_id, config, "width")


def height(task_id: str, config: Mapping[str, Any], latest: Latest) -> int:
    """Returns the number of rows of the grid."""
    return _cells(task_id, config, "height")


def _cells(task_id: str, config: Mapping[str, Any], side: str) -> int:
    known = [option["name"] for option in core.describe_task(task_id, {})["options"]]
    options = {name: config[name] for name in known if config[name] is not None}
    picture = core.describe_task(task_id, {**options, "agent_pov": False, "tile_size": 1})
    cells: int = picture["render"][side]
    return cells


def agent_dir(task_id: str, config: Mapping[str, Any], latest: Latest) -> int:
    """Returns the direction of the agent."""
    return int(_part("direction", latest))


def mission(task_id: str, config: Mapping[str, Any], latest: Latest) -> str:
    """Returns the mission."""
    return str(_part("mission", latest))


def _part(name: str, latest: Latest) -> Any:
    observation = latest()[0]
    if not isinstance(observation, Mapping):
        raise NoAttributeError(
            f"{name}: the observation has none with image_only=True or flat=True"
        )
    return observation[name]
