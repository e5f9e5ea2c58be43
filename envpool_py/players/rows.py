"""Rows of players, and arrays by environment and player.

A pool of a task with players returns observations and rewards with one row for each player that is
in a result (`docs/several-players.md`). If players come and go, the number of rows differs between
results. `by_player` returns arrays of fixed shape, and `to_rows` is its inverse.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.pool.trees import map_leaves

__all__ = ["PlayerRows", "by_player", "present_mask", "refuse_players", "to_rows"]


def _slots(infos: Mapping[str, Any], num_players: int) -> NDArray[np.intp]:
    """Returns the index of each player row in an array (n * num_players, ...) of all players."""
    env_id, players = infos["env_id"], infos["players"]
    order = np.argsort(env_id)
    position = order[np.searchsorted(env_id, players["env_id"], sorter=order)]
    slots: NDArray[np.intp] = position * num_players + players["id"]
    return slots


def present_mask(infos: Mapping[str, Any], num_players: int) -> NDArray[np.bool_]:
    """Returns which players are in a result.

    Args:
        infos: the infos of the result, for n environments.
        num_players: the pool's `num_players`.

    Returns:
        bool (n, num_players): row k is for environment `infos["env_id"][k]`.
    """
    flags = np.zeros(len(infos["env_id"]) * num_players, np.bool_)
    flags[_slots(infos, num_players)] = True
    return flags.reshape(-1, num_players)


def by_player(values: Any, infos: Mapping[str, Any], num_players: int) -> Any:
    """Arranges rows of players by environment and player; rows of absent players are zero.

    Args:
        values: an array (rows, ...), with a row for each player of the result, or a dict or tuple
            of such arrays: observations, rewards, or a part of `infos["players"]`.
        infos: the infos of the same result, for n environments.
        num_players: the pool's `num_players`.

    Returns:
        Arrays (n, num_players, ...) in the same structure.
    """
    slots, envs = _slots(infos, num_players), len(infos["env_id"])

    def spread(rows: Any) -> Any:
        whole = np.zeros((envs * num_players, *rows.shape[1:]), rows.dtype)
        whole[slots] = rows
        return whole.reshape(envs, num_players, *rows.shape[1:])

    return map_leaves(spread, values)


def to_rows(values: Any, infos: Mapping[str, Any], num_players: int) -> Any:
    """Selects the rows of the players in a result, from actions or from a result of `by_player`.

    Args:
        values: an array (n, num_players, ...), or a dict or tuple of such arrays.
        infos: the infos of the result, for n environments.
        num_players: the pool's `num_players`.

    Returns:
        Arrays (rows, ...) in the same structure.
    """
    slots = _slots(infos, num_players)
    return map_leaves(lambda part: part.reshape(-1, *part.shape[2:])[slots], values)


class PlayerRows:
    """Wraps a pool of a task with players, and passes on only as many rows of actions as it needs.

    For actions that do not depend on observations, such as random ones: `action_space.sample()`
    returns the largest number of rows, of which a step may need fewer.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._rows = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def reset(self, **arguments: Any) -> Any:
        """As the pool's."""
        return self._noted(self._pool.reset(**arguments))

    def step(self, actions: Any) -> Any:
        """As the pool's; `actions` may have more rows than needed."""
        return self._noted(self._pool.step(_first_rows(actions, self._rows)))

    def recv(self) -> Any:
        """As the pool's."""
        return self._noted(self._pool.recv())

    def send(self, actions: Any, env_id: Any) -> None:
        """As the pool's, for the results of the latest `recv`; `actions` may have more rows."""
        self._pool.send(_first_rows(actions, self._rows), env_id)

    def _noted(self, result: Any) -> Any:
        self._rows = len(result[-1]["players"]["id"])
        return result


def _first_rows(actions: Any, rows: int) -> Any:
    return map_leaves(lambda part: part[:rows], actions)


def refuse_players(pool: Any, argument: str) -> None:
    """Raises InputError if environments of a pool have several players."""
    if getattr(pool, "has_players", False):
        raise InputError(
            f"{argument}: expected environments of one player, got {pool.task_id} with up to "
            f"{pool.num_players}; envpool_py.players.PlayersAsEnvs makes an environment of each "
            "player"
        )
