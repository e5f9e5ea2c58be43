"""The family of MaMuJoCo: importing this registers its scenarios.

See `envpool_py.tasks.registry`. Any thread may import this module; the import system serialises
imports.
"""

from __future__ import annotations

from envpool_py import _mujoco
from envpool_py.pool import core
from envpool_py.tasks.families.mamujoco import models
from envpool_py.tasks.families.mamujoco.tasks import TASKS
from envpool_py.tasks.families.mujoco.library import open_library, package_directory

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Does nothing: importing the module provides everything."""


def _register() -> None:
    open_library()
    models.template_directory()  # a missing package is said here
    assets = package_directory("gymnasium") / "envs" / "mujoco" / "assets"
    _mujoco.register_mamujoco(str(assets), models.text_of)


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _register()
