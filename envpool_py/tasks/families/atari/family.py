"""The Atari tasks for `envpool_py.tasks.registry`: importing this module registers them."""

from __future__ import annotations

from envpool_py import _atari
from envpool_py.pool import core
from envpool_py.tasks.families.atari import roms
from envpool_py.tasks.families.atari.tasks import TASKS

__all__ = ["prepare"]

# Tasks stay registered with the engine, even if Python imports this module again.
if not TASKS.keys() & set(core.list_tasks()):
    _atari.register_tasks()


def prepare(task_id: str) -> None:
    """Passes the ROM of the task's game to the engine, once in a process.

    Raises:
        RomError: ale-py is not installed, or its ROM is missing or altered.
    """
    game = roms.game_of(task_id)
    if not _atari.has_rom(game):
        _atari.add_rom(game, roms.rom_bytes(game))
