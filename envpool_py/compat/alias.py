"""Makes `import envpool` find the compat module, in this process and its child processes."""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from pathlib import Path

__all__ = ["SHIM", "alias", "alias_with_children"]

# A directory that contains only a module `envpool`, which calls `alias`.
SHIM = str(Path(__file__).resolve().parent / "path")


def alias() -> None:
    """Adds the compat module and its submodules to `sys.modules` under EnvPool's names."""
    package = importlib.import_module("envpool_py.compat.envpool")
    names = [
        found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    for name in (package.__name__, *names):
        sys.modules["envpool" + name.removeprefix(package.__name__)] = importlib.import_module(name)


def alias_with_children() -> None:
    """Does as `alias`, also in all Python processes that this process starts from now on."""
    alias()
    if SHIM not in sys.path:
        sys.path.insert(1, SHIM)  # multiprocessing hands the path to spawned processes
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if SHIM not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([SHIM, *paths])
