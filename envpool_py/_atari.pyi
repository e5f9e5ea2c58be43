"""The Atari tasks, their games and ROMs. Private: `envpool_py.tasks.families.atari` uses it.

Errors are those of `envpool_py.errors`.
"""

from typing import TypedDict, type_check_only

@type_check_only
class GameDescription(TypedDict):
    """Fixed facts about a game. Actions are ale-py's numbers, 0 to 17."""

    id: str
    rom_md5: str
    mapper: str
    minimal_actions: list[int]
    legal_actions: list[int]
    modes: list[int]
    difficulties: list[int]
    paddles: bool
    format: str
    lines: int

def games() -> list[str]:
    """Returns the names of all games, sorted."""

def describe_game(game: str) -> GameDescription:
    """Describes one of `games()`."""

def register_tasks() -> None:
    """Registers the tasks of all games with the engine. Call it once in a process."""

def add_rom(game: str, image: bytes) -> None:
    """Stores a game's ROM for pools that are made later; does nothing if it is stored already."""

def has_rom(game: str) -> bool:
    """Returns whether `add_rom` has been called for a game."""
