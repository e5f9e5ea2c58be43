"""Programs import this to register the tasks; here they are always registered.

Attributes:
    atari_game_list: the games, as EnvPool and ale-py spell them ("space_invaders"), sorted.
"""

from __future__ import annotations

from typing import Any

from envpool_py.tasks.families.atari.roms import games

__all__ = ["atari_game_list"]  # noqa: F822  # from __getattr__


def __getattr__(name: str) -> Any:
    # The list comes from the engine, so it is read only when a program uses it.
    if name == "atari_game_list":
        return sorted(games())
    raise AttributeError(f"module 'envpool.atari.registration' has no attribute {name!r}")
