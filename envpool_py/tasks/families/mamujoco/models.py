"""The models of MaMuJoCo's robots that consist of segments.

The rest of a model is a template of the installed Gymnasium-Robotics, which is not imported. The
segments are built here, as many as are asked for. The functions may be called from any thread.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from envpool_py.errors import MissingPackageError
from envpool_py.tasks.families.mujoco.library import package_directory

__all__ = ["template_directory", "text_of"]

_BODIES, _ACTUATORS = "{{ body }}", "{{ actuators }}"


def template_directory() -> Path:
    """Returns the directory with the templates.

    Raises:
        MissingPackageError: the package gymnasium-robotics is not installed, or has no templates.
    """
    package = package_directory("gymnasium_robotics")
    directory = package / "envs" / "multiagent_mujoco" / "assets"
    if not (directory / "many_segment_ant.xml.template").exists():
        raise MissingPackageError(f"gymnasium_robotics has no templates of models in {directory}")
    return directory


def text_of(key: str) -> str:
    """Returns the MJCF of a robot.

    Args:
        key: "ant" or "swimmer" and the number of segments, such as "ant 6".

    Raises:
        MissingPackageError: the package is not installed.
        OSError, ValueError: a template is missing, or does not have the expected content.
    """
    robot, number = key.split()
    template = template_directory() / f"many_segment_{robot}.xml.template"
    root = ET.parse(template).getroot()
    bodies, actuators = _take_mark(root, _BODIES), _take_mark(root, _ACTUATORS)
    if robot == "ant":
        _add_ants(bodies, actuators, int(number))
    else:
        _add_links(bodies, actuators, int(number))
    return ET.tostring(root, encoding="unicode")


def _take_mark(root: ET.Element, mark: str) -> ET.Element:
    """Returns the element that the template marks, without the mark."""
    for element in root.iter():
        if mark in (element.text or ""):
            element.text = None
            return element
        for child in element:
            if mark in (child.tail or ""):
                child.tail = None
                return element
    raise ValueError(f"expected {mark} in the template, found none")


def _add_links(parent: ET.Element, actuators: ET.Element, segments: int) -> None:
    """Adds the links behind the first one, each of which is joined to the one before."""
    for segment in range(1, segments):
        is_last = segment == segments - 1
        parent = _body(parent, "back" if is_last else f"mid{segment}", "-1 0 0")
        _capsule(parent, "0 0 0 -1 0 0", "0.1", density="1000")
        ET.SubElement(
            parent,
            "joint",
            name=f"rot{segment}",
            type="hinge",
            pos="0 0 0",
            axis="0 0 1" if is_last or segment % 2 else "0 0 -1",
            limited="true",
            range="-100 100",
        )
    for segment in range(segments):
        _motor(actuators, f"rot{segment}")


def _add_ants(parent: ET.Element, actuators: ET.Element, segments: int) -> None:
    """Adds the segments behind the first one; each has two legs."""
    for segment in range(1, segments):
        parent = _body(parent, f"torso_{segment}", "-1 0 0")
        _capsule(parent, "1 0 0 0 0 0", "0.1", density="100")
        _add_leg(parent, segment, "front_right_leg", "aux_2", "aux1", "right", "right", 1)
        _add_leg(parent, segment, "back_leg", "aux2", "aux2", "back", "third", -1)
    for segment in range(segments):
        for joint in ("hip1", "ankle1", "hip2", "ankle2"):
            _motor(actuators, f"{joint}_{segment}")


def _add_leg(
    torso: ET.Element,
    segment: int,
    leg: str,
    body: str,
    geom: str,
    side: str,
    ankle: str,
    direction: int,
) -> None:
    """Adds a leg to a segment; `direction` is the sign of its y."""
    number = 1 if direction > 0 else 2
    y = 0.2 * direction
    outer = _body(torso, f"{leg}_{segment}", "0 0 0")
    _capsule(outer, f"0 0 0 0 {y} 0", "0.08", name=f"{geom}_geom_{segment}")
    upper = _body(outer, f"{body}_{segment}", f"0 {y} 0")
    _hinge(upper, f"hip{number}_{segment}", "0 0 1", "-30 30")
    _capsule(upper, f"0 0 0 -0.2 {y} 0", "0.08", name=f"{side}_leg_geom_{segment}")
    lower = _body(upper, None, f"-0.2 {y} 0")
    _hinge(lower, f"ankle{number}_{segment}", f"{direction} 1 0", "-70 -30")
    _capsule(lower, f"0 0 0 -0.4 {2 * y} 0", "0.08", name=f"{ankle}_ankle_geom_{segment}")


def _body(parent: ET.Element, name: str | None, pos: str) -> ET.Element:
    return ET.SubElement(parent, "body", {"name": name} if name else {}, pos=pos)


def _capsule(body: ET.Element, ends: str, radius: str, **others: str) -> None:
    ET.SubElement(body, "geom", others, type="capsule", fromto=ends, size=radius)


def _hinge(body: ET.Element, name: str, axis: str, limits: str) -> None:
    ET.SubElement(body, "joint", name=name, type="hinge", pos="0 0 0", axis=axis, range=limits)


def _motor(actuators: ET.Element, joint: str) -> None:
    ET.SubElement(actuators, "motor", joint=joint, gear="150", ctrllimited="true", ctrlrange="-1 1")
