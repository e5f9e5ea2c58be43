"""Results of pools by environment, to compare pools of different sizes and modes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from envpool_py.pool.trees import leaves

__all__ = ["actions_of", "rows_by_env", "trajectory"]


def rows_by_env(result: tuple[Any, ...]) -> dict[int, tuple[Any, ...]]:
    """Returns what a result has for each environment."""
    *arrays, infos = result
    rows: dict[int, tuple[Any, ...]] = {}
    for row, env in enumerate(infos["env_id"].tolist()):
        columns: list[Any] = []
        for array in arrays:
            columns += [(name, np.asarray(leaf)[row].tobytes()) for name, leaf in leaves(array)]
        columns += sorted(of_row(infos, row))
        rows[env] = tuple(columns)
    return rows


def of_row(infos: dict[str, Any], row: int) -> Iterator[tuple[str, Any]]:
    """Yields the infos of one row, without those that depend on the pool and the time."""
    for key, value in infos.items():
        mask = infos.get(f"_{key}")
        if key in ("env_id", "episode", "task") or mask is None or not mask[row]:
            continue
        if isinstance(value, dict):
            yield from ((f"{key}/{name}", each) for name, each in of_row(value, row))
        elif key != "final_obs":
            yield key, np.asarray(value[row]).tobytes()
        else:
            for name, leaf in leaves(value):
                yield f"{key}/{name}", np.asarray(leaf)[row].tobytes()


def actions_of(pool: Any, steps: int) -> list[Any]:
    """Returns actions of all environments for each step."""
    space = copy.deepcopy(pool.action_space)
    space.seed(5)
    return [space.sample() for _ in range(steps)]


def trajectory(pool: Any, envs: list[int], seeds: list[int], actions: list[Any]) -> dict[int, Any]:
    """Returns the results of each environment, under the ids `envs`, in the order of the steps."""
    found: dict[int, list[Any]] = {env: [] for env in envs}

    def note(result: tuple[Any, ...]) -> list[int]:
        rows = rows_by_env(result)
        for env, row in rows.items():
            found[envs[env]].append(row)
        return list(rows)

    note(pool.reset(seed=seeds))
    disabled = pool.autoreset_mode.value == "Disabled"
    taken = dict.fromkeys(range(len(envs)), 0)
    if not pool.is_async:
        for step in range(len(actions)):
            result = pool.step(actions[step][envs])
            note(result)
            ended = result[2] | result[3]
            if disabled and ended.any():
                note(pool.reset(np.flatnonzero(ended)))
        return found
    assert not disabled, "first-ready pools are run with autoreset"
    pool.send(actions[0][envs])
    in_flight = len(envs)
    while in_flight >= pool.batch_size:
        ready = note(pool.recv())
        for env in ready:
            taken[env] += 1
        more = [env for env in ready if taken[env] < len(actions)]
        in_flight -= len(ready) - len(more)
        if more:
            chosen = np.stack([actions[taken[env]][envs[env]] for env in more])
            pool.send(chosen, np.array(more))
    pool.drain()
    return found
