"""Infos of single environments, gathered into those of a batch as Gymnasium does."""

from __future__ import annotations

from typing import Any

import numpy as np


def add_infos(
    infos: dict[str, Any], at: list[int], gathered: list[dict[str, Any]], rows: int
) -> None:
    """Adds the infos of several environments; the result equals that of `add_info` for each one.

    Args:
        infos: of the batch; changed in place.
        at: the environments' rows.
        gathered: their infos, one per row in `at`.
        rows: number of rows in the batch.
    """
    # Usually all environments have the same keys and types. Then a key costs one array.
    keys = list(gathered[0])
    same_keys = all(list(info) == keys for info in gathered)
    slow: list[str] | None = [] if same_keys else None
    if slow is not None:
        for key in keys:
            values = [info[key] for info in gathered]
            array = None if key in infos else _column(values, at, rows)
            if array is None:
                slow.append(key)
                continue
            mask = np.zeros(rows, dtype=np.bool_)
            mask[at] = True
            infos[key], infos[f"_{key}"] = array, mask
    if slow is None or slow:
        for row, info in zip(at, gathered, strict=True):
            add_info(infos, info if slow is None else {key: info[key] for key in slow}, row, rows)


def _column(values: list[Any], at: list[int], rows: int) -> np.ndarray[Any, Any] | None:
    """Returns the array of numbers of one type, or None for anything else."""
    kind = type(values[0])
    if kind not in _NUMBERS or any(type(value) is not kind for value in values):
        return None
    column = np.zeros(rows, dtype=kind)
    column[at] = values
    return column


_NUMBERS = frozenset({int, float, bool, np.float32, np.float64, np.int32, np.int64})


def add_info(infos: dict[str, Any], info: dict[str, Any], row: int, rows: int) -> None:
    """Adds the info of the environment in one row to the infos of a batch.

    As `gymnasium.vector.VectorEnv._add_info`, for any number of rows: numbers become arrays of
    their type, arrays get a first dimension, dicts are gathered recursively, and everything else
    becomes an object array. Each key has a mask under "_" + its name.

    Args:
        infos: of the batch; changed in place.
        info: of the environment.
        row: its row.
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
