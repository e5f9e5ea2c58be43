"""The MuJoCo family: importing this registers its tasks; see `envpool_py.families`.

The library is that of the installed `mujoco` package, which is not imported. The models are those
of the installed Gymnasium. Any thread may import this module; the import system serialises imports.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from envpool_py import _core, _mujoco
from envpool_py.errors import InternalError, MissingPackageError
from envpool_py.mujoco.tasks import TASKS

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Does nothing: importing the module provides everything."""


def _package_directory(name: str) -> Path:
    found = importlib.util.find_spec(name)
    for directory in (found.submodule_search_locations if found else None) or ():
        return Path(directory)
    raise MissingPackageError(f"expected the package {name}, found none of that name")


def _open_library() -> None:
    package = _package_directory("mujoco")
    library = next(iter(sorted(package.glob("libmujoco.so.*"))), None)
    if library is None:
        raise MissingPackageError(f"expected libmujoco.so.* in {package}, found none")
    try:
        _mujoco.open_library(str(library), str(package / "plugin"))
    except InternalError as error:
        raise MissingPackageError(str(error)) from error


def _register() -> None:
    _open_library()
    assets = _package_directory("gymnasium") / "envs" / "mujoco" / "assets"
    _mujoco.register_tasks(str(assets))


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(_core.list_tasks()):
    _register()
