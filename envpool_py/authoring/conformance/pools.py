"""The pools that checks step: pools of `make`, with one row per environment in every task.

Checks are written for one row per environment. If a task has players, `ByEnvironment` puts the
players of an environment into a dimension of their own, so that the same checks apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.players.rows import by_player, present_mask
from envpool_py.pool.trees import map_leaves
from envpool_py.tasks.make import make as make_pool

__all__ = ["ByEnvironment", "make", "stepping"]

_FLAGS = ("terminated", "truncated")


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool whose results have one row for each environment."""
    return stepping(make_pool(task_id, **arguments))


def stepping(pool: Any) -> Any:
    """Returns the pool, or one with a row for each environment if its task has players."""
    return ByEnvironment(pool) if pool.has_players else pool


class ByEnvironment:
    """A pool of a task with players, with one row of everything for each environment.

    Observations are (n, num_players, ...), zero where a player is absent. Actions are
    (n, num_players, ...); actions of absent players are ignored. Rewards are (n,), weighted sums
    over the players; the weights differ, so that exchanged rewards give another sum. The entries of
    `infos["players"]` become infos of the environments, (n, num_players, ...), under the name
    "players." + key.
    """

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._weights = 1.0 / np.sqrt(np.arange(1, pool.num_players + 1))
        # For each environment, the players in its latest result. Before the first result, tasks
        # with fixed players take actions for all of them, which are ignored.
        self._present = np.full((pool.num_envs, pool.num_players), not pool.players_vary)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    def __enter__(self) -> ByEnvironment:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close()

    def reset(self, env_id: Any = None, **arguments: Any) -> Any:
        """As the pool's."""
        return self._converted(self._pool.reset(env_id, **arguments))

    def step(self, actions: Any, env_id: Any = None) -> Any:
        """As the pool's."""
        return self._converted(self._pool.step(self._rows(actions, env_id), env_id))

    def send(self, actions: Any, env_id: Any = None) -> None:
        """As the pool's."""
        self._pool.send(self._rows(actions, env_id), env_id)

    def recv(self, timeout: float | None = None) -> Any:
        """As the pool's."""
        return self._converted(self._pool.recv(timeout))

    def load_states(self, states: Any, env_id: Any = None) -> Any:
        """As the pool's."""
        return self._converted(self._pool.load_states(states, env_id))

    def _rows(self, actions: Any, env_id: Any) -> Any:
        ids = np.arange(self._pool.num_envs) if env_id is None else np.asarray(env_id)
        return _pick(actions, self._present[ids])

    def _converted(self, result: Any) -> Any:
        parts = tuple(result)
        if hasattr(result, "step_type"):
            return self._time_step(result)
        infos = parts[-1]
        self._note(infos)
        observations = by_player(parts[0], infos, self._pool.num_players)
        converted = self._infos(infos)
        if len(parts) == 2:
            return observations, converted
        return (observations, self._rewards(parts[1], infos), *parts[2:4], converted)

    def _note(self, infos: Mapping[str, Any]) -> None:
        self._present[infos["env_id"]] = present_mask(infos, self._pool.num_players)

    def _rewards(self, rewards: NDArray[Any], infos: Mapping[str, Any]) -> Any:
        total = self._sum(rewards, infos)
        if "final_obs" in infos:
            # Includes players that are not in the first frame of the next episode.
            ended = infos["_final_obs"]
            players = infos["final_info"]["players"]
            envs = infos["env_id"][ended] if self._pool.players_vary else infos["env_id"]
            final = self._sum(players["reward"], {"env_id": envs, "players": players})
            total[ended] = final if self._pool.players_vary else final[ended]
        return total

    def _sum(self, rewards: NDArray[Any], infos: Mapping[str, Any]) -> Any:
        # Adds one player after another, because NumPy's order of summation over an axis depends on
        # the number of rows.
        dense = by_player(rewards, infos, self._pool.num_players)
        total = np.zeros(len(dense))
        for player, weight in enumerate(self._weights):
            total += weight * dense[:, player]
        return total

    def _infos(self, infos: dict[str, Any]) -> dict[str, Any]:
        converted = {name: value for name, value in infos.items() if name != "players"}
        converted |= self._player_infos(infos)
        if "final_obs" in infos:
            final = dict(infos["final_info"])
            # There are rows for environments whose episode ended; with fixed players, for all.
            ended = infos["_final_obs"]
            envs = infos["env_id"] if not self._pool.players_vary else infos["env_id"][ended]
            places = {"env_id": envs, "players": final.pop("players")}
            values = by_player(infos["final_obs"], places, self._pool.num_players)
            own = self._player_infos({**places, "elapsed_step": np.ones(len(envs))})
            if self._pool.players_vary:
                values, own = _scatter(values, ended), _scatter(own, ended)
            converted["final_obs"] = values
            converted["final_info"] = {**final, **own}
        return converted

    def _player_infos(self, infos: Mapping[str, Any]) -> dict[str, Any]:
        count = len(infos["env_id"])
        everyone = np.ones(count, np.bool_)
        named: dict[str, Any] = {
            "players.present": present_mask(infos, self._pool.num_players),
            "_players.present": everyone,
        }
        for name, value in infos["players"].items():
            if name in ("env_id", "id", "name", "reward") or name.startswith("_"):
                continue
            dense = by_player(value, infos, self._pool.num_players)
            if name in _FLAGS:  # after an automatic reset in SameStep, flags of the ended episode
                dense &= (infos["elapsed_step"] != 0)[:, np.newaxis]
            named["players." + name] = dense
            # If none of an environment's players has an info, the environment counts as lacking it,
            # because batches in which no environment has it lack it, too.
            mask = infos["players"].get("_" + name)
            named["_players." + name] = (
                everyone
                if mask is None
                else by_player(mask, infos, self._pool.num_players).any(axis=1)
            )
        return named

    def _time_step(self, step: Any) -> Any:
        observation = step.observation
        infos = {
            "env_id": observation.env_id,
            "players": observation.players._asdict(),
        }
        self._note(infos)
        num_players = self._pool.num_players
        return step._replace(
            reward=self._sum(step.reward, infos),
            discount=by_player(step.discount, infos, num_players),
            observation=observation._replace(obs=by_player(observation.obs, infos, num_players)),
        )


def _pick(values: Any, flags: NDArray[np.bool_]) -> Any:
    return map_leaves(lambda rows: rows[flags], values)


def _scatter(values: Any, flags: NDArray[np.bool_]) -> Any:
    def spread(rows: Any) -> Any:
        whole = np.zeros((len(flags), *rows.shape[1:]), rows.dtype)
        whole[flags] = rows
        return whole

    return map_leaves(spread, values)
