"""Opens the library of the installed `mujoco` package, once, for all families that use it.

The package is not imported. Any thread may call this while it imports a family; the lock serialises
the families.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from pathlib import Path

from envpool_py import _mujoco
from envpool_py.errors import InternalError, MissingPackageError

__all__ = ["open_library", "package_directory"]

_opening = threading.Lock()
_version: str | None = None


def _renew_lock() -> None:
    global _opening
    _opening = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may hold it


def package_directory(name: str) -> Path:
    """Returns the directory of an installed package, which is not imported.

    Raises:
        MissingPackageError: there is no package of that name.
    """
    found = importlib.util.find_spec(name)
    for directory in (found.submodule_search_locations if found else None) or ():
        return Path(directory)
    raise MissingPackageError(f"the package {name} is not installed")


def open_library() -> str:
    """Opens the library on the first call; returns its version.

    Raises:
        MissingPackageError: the library is missing, or its version is not supported.
    """
    global _version
    with _opening:
        if _version is None:
            package = package_directory("mujoco")
            names = ("libmujoco.so.*", "libmujoco.*.dylib")  # on Linux, on macOS
            library = next((path for name in names for path in sorted(package.glob(name))), None)
            if library is None:
                raise MissingPackageError(f"{package} has no {' and no '.join(names)}")
            try:
                _version = _mujoco.open_library(str(library), str(package / "plugin"))
            except InternalError as error:
                raise MissingPackageError(str(error)) from error
        return _version
