"""The Procgen tasks for `envpool_py.tasks.registry`: importing this module registers them.

The tasks can be described without the library, which pools need.
"""

from __future__ import annotations

from envpool_py import _procgen
from envpool_py.pool import core
from envpool_py.tasks.families.procgen.library import open_library
from envpool_py.tasks.families.procgen.tasks import TASKS

__all__ = ["prepare"]

# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _procgen.register_tasks()


def prepare(task_id: str) -> None:
    """Opens the library, once in a process.

    Raises:
        MissingPackageError: it is not installed, or cannot be used.
    """
    open_library()
