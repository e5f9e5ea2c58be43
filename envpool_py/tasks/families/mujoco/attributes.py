"""Attributes of Gymnasium's MuJoCo environments that wrappers read: see `Family.attributes`."""

from __future__ import annotations

import importlib.util
import os
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from envpool_py.errors import NoAttributeError
from envpool_py.tasks.manifest import Latest

__all__ = ["dt"]

_DEFAULT_TIMESTEP = 0.002  # MuJoCo's


def dt(task_id: str, config: Mapping[str, Any], latest: Latest) -> float:
    """Returns the time of a step, seconds."""
    del task_id, latest
    given = str(config["xml_file"])
    root = ET.parse(_path(given)).getroot()
    if root.find(".//include") is not None:
        raise NoAttributeError(f"dt: not known, because {given} includes other files")
    steps = [each.get("timestep") for each in root.iter("option") if each.get("timestep")]
    frames: int = config["frame_skip"]
    return float(steps[-1] or 0) * frames if steps else _DEFAULT_TIMESTEP * frames


def _path(given: str) -> Path:
    if given.startswith((".", "~", os.sep)):
        return Path(given).expanduser()
    found = importlib.util.find_spec("gymnasium.envs.mujoco")
    places = [] if found is None else list(found.submodule_search_locations or [])
    return Path(places[0]) / "assets" / given
