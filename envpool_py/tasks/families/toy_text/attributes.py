"""Attributes of Gymnasium's toy text environments that programs read: see `Family.attributes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.envs.toy_text.frozen_lake import MAPS
from gymnasium.envs.toy_text.taxi import MAP
from numpy.typing import NDArray

from envpool_py.errors import NoAttributeError
from envpool_py.tasks.manifest import Latest, base_name

__all__ = ["desc", "rows_of", "shape"]


def desc(task_id: str, config: Mapping[str, Any], latest: Latest) -> NDArray[np.bytes_]:
    """Returns the map of FrozenLake or Taxi, with a byte for each tile: S1 (rows, columns)."""
    del latest
    name = base_name(task_id)
    if name == "Taxi":
        return np.asarray(MAP, dtype="c")
    if not name.startswith("FrozenLake"):
        raise NoAttributeError(f"desc: {task_id} has no map")
    rows = rows_of(config)
    if rows is None:
        raise NoAttributeError("desc: each environment has drawn a map of its own (map_name=None)")
    return np.asarray(rows, dtype="c")


def shape(task_id: str, config: Mapping[str, Any], latest: Latest) -> tuple[int, int]:
    """Returns the rows and columns of the map of CliffWalking."""
    del config, latest
    if not base_name(task_id).startswith("CliffWalking"):
        raise NoAttributeError(f"shape: {task_id} has none")
    return (4, 12)


def rows_of(config: Mapping[str, Any]) -> list[str] | None:
    """Returns the rows of FrozenLake's map; None: each environment draws its own."""
    given = config["desc"]
    if given is not None and len(given) > 0:
        return [_text(row) for row in given]
    name = config["map_name"]
    return None if name is None else list(MAPS[name])


def _text(row: Any) -> str:
    """Returns a row of a valid map, given as str, bytes, or a sequence of either."""
    if isinstance(row, bytes):
        return row.decode()
    return str(row) if isinstance(row, str) else "".join(map(_text, row))
