"""The games' ROMs, from the installed ale-py package, each checked against its digest.

ale-py itself is not imported; its files are read directly.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
from pathlib import Path

from envpool_py import _atari
from envpool_py.errors import RomError, install_command, suggestion

__all__ = ["game_of", "games", "rom_bytes", "rom_path"]

_INSTALL = f"`{install_command('atari')}`"
_INSTALL_AGAIN = _INSTALL.replace("install ", "install --force-reinstall ")


@functools.cache
def games() -> tuple[str, ...]:
    """Returns the names of all games, sorted, as ale-py spells them ("space_invaders")."""
    return tuple(_atari.games())


def game_of(task_id: str) -> str:
    """Returns the game, one of `games`, that a task of the Atari family plays."""
    return _games_by_name()[task_id.removeprefix("ALE/").removesuffix("-v5")]


@functools.cache
def _games_by_name() -> dict[str, str]:
    """The games by their names in the ids of tasks, as `TaskName` in register.cc writes them."""
    return {game.title().replace("_", ""): game for game in games()}


def rom_path(game: str) -> Path:
    """Returns the path of the game's ROM in ale-py; does not read the file.

    Raises:
        RomError: no such game; ale-py is not installed; or it has no such file.
    """
    if game not in games():
        raise RomError(
            f'game: expected one of the {len(games())} Atari games, got "{game}"'
            + suggestion(game, games())
        )
    spec = importlib.util.find_spec("ale_py")
    places = [] if spec is None else list(spec.submodule_search_locations or [])
    if not places:
        raise RomError(
            f"{game}: its ROM comes with the ale-py package, which is not installed: {_INSTALL}"
        )
    paths = [Path(place) / "roms" / f"{game}.bin" for place in places]
    for path in paths:
        if path.is_file():
            return path
    raise RomError(
        f"{game}: the ale-py package has no ROM of it at {paths[0]}; "
        f"install a complete ale-py: {_INSTALL_AGAIN}"
    )


@functools.cache
def rom_bytes(game: str) -> bytes:
    """Returns the game's ROM, checked against its digest.

    Raises:
        RomError: no such game; ale-py is not installed; the file is missing or cannot be read; or
            its digest is not that of the ROM that the game's rules are written for.
    """
    path = rom_path(game)
    try:
        image = path.read_bytes()
    except OSError as error:
        raise RomError(f"{game}: its ROM {path} cannot be read: {error.strerror}") from error
    expected = _atari.describe_game(game)["rom_md5"]
    actual = hashlib.md5(image, usedforsecurity=False).hexdigest()
    if actual != expected:
        raise RomError(
            f"{game}: expected a ROM with MD5 {expected}, got {len(image)} bytes with MD5 {actual} "
            f"in {path}; install an unaltered ale-py: {_INSTALL_AGAIN}"
        )
    return image
