"""The family of Gymnasium-Robotics: importing this registers its tasks.

See `envpool_py.tasks.registry`. Any thread may import this module; the import system serialises
imports.
"""

from __future__ import annotations

from envpool_py import _mujoco
from envpool_py.pool import core
from envpool_py.tasks.families.mujoco.library import open_library, package_directory
from envpool_py.tasks.families.robotics import models
from envpool_py.tasks.families.robotics.tasks import TASKS

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Checks that the models are installed. Pools need them; a description of a task does not.

    Raises:
        MissingPackageError: the package gymnasium-robotics is not installed.
    """
    if not task_id.startswith("AntMaze"):  # whose model is Gymnasium's
        models.asset_directory()


def _register() -> None:
    open_library()
    assets = package_directory("gymnasium") / "envs" / "mujoco" / "assets"
    _mujoco.register_robotics(str(assets), models.text_of)


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _register()
