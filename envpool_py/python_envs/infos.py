"""Gathers infos of single environments into the infos of a batch, as Gymnasium does.

The engine gathers numbers and arrays of numbers itself
(`engine/bindings/python_envs/python_infos.h`). It calls `add_info` for everything else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["add_info"]


def add_info(infos: dict[str, Any], info: dict[str, Any], row: int, rows: int) -> None:
    """Adds the info of the environment in one row to the infos of a batch.

    Works like `gymnasium.vector.VectorEnv._add_info`, for any number of rows: numbers become arrays
    of their type, arrays get a first dimension, dicts are gathered recursively, and all other
    values become object arrays. Each key has a mask under "_" + its name.

    Args:
        infos: infos of the batch; modified in place.
        info: info of the environment.
        row: row of the environment, in [0, rows).
        rows: number of rows in the batch.
    """
    for key, value in info.items():
        array: Any
        if key == "final_obs":
            array = infos.get(key)
            if array is None:
                array = np.full(rows, fill_value=None, dtype=object)
            array[row] = value
        elif isinstance(value, dict):
            array = infos.get(key, {})
            add_info(array, value, row, rows)
        else:
            array = infos.get(key)
            if array is None:
                array = _array_for(value, rows)
            array[row] = value
        mask = infos.get(f"_{key}")
        if mask is None:
            mask = np.zeros(rows, dtype=np.bool_)
        mask[row] = True
        infos[key], infos[f"_{key}"] = array, mask


def _array_for(value: Any, rows: int) -> np.ndarray[Any, Any]:
    if type(value) in (int, float, bool) or issubclass(type(value), np.number):
        return np.zeros(rows, dtype=type(value))
    if isinstance(value, np.ndarray):
        return np.zeros((rows, *value.shape), dtype=value.dtype)
    return np.full(rows, fill_value=None, dtype=object)
