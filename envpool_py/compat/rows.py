"""Operations on the engine's batches: selecting rows, reordering them, and concatenation.

A batch is a tuple of five: four arrays (or dictionaries or tuples of arrays) with one row per
environment, then the infos by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Batch = tuple[Any, Any, Any, Any, dict[str, Any]]


def of_reset(result: tuple[Any, ...]) -> Batch:
    """Returns the batch of a reset, in which missing rewards and flags are zeros."""
    if len(result) == 5:  # the result of a dm pool has all arrays
        return result
    observations, infos = result
    rows = len(infos["env_id"])
    no = np.zeros(rows, np.bool_)
    return observations, np.zeros(rows), no, no.copy(), infos


def take(value: Any, index: NDArray[np.intp]) -> Any:
    """Returns the rows with these indices, of every array."""
    if isinstance(value, dict):
        return {name: take(item, index) for name, item in value.items()}
    if isinstance(value, tuple):
        return tuple(take(item, index) for item in value)
    return value[index]


def join(first: Any, second: Any) -> Any:
    """Concatenates two batches; if only one has an array of some name, the other's rows are 0."""
    if isinstance(first, dict):
        some = {name: join(first[name], second[name]) for name in first if name in second}
        rows = [len(part.get("env_id", ())) for part in (first, second)]
        for name in first.keys() - second.keys():
            some[name] = join(first[name], _zeros(first[name], rows[1]))
        for name in second.keys() - first.keys():
            some[name] = join(_zeros(second[name], rows[0]), second[name])
        return some
    if isinstance(first, tuple):
        return tuple(join(*both) for both in zip(first, second, strict=True))
    return np.concatenate([first, second])


def _zeros(like: Any, rows: int) -> Any:
    if isinstance(like, dict):
        return {name: _zeros(item, rows) for name, item in like.items()}
    if isinstance(like, tuple):
        return tuple(_zeros(item, rows) for item in like)
    return np.zeros((rows, *like.shape[1:]), like.dtype)


def in_order(batch: Batch, ids: NDArray[np.int32]) -> Batch:
    """Returns a batch of all environments with its rows in the order of `ids`."""
    came = batch[4]["env_id"]
    if np.array_equal(came, ids):
        return batch
    row_of = np.empty(len(came), np.intp)
    row_of[came] = np.arange(len(came))
    ordered: Batch = take(batch, row_of[ids])
    return ordered
