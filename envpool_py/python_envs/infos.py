"""Gathers infos of single environments into the infos of a batch, as Gymnasium does.

The engine gathers numbers and arrays of numbers itself
(`engine/bindings/python_envs/python_infos.h`). It calls `add_info` for everything else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from envpool_py.python_envs.returned import shown, unexpected

__all__ = ["add_info"]

Path = tuple[Any, ...]


def add_info(
    infos: dict[str, Any], info: dict[str, Any], row: int, rows: int, path: Path = ()
) -> None:
    """Adds the info of the environment in one row to the infos of a batch.

    Works like `gymnasium.vector.VectorEnv._add_info`, for any number of rows: numbers become arrays
    of their type, arrays get a first dimension, dicts are gathered recursively, and all other
    values become object arrays. Each key has a mask under "_" + its name.

    Args:
        infos: infos of the batch; modified in place.
        info: info of the environment.
        row: row of the environment, in [0, rows).
        rows: number of rows in the batch.
        path: keys of the dicts that contain `info`.

    Raises:
        TypeError: a value does not fit those of the other rows; the message names it.
    """
    for key, value in info.items():
        array = infos.get(key)
        if key == "final_obs":
            if array is None:
                array = np.full(rows, fill_value=None, dtype=object)
            array[row] = value
        elif isinstance(value, dict):
            if array is None:
                array = {}
            elif not isinstance(array, dict):
                raise _misfit((*path, key), array, value)
            try:
                add_info(array, value, row, rows, (*path, key))
            except RecursionError as error:
                if path:
                    raise
                expected = "a dict that neither contains itself nor has very many levels"
                raise TypeError(unexpected(_place((key,)), expected, value)) from error
        else:
            if array is None:
                array = _array_for(value, rows)
            elif isinstance(array, dict):
                raise _misfit((*path, key), array, value)
            try:
                array[row] = value
            except Exception as error:
                raise _misfit((*path, key), array, value) from error
        mask = infos.get(f"_{key}")
        if mask is None:
            mask = np.zeros(rows, dtype=np.bool_)
        mask[row] = True
        infos[key], infos[f"_{key}"] = array, mask


def _misfit(path: Path, gathered: Any, value: Any) -> TypeError:
    if isinstance(gathered, dict):
        expected = "a dict"
    elif isinstance(value, dict):
        expected = "a value that is not a dict"
    elif gathered.ndim == 1:
        expected = f"a value for an array of dtype {gathered.dtype}"
    else:
        expected = shown(gathered[0])
    return TypeError(unexpected(_place(path), f"{expected}, as in other environments", value))


def _place(path: Path) -> str:
    return "info" + "".join(f"[{key!r}]" for key in path)


def _array_for(value: Any, rows: int) -> np.ndarray[Any, Any]:
    if type(value) in (int, float, bool) or issubclass(type(value), np.number):
        return np.zeros(rows, dtype=type(value))
    if isinstance(value, np.ndarray):
        return np.zeros((rows, *value.shape), dtype=value.dtype)
    return np.full(rows, fill_value=None, dtype=object)
