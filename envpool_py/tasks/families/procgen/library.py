"""Finds and opens the library of the installed Procgen package, which is not imported.

The library reads all its pictures when it makes the first environment, and ends the process if one
of them cannot be read. Therefore the files of the package are first compared with the list of files
that its wheel has installed. Any thread may call `open_library`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import threading
from pathlib import Path

from envpool_py import _procgen
from envpool_py.errors import InternalError, MissingPackageError
from envpool_py.tasks.families.procgen.manifest import PACKAGE

__all__ = ["open_library"]

# The wheels that may have installed the package.
_DISTRIBUTIONS = ("procgen-gym",) if PACKAGE == "procgen_gym" else ("procgen-mirror", "procgen")

_opening = threading.Lock()
_opened = False


def _renew_lock() -> None:
    global _opening
    _opening = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may hold it


def open_library() -> None:
    """Opens the library of the installed package, once in a process.

    Raises:
        MissingPackageError: the package is not installed, lacks files, or has a library with
            another interface.
    """
    global _opened
    with _opening:
        if not _opened:
            _open()
            _opened = True


def _open() -> None:
    package = _package_directory()
    library = package / "data" / "prebuilt" / "libenv.so"
    pictures = package / "data" / "assets"
    for path in (library, pictures):
        if not path.exists():
            raise MissingPackageError(f"{path} is missing")
    _check_files(package)
    try:
        _procgen.open_library(str(library), f"{pictures}{os.sep}")
    except InternalError as error:
        raise MissingPackageError(str(error)) from error


def _package_directory() -> Path:
    found = importlib.util.find_spec(PACKAGE)
    for directory in (found.submodule_search_locations if found else None) or ():
        return Path(directory)
    raise MissingPackageError(f"the package {PACKAGE} is not installed")


def _check_files(package: Path) -> None:
    """Checks the size of each picture that a wheel has installed in `package`."""
    for name in _DISTRIBUTIONS:
        try:
            files = importlib.metadata.files(name) or ()
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            if file.suffix != ".png" or file.size is None:
                continue
            path = package.parent / file
            if not path.is_relative_to(package):
                continue
            try:
                size = path.stat().st_size
            except OSError as error:
                raise MissingPackageError(f"{path} cannot be read: {error.strerror}") from error
            if size != file.size:
                raise MissingPackageError(f"{path} has {size} bytes, expected {file.size}")
