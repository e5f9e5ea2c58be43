"""Helpers of the adapters: extract one environment's part from a batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.trees import copied_row

__all__ = ["ENGINE_INFOS", "check_pool", "info_rows"]

ENGINE_INFOS = frozenset({"env_id", "elapsed_step"})
"""Infos that the engine adds to those of Gymnasium's environment."""


def check_pool(pool: Any, mode: AutoresetMode, *, ordered: bool) -> GymnasiumPool:
    """Returns `pool` if it is suitable for an adapter.

    Args:
        pool: the argument that the user gave to the adapter.
        mode: the autoreset mode that the library needs.
        ordered: whether the library needs all environments in every batch.

    Raises:
        InputTypeError: `pool` is not a GymnasiumPool.
        InputError: the pool has another autoreset mode or players, or is first-ready although
            `ordered` is set.
    """
    if not isinstance(pool, GymnasiumPool):
        raise InputTypeError(
            'pool: expected a GymnasiumPool (envpool_py.make with env_type="gymnasium"), got '
            f"{type(pool).__name__} {pool!r}"
        )
    if pool.has_players:
        raise InputError(
            f"pool: expected environments of one player, got {pool.task_id} with up to "
            f"{pool.num_players}"
        )
    if pool.autoreset_mode is not mode:
        raise InputError(
            f'pool: expected autoreset_mode="{mode.value}", got "{pool.autoreset_mode.value}"'
        )
    if ordered and pool.is_async:
        raise InputError(
            f"pool: expected batch_size = num_envs = {pool.num_envs}, got {pool.batch_size}"
        )
    return pool


def reset_rows(arguments: Mapping[str, Any], num_envs: int) -> NDArray[np.intp]:
    """Returns the environments that a vector wrapper's `reset(**arguments)` resets.

    Raises:
        InputError: `env_id`, with which the result has other rows.
    """
    if arguments.get("env_id") is not None:
        raise InputError(
            "env_id: this wrapper resets all environments, or those of a mask: "
            'reset(options={"reset_mask": mask})'
        )
    mask = (arguments.get("options") or {}).get("reset_mask")
    return np.arange(num_envs) if mask is None else np.flatnonzero(mask)


def info_rows(
    infos: Mapping[str, Any], count: int, leave_out: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Returns the infos of each row as a dict, without those whose mask is False in that row.

    Args:
        infos: infos of a batch: arrays (count, ...), or dicts of arrays, with masks under "_" and
            the name.
        count: number of rows.
        leave_out: names to omit.
    """
    rows: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, values in infos.items():
        if name in leave_out or (name.startswith("_") and name[1:] in infos):
            continue
        mask = infos.get(f"_{name}")
        present = range(count) if mask is None else np.flatnonzero(mask).tolist()
        parts = info_rows(values, count) if isinstance(values, Mapping) else None
        for index in present:
            rows[index][name] = copied_row(values, index) if parts is None else parts[index]
    return rows
