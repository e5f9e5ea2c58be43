"""The directories of the headers, the library and the CMake files for plug-ins."""

# Importing pathlib would add 20 % to the time of `import envpool_py`, Gymnasium not counted.
# ruff: noqa: PTH118

from __future__ import annotations

import os

from envpool_py.pool.core import compiled_directory

__all__ = ["get_cmake_dir", "get_include", "get_library"]


def get_include() -> str:
    """Returns the directory of `envpool.h`."""
    return os.path.join(compiled_directory, "include")


def get_cmake_dir() -> str:
    """Returns the directory of the CMake package, `envpool_py_DIR` of `find_package`."""
    return os.path.join(compiled_directory, "cmake")


def get_library() -> str:
    """Returns the path of the static library that plug-ins are linked with."""
    return os.path.join(compiled_directory, "lib", "libenvpool_py.a")
