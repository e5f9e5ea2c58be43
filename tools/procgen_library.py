"""Drives the library of the installed Procgen package through ctypes, as Procgen's own code does.

For comparisons in tests and benchmarks: the very library that the engine opens. Knows both versions
of its interface.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.tasks.families.procgen.manifest import PACKAGE

__all__ = ["EXPLORATION_LEVELS", "MODES", "Games", "SingleGames", "package_directory"]

MODES = {"Easy": 0, "Hard": 1, "Extreme": 2, "Memory": 10, "Exploration": 1}
EXPLORATION_LEVELS = {
    "caveflyer": 1259048185,
    "climber": 1561126160,
    "coinrun": 1949448038,
    "heist": 876640971,
    "jumper": 1434825276,
    "leaper": 1318677581,
    "maze": 158988835,
    "ninja": 1123500215,
}
_DEFAULTS: dict[str, int | bool] = {
    "num_levels": 0,
    "start_level": 0,
    "use_sequential_levels": False,
    "debug_mode": 0,
    "center_agent": True,
    "use_backgrounds": True,
    "use_monochrome_assets": False,
    "restrict_themes": False,
    "use_generated_assets": False,
    "paint_vel_info": False,
}


class _Option(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char * 128),
        ("dtype", ctypes.c_int),
        ("count", ctypes.c_int),
        ("data", ctypes.c_void_p),
    )


class _Options(ctypes.Structure):
    _fields_ = (("items", ctypes.POINTER(_Option)), ("count", ctypes.c_int))


_POINTERS = ctypes.POINTER(ctypes.c_void_p)


class _Buffers1(ctypes.Structure):
    _fields_ = (
        ("ob", _POINTERS),
        ("rew", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("info", _POINTERS),
        ("ac", _POINTERS),
    )


class _Buffers3(ctypes.Structure):
    _fields_ = (
        ("ob", _POINTERS),
        ("ac", _POINTERS),
        ("info", _POINTERS),
        ("rew", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
    )


def package_directory() -> Path:
    """Returns the directory of the installed package."""
    found = importlib.util.find_spec(PACKAGE)
    assert found is not None
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0])


@functools.cache
def _library() -> Any:
    library = ctypes.CDLL(str(package_directory() / "data" / "prebuilt" / "libenv.so"))
    library.libenv_make.restype = ctypes.c_void_p
    for name in ("set_buffers", "observe", "act", "close"):
        getattr(library, f"libenv_{name}").restype = None
    return library


def game_and_mode(task_id: str) -> tuple[str, str]:
    """Returns ("coinrun", "Easy") for "CoinrunEasy-v0"."""
    name = task_id.removesuffix("-v0")
    mode = next(mode for mode in MODES if name.endswith(mode))
    return name.removesuffix(mode).lower(), mode


class Games:
    """Games that are made together, as `ProcgenGym3Env(num, env_name, rand_seed=...)` makes them.

    Attributes:
        rgb, reward, first, prev_level_seed, prev_level_complete, level_seed: arrays with a row for
            each game, which the library writes in every step.
        picture: with `draws`: what `draw` draws.
    """

    def __init__(
        self,
        task_id: str,
        num: int,
        rand_seed: int,
        *,
        draws: bool = False,
        num_threads: int = 0,
        **options: Any,
    ) -> None:
        game, mode = game_and_mode(task_id)
        if mode == "Exploration":
            options = {**options, "num_levels": 1, "start_level": EXPLORATION_LEVELS[game]}
        assert options.keys() <= _DEFAULTS.keys()
        self.num = num
        self.rgb = np.zeros((num, 64, 64, 3), np.uint8)
        self.reward = np.zeros(num, np.float32)
        self.first = np.zeros(num, np.uint8)
        self.prev_level_seed = np.zeros(num, np.int32)
        self.prev_level_complete = np.zeros(num, np.uint8)
        self.level_seed = np.zeros(num, np.int32)
        self.picture = np.zeros((num, 512, 512, 3), np.uint8)
        self._actions = np.zeros(num, np.int32)
        self._handle = self._make(
            {
                "env_name": game,
                "resource_root": f"{package_directory() / 'data' / 'assets'}/",
                "num_actions": 15,
                "num_threads": num_threads,
                "rand_seed": rand_seed,
                "render_human": draws,
                "distribution_mode": MODES[mode],
                **_DEFAULTS,
                **options,
            }
        )
        self._set_buffers(draws)

    def _make(self, options: dict[str, str | int | bool]) -> ctypes.c_void_p:
        items = (_Option * len(options))()
        kept: list[Any] = []
        for item, (name, value) in zip(items, options.items(), strict=True):
            item.name = name.encode()
            item.count = 1
            data: Any
            if isinstance(value, str):
                data = ctypes.create_string_buffer(value.encode())
                item.dtype, item.count = 1, len(value.encode())
            elif isinstance(value, bool):
                data, item.dtype = ctypes.c_uint8(value), 1
            else:
                data, item.dtype = ctypes.c_int32(value), 2
            item.data = ctypes.addressof(data)
            kept.append(data)
        made = _Options(items, len(items))
        by_pointer = _library().libenv_version() == 3
        argument = ctypes.byref(made) if by_pointer else made
        return ctypes.c_void_p(_library().libenv_make(self.num, argument))

    def _set_buffers(self, draws: bool) -> None:
        def pointers(*arrays: NDArray[Any]) -> Any:
            rows = [
                array[game : game + 1].ctypes.data for array in arrays for game in range(self.num)
            ]
            return (ctypes.c_void_p * len(rows))(*rows)

        infos: list[NDArray[Any]] = [
            self.prev_level_seed,
            self.prev_level_complete,
            self.level_seed,
        ]
        kind = _Buffers3 if _library().libenv_version() == 3 else _Buffers1
        self._buffers = kind(
            ob=pointers(self.rgb),
            ac=pointers(self._actions),
            info=pointers(*infos, *([self.picture] if draws else [])),
            rew=self.reward.ctypes.data,
            first=self.first.ctypes.data,
        )
        _library().libenv_set_buffers(self._handle, ctypes.byref(self._buffers))

    def act(self, actions: Any) -> None:
        """Takes a step in every game; the action -1 ends a level."""
        self._actions[:] = actions
        _library().libenv_act(self._handle)
        _library().libenv_observe(self._handle)

    def draw(self) -> NDArray[Any]:
        """Returns the pictures of all games, which `act` has drawn if `draws` is set."""
        _library().libenv_observe(self._handle)
        return self.picture

    def close(self) -> None:
        """Frees the games."""
        _library().libenv_close(self._handle)


class SingleGames:
    """A handle for each environment, with the seeds `seed + i`; rows as in `Games`."""

    def __init__(self, task_id: str, num: int, seed: int, **options: Any) -> None:
        self.games = [Games(task_id, 1, seed + env, **options) for env in range(num)]

    def __getattr__(self, name: str) -> NDArray[Any]:
        return np.concatenate([getattr(game, name) for game in self.games])

    def act(self, actions: Any) -> None:
        """Takes a step in every game whose action is not None."""
        for game, action in zip(self.games, actions, strict=True):
            if action is not None:
                game.act(action)

    def draw(self) -> NDArray[Any]:
        """Draws the pictures of all games."""
        return np.concatenate([game.draw() for game in self.games])

    def close(self) -> None:
        """Frees the games."""
        for game in self.games:
            game.close()
