"""The Atari tasks, as `envpool_py.families` loads them: importing this module registers them."""

from __future__ import annotations

from envpool_py import _atari, _core
from envpool_py.atari import ids, roms

__all__ = ["prepare"]

# The engine keeps what is registered, even if Python imports this module once more.
if not ids.LIMITS.keys() <= set(_core.list_tasks()):
    _atari.register_tasks()


def prepare(task_id: str) -> None:
    """Gives the engine the ROM of the task's game, once in a process.

    Raises:
        RomError: ale-py is not installed, or its ROM is missing or altered.
    """
    game = ids.game_of(task_id)
    if not _atari.has_rom(game):
        _atari.add_rom(game, roms.rom_bytes(game))
