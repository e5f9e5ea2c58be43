"""Operations on the engine's batches: selecting rows, reordering them, and concatenation.

A batch is a tuple of five: four arrays (or dictionaries or tuples of arrays) with one row per
environment, then the infos by name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.pool.trees import map_leaves

__all__ = ["Batch", "in_order", "join", "of_reset", "take"]

Batch = tuple[Any, Any, Any, Any, dict[str, Any]]


def of_reset(result: tuple[Any, ...]) -> Batch:
    """Returns the batch of a reset, in which missing rewards and flags are zeros."""
    if len(result) == 5:  # the result of a dm pool has all arrays
        return result
    observations, infos = result
    no = np.zeros(len(infos["env_id"]), np.bool_)
    rewards = np.zeros(len(infos["players"]["id"]) if "players" in infos else len(no))
    return observations, rewards, no, no.copy(), infos


def take(value: Any, index: NDArray[np.intp]) -> Any:
    """Returns the rows with these indices, of every array."""
    return map_leaves(lambda rows: rows[index], value)


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
    return map_leaves(lambda part: np.zeros((rows, *part.shape[1:]), part.dtype), like)


def in_order(batch: Batch, ids: NDArray[np.int32]) -> Batch:
    """Returns a batch of all environments with its rows in the order of `ids`."""
    came = batch[4]["env_id"]
    if np.array_equal(came, ids):
        return batch
    row_of = np.empty(len(came), np.intp)
    row_of[came] = np.arange(len(came))
    if "players" in batch[4]:
        return _players_in_order(batch, row_of[ids], ids)
    ordered: Batch = take(batch, row_of[ids])
    return ordered


def _players_in_order(batch: Batch, index: NDArray[np.intp], ids: NDArray[np.int32]) -> Batch:
    """Works like `in_order`, for batches in which some arrays have rows of players."""
    infos = batch[4]
    place = np.empty(len(ids), np.intp)
    place[ids] = np.arange(len(ids))
    of_players = np.argsort(place[infos["players"]["env_id"]], kind="stable")
    rest = {name: value for name, value in infos.items() if name != "players"}
    ordered = {**take(rest, index), "players": take(infos["players"], of_players)}

    def part(value: Any, players: bool) -> Any:
        return take(value, of_players if players else index)

    # gymnasium: observations, rewards, terminated, truncated; dm: step_type, reward, discount,
    # observations.
    is_dm = getattr(batch[2], "dtype", None) == np.float64
    rows = (False, True, True, True) if is_dm else (True, True, False, False)
    parts = [part(value, flag) for value, flag in zip(batch[:4], rows, strict=True)]
    return parts[0], parts[1], parts[2], parts[3], ordered
