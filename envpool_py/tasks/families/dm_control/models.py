"""The models of the suite, read from the installed package `dm_control`, which is not imported.

This module edits them as dm_control's `make_model` and `get_model_and_assets` do. A model has a
key, "<domain> <variant>". Its text includes no other files, and names meshes by absolute paths. The
functions may be called from any thread.
"""

from __future__ import annotations

import functools
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from pathlib import Path

from envpool_py.errors import MissingPackageError
from envpool_py.tasks.families.mujoco.library import package_directory

__all__ = ["suite_directory", "text_of"]

_WALLS = ("px", "nx", "py", "ny")
# Half the side of the floor, m. At the rewarded speed, the dog stays on the floor.
_DOG_FLOORS = {"stand": 15, "walk": 15, "trot": 45, "run": 135, "fetch": 10}
_QUADRUPED_FLOORS = {"walk": "10.0", "run": "100", "escape": "40"}
_PROPS = ("ball", "target_ball", "cup", "peg", "target_peg", "slot")
_MOST_BOXES = 4


def suite_directory() -> Path:
    """Returns the directory with the models.

    Raises:
        MissingPackageError: the package dm_control is not installed, or has no models.
    """
    directory = package_directory("dm_control") / "suite"
    if not (directory / "cartpole.xml").exists():
        raise MissingPackageError(f"dm_control has no models in {directory}")
    return directory


@functools.lru_cache(maxsize=16)
def text_of(key: str) -> str:
    """Returns the MJCF of a model.

    Raises:
        MissingPackageError: the package dm_control is not installed.
        OSError, ValueError: a file of the model is missing, or does not have the expected content.
    """
    directory = suite_directory()
    domain, *variant = key.split()
    root = ET.parse(directory / f"{domain}.xml").getroot()
    if domain == "cartpole":
        _add_poles(root, int(variant[0]))
    elif domain == "swimmer":
        _add_links(root, int(variant[0]))
    elif domain == "lqr":
        _add_springs(root, *map(int, variant))
    elif domain == "dog":
        _edit_dog(root, variant[0], directory)
    elif domain == "quadruped":
        _edit_quadruped(root, variant[0])
    elif domain == "manipulator":
        _select_props(root, variant[0])
    elif domain == "stacker":
        for box in range(int(variant[0]), _MOST_BOXES):
            _remove(root, "body", f"box{box}")
    _include(root, directory)
    return ET.tostring(root, encoding="unicode")


def _include(root: ET.Element, directory: Path) -> None:
    """Replaces the elements that include files by the contents of these files."""
    for parent, index, child in list(_elements(root)):
        if child.tag != "include":
            continue
        included = ET.parse(directory / child.attrib["file"]).getroot()
        # Several elements replace one. MuJoCo merges sections of the same name, in order.
        parent.remove(child)
        for offset, part in enumerate(included):
            parent.insert(index + offset, part)
        return _include(root, directory)  # the indices have changed
    return None


def _elements(root: ET.Element) -> Iterator[tuple[ET.Element, int, ET.Element]]:
    """Yields each element below the root, after its parent and its index there."""
    for parent in root.iter():
        for index, child in enumerate(parent):
            yield parent, index, child


def _find(root: ET.Element, tag: str, name: str) -> ET.Element:
    found = root.find(f".//{tag}[@name='{name}']")
    if found is None:
        raise ValueError(f'expected a {tag} "{name}", found none')
    return found


def _first(root: ET.Element, path: str) -> ET.Element:
    found = root.find(path)
    if found is None:
        raise ValueError(f'expected an element "{path}", found none')
    return found


def _remove(root: ET.Element, tag: str, name: str) -> None:
    element = _find(root, tag, name)
    for parent, _, child in _elements(root):
        if child is element:
            parent.remove(child)
            return


def _remove_all(root: ET.Element, tag: str, names: Iterable[str]) -> None:
    for name in names:
        _remove(root, tag, name)


def _add_poles(root: ET.Element, count: int) -> None:
    if count == 1:
        return
    parent = _first(root, "./worldbody/body/body")
    for pole in range(2, count + 1):
        child = ET.SubElement(parent, "body", name=f"pole_{pole}", pos="0 0 1", childclass="pole")
        ET.SubElement(child, "joint", name=f"hinge_{pole}")
        ET.SubElement(child, "geom", name=f"pole_{pole}")
        parent = child
    _first(root, "./worldbody/geom").set("pos", f"0 0 {1 - count - 0.05}")
    cameras = root.findall("./worldbody/camera")
    cameras[0].set("pos", f"0 {-1 - 2 * count} 1")
    cameras[1].set("pos", f"0 {-2 * count} 2")


