"""The directories of the headers, the library and the CMake files for plug-ins."""

# Importing pathlib would add 20 % to the time of `import envpool_py`, Gymnasium not counted.
# ruff: noqa: PTH100, PTH118, PTH120

from __future__ import annotations

import os

from envpool_py import _core

__all__ = ["get_cmake_dir", "get_include", "get_library"]

# The directory of the compiled parts. An editable installation has its Python sources elsewhere.
_ROOT = os.path.dirname(os.path.abspath(_core.__file__ or ""))


def get_include() -> str:
    """Returns the directory of `envpool.h`."""
    return os.path.join(_ROOT, "include")


def get_cmake_dir() -> str:
    """Returns the directory of the CMake package, `envpool_py_DIR` of `find_package`."""
    return os.path.join(_ROOT, "cmake")


def get_library() -> str:
    """Returns the path of the static library that plug-ins are linked with."""
    return os.path.join(_ROOT, "lib", "libenvpool_py.a")
