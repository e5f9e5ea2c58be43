"""The dm_control family: importing this registers its tasks; see `envpool_py.tasks.registry`.

Any thread may import this module; the import system serialises imports.
"""

from __future__ import annotations

from envpool_py import _mujoco
from envpool_py.errors import InternalError, MissingPackageError
from envpool_py.pool import core
from envpool_py.tasks.families.dm_control import models
from envpool_py.tasks.families.dm_control.tasks import TASKS
from envpool_py.tasks.families.mujoco.library import open_library

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Checks that the models are installed. Pools need them; a description of a task does not.

    Raises:
        MissingPackageError: the package dm_control is not installed.
    """
    models.suite_directory()


def _register() -> None:
    open_library()
    try:
        _mujoco.register_suite(models.text_of)
    except InternalError as error:
        raise MissingPackageError(str(error)) from error


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _register()
