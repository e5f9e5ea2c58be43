"""The family of MetaWorld: importing this registers its tasks.

See `envpool_py.tasks.registry`. Any thread may import this module; the import system serialises
imports.
"""

from __future__ import annotations

from pathlib import Path

from envpool_py import _mujoco
from envpool_py.errors import MissingPackageError
from envpool_py.pool import core
from envpool_py.tasks.families.metaworld.tasks import TASKS
from envpool_py.tasks.families.mujoco.library import open_library, package_directory

__all__ = ["model_path", "prepare"]


def prepare(task_id: str) -> None:
    """Checks that the models are installed. Pools need them; a description of a task does not.

    Raises:
        MissingPackageError: the package metaworld is not installed.
    """
    _model_directory()


def model_path(name: str) -> str:
    """Returns the absolute path of a model of the installed package, which is not imported.

    Args:
        name: the name of the file without ".xml".

    Raises:
        MissingPackageError: the package metaworld is not installed, or has no models.
    """
    return str(_model_directory() / f"{name}.xml")


def _model_directory() -> Path:
    directory = package_directory("metaworld") / "assets" / "sawyer_xyz"
    if not directory.is_dir():
        raise MissingPackageError(f"metaworld has no models in {directory}")
    return directory


def _register() -> None:
    open_library()
    _mujoco.register_metaworld(model_path)


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _register()
