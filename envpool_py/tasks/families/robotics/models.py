"""The models of Gymnasium-Robotics, read from the installed packages, which are not imported.

This module builds the models of mazes as the reference's `make_maze` does: the model of the agent,
then a box for each wall and a site at the goal. The functions may be called from any thread.
"""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from envpool_py.errors import MissingPackageError
from envpool_py.tasks.families.mujoco.library import package_directory

__all__ = ["asset_directory", "franka_numbers", "maze_text", "text_of"]

# Side of a cell (m) and height of the walls (cells), as in the reference: numbers of other types
# would have other texts.
_SCALES = {"point": (1, 0.4), "ant": (4, 0.5)}


def asset_directory() -> Path:
    """Returns the directory with the models.

    Raises:
        MissingPackageError: the package gymnasium-robotics is not installed, or has no models.
    """
    directory = package_directory("gymnasium_robotics") / "envs" / "assets"
    if not (directory / "point" / "point.xml").exists():
        raise MissingPackageError(f"gymnasium_robotics has no models in {directory}")
    return directory


def text_of(key: Sequence[str]) -> str:
    """Returns what C++ asks for by a key.

    Args:
        key: ("maze", agent, xml_file, *rows): the MJCF of a maze, see `maze_text`; ("path", name):
            the absolute path of a file of the package; ("franka", attribute): numbers of the joints
            of FrankaKitchen, see `franka_numbers`.

    Raises:
        MissingPackageError: the package is not installed.
        OSError, ValueError: a file is missing, or does not have the expected content.
    """
    kind, name, *rest = key
    if kind == "path":
        return str(asset_directory() / name)
    if kind == "franka":
        return " ".join(map(repr, franka_numbers(name)))
    return maze_text(name, rest[0], rest[1:])


def franka_numbers(attribute: str) -> list[float]:
    """Returns the numbers that an attribute of the joints of FrankaKitchen has, joint by joint.

    Args:
        attribute: "pos_bound" or "vel_bound" (m or radians, and per second; two for each joint),
            "pos_noise_amp" or "vel_noise_amp" (one for each joint).
    """
    directory = asset_directory() / "kitchen_franka" / "franka_assets"
    root = ET.parse(directory / "franka_config.xml").getroot()
    numbers: list[float] = []
    index = 0
    while (joint := root.find(f"qpos{index}")) is not None:
        numbers += map(float, joint.attrib[attribute].split())
        index += 1
    return numbers


def maze_text(agent: str, xml_file: str, rows: Sequence[str]) -> str:
    """Returns the MJCF of an agent in a maze.

    Args:
        agent: "point" or "ant".
        xml_file: the model of an ant: a path that begins with '/', '.' or '~', or the name of one
            of Gymnasium's files; "" for a point.
        rows: the rows of the maze; "1" is a wall.
    """
    side, height = _SCALES[agent]
    root = ET.parse(_agent_file(xml_file)).getroot()
    world = root.find(".//worldbody")
    if world is None:
        raise ValueError(f"{xml_file or agent}: expected an element worldbody, found none")
    half_height = height / 2 * side
    x_center = len(rows[0]) / 2 * side
    y_center = len(rows) / 2 * side
    for i, row in enumerate(rows):
        for j, letter in enumerate(row):
            if letter != "1":
                continue
            x = (j + 0.5) * side - x_center
            y = y_center - (i + 0.5) * side
            ET.SubElement(
                world,
                "geom",
                name=f"block_{i}_{j}",
                pos=f"{x} {y} {half_height}",
                size=f"{0.5 * side} {0.5 * side} {half_height}",
                type="box",
                material="",
                contype="1",
                conaffinity="1",
                rgba="0.7 0.5 0.3 1.0",
            )
    ET.SubElement(
        world,
        "site",
        name="target",
        pos=f"0 0 {half_height}",
        size=f"{0.2 * side}",
        rgba="1 0 0 0.7",
        type="sphere",
    )
    return ET.tostring(root, encoding="unicode")


def _agent_file(xml_file: str) -> Path:
    if not xml_file:
        return asset_directory() / "point" / "point.xml"
    if xml_file.startswith((".", "~", os.sep)):
        return Path(xml_file).expanduser()
    return package_directory("gymnasium") / "envs" / "mujoco" / "assets" / xml_file
