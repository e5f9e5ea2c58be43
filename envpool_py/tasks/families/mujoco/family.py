"""The MuJoCo family: importing this registers its tasks; see `envpool_py.tasks.registry`.

The models are those of the installed Gymnasium. Any thread may import this module; the import
system serialises imports.
"""

from __future__ import annotations

from envpool_py import _mujoco
from envpool_py.pool import core
from envpool_py.tasks.families.mujoco.library import open_library, package_directory
from envpool_py.tasks.families.mujoco.tasks import TASKS

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Does nothing: importing the module provides everything."""


def _register() -> None:
    open_library()
    assets = package_directory("gymnasium") / "envs" / "mujoco" / "assets"
    _mujoco.register_tasks(str(assets))


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _register()
