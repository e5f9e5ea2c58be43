"""The Procgen family: importing this registers its tasks; see `envpool_py.tasks.registry`.

Any thread may import this module; the import system serialises imports.
"""

from __future__ import annotations

from envpool_py import _procgen
from envpool_py.pool import core
from envpool_py.tasks.families.procgen.library import open_library
from envpool_py.tasks.families.procgen.tasks import TASKS

__all__ = ["prepare"]


def prepare(task_id: str) -> None:
    """Does nothing: importing the module provides everything."""


# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    open_library()
    _procgen.register_tasks()
