"""The MuJoCo family: importing this registers its tasks; see `envpool_py.families`.

The library is that of the installed `mujoco` package, which is not imported; the models are those
of the installed Gymnasium. Any thread (the import system lets one in at a time).
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from envpool_py import _mujoco
from envpool_py.errors import MissingPackageError

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Does nothing: what pools need is there once the module is imported."""


def _package_directory(name: str) -> Path:
    found = importlib.util.find_spec(name)
    for directory in (found.submodule_search_locations if found else None) or ():
        return Path(directory)
    raise MissingPackageError(
        f"the MuJoCo tasks need the {name} package, which is not installed: "
        f"`pip install mujoco=={_mujoco.BUILT_VERSION}`"
    )


def _register() -> None:
    package = _package_directory("mujoco")
    library = next(iter(sorted(package.glob("libmujoco.so.*"))), None)
    if library is None:
        raise MissingPackageError(
            f"the MuJoCo tasks need the library of the mujoco package: expected libmujoco.so.* in "
            f"{package}, found none; `pip install mujoco=={_mujoco.BUILT_VERSION}`"
        )
    version = _mujoco.open_library(str(library), str(package / "plugin"))
    if version != _mujoco.BUILT_VERSION:
        raise MissingPackageError(
            f"the MuJoCo tasks were built for mujoco {_mujoco.BUILT_VERSION}, but mujoco {version} "
            f"is installed ({library}): `pip install mujoco=={_mujoco.BUILT_VERSION}`"
        )
    assets = _package_directory("gymnasium") / "envs" / "mujoco" / "assets"
    _mujoco.register_tasks(str(assets))


_register()