def _add_links(root: ET.Element, count: int) -> None:
    limit = 360.0 / count
    parent = _first(root, "./worldbody/body")
    actuators = ET.SubElement(root, "actuator")
    sensors = ET.SubElement(root, "sensor")
    for link in range(count - 1):
        child = ET.SubElement(parent, "body", name=f"segment_{link}", pos="0 .1 0")
        ET.SubElement(child, "geom", {"class": "visual", "name": f"visual_{link}"})
        ET.SubElement(child, "geom", {"class": "inertial", "name": f"inertial_{link}"})
        ET.SubElement(child, "site", name=f"site_{link}")
        ET.SubElement(child, "joint", name=f"joint_{link}", range=f"{-limit} {limit}")
        ET.SubElement(actuators, "motor", name=f"motor_{link}", joint=f"joint_{link}")
        ET.SubElement(sensors, "velocimeter", name=f"velocimeter_{link}", site=f"site_{link}")
        ET.SubElement(sensors, "gyro", name=f"gyro_{link}", site=f"site_{link}")
        parent = child
    scale = count / 6.0  # factor for the distance of cameras; 1 for 6 links
    for camera in root.findall("./worldbody/body/camera"):
        if camera.get("mode") == "trackcom":
            position = camera.attrib["pos"].split(" ")
            camera.set("pos", " ".join(str(float(value) * scale) for value in position))


def _add_springs(root: ET.Element, bodies: int, actuators: int) -> None:
    parent = _first(root, "./worldbody")
    actuator = ET.SubElement(root, "actuator")
    tendon = ET.SubElement(root, "tendon")
    for body in range(bodies):
        position = ".25 0 .1" if body == 0 else ".25 0 0"
        child = ET.SubElement(parent, "body", name=f"body_{body}", pos=position)
        # Each environment draws its stiffness after it is seeded.
        ET.SubElement(child, "joint", name=f"joint_{body}", stiffness="20.0", damping="0.0")
        ET.SubElement(child, "geom", name=f"geom_{body}")
        ET.SubElement(child, "site", name=f"site_{body}")
        if body < actuators:
            ET.SubElement(actuator, "motor", name=f"motor_{body}", joint=f"joint_{body}")
        if body < bodies - 1:
            spatial = ET.SubElement(tendon, "spatial", name=f"tendon_{body}")
            ET.SubElement(spatial, "site", site=f"site_{body}")
            ET.SubElement(spatial, "site", site=f"site_{body + 1}")
        parent = child


def _edit_dog(root: ET.Element, task: str, directory: Path) -> None:
    floor = _DOG_FLOORS[task]
    _find(root, "geom", "floor").set("size", f"{floor} {floor} .1")
    compiler = _first(root, "./compiler")
    for kind in ("meshdir", "texturedir"):
        compiler.set(kind, str(directory / compiler.attrib[kind]))
    if task != "fetch":
        _remove(root, "body", "ball")
        _remove(root, "geom", "target")
        _remove_all(root, "camera", ("ball", "head"))
        _remove_all(root, "geom", (f"wall_{wall}" for wall in _WALLS))


def _edit_quadruped(root: ET.Element, task: str) -> None:
    floor = _QUADRUPED_FLOORS.get(task)
    if floor is not None:
        _find(root, "geom", "floor").set("size", f"{floor} {floor} .5")
    if task != "fetch":
        _remove_all(root, "geom", (f"wall_{wall}" for wall in _WALLS))
        _remove(root, "body", "ball")
        _remove(root, "site", "target")
    if task != "escape":
        _remove(root, "geom", "terrain")
        for parent, _, child in list(_elements(root)):
            if child.tag == "rangefinder":
                parent.remove(child)


def _select_props(root: ET.Element, task: str) -> None:
    prop = "peg" if task.endswith("peg") else "ball"
    needed = {prop, f"target_{prop}"}
    if task.startswith("insert"):
        needed.add("slot" if prop == "peg" else "cup")
    _remove_all(root, "body", (name for name in _PROPS if name not in needed))
