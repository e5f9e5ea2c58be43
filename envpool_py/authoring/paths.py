"""The directories of the package, and of the headers, library and CMake files for plug-ins."""

# Importing pathlib would add 20 % to the time of `import envpool_py`, Gymnasium not counted.
# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import os

from envpool_py.pool.core import compiled_directory

__all__ = ["get_cmake_dir", "get_include", "get_library", "package_root"]


def get_include() -> str:
    """Returns the directory of `envpool.h`."""
    return os.path.join(compiled_directory, "include")


def get_cmake_dir() -> str:
    """Returns the directory of the CMake package, `envpool_py_DIR` of `find_package`."""
    return os.path.join(compiled_directory, "cmake")


def get_library() -> str:
    """Returns the path of the static library that plug-ins are linked with."""
    return os.path.join(compiled_directory, "lib", "libenvpool_py.a")


def package_root() -> str:
    """Returns the absolute path of the directory from which the running package is imported."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
