"""Players of a pool as separate environments."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.gymnasium_pool import GymnasiumPool

__all__ = ["PlayersAsEnvs"]

_OF_PLAYERS = ("terminated", "truncated", "env_id", "id", "name", "reward")


class PlayersAsEnvs(VectorEnv[Any, Any, Any]):
    """A vector environment in which each player of a pool is an environment.

    For training code and wrappers that expect one player per environment, for example if one policy
    plays all sides. The pool must have a fixed number of players and `batch_size == num_envs`.
    Environment `i * num_players + p` is player p of the pool's environment i.

    Results are those of a `VectorEnv` of `num_envs * num_players` environments in the pool's
    autoreset mode. `infos` contains the infos of the players, and the infos of each environment,
    repeated for its players; "env_id" is the pool's environment, and "player_id" the player, and
    "player_name" its name, if players have names. In `infos["episode"]`, "r" and "l" are the
    player's. `close` closes the pool.

    Args:
        pool: a pool of `envpool_py.make`, of a task with players.

    Raises:
        InputTypeError: `pool` is not such a pool.
        InputError: the task has no players, or players that come and go, or the pool is
            first-ready.
    """

    def __init__(self, pool: GymnasiumPool) -> None:
        _check(pool)
        self.pool = pool
        self.num_envs = pool.num_envs * pool.num_players
        self.autoreset_mode = pool.autoreset_mode
        self.metadata = pool.metadata
        self.render_mode = pool.render_mode
        self.single_observation_space = pool.single_observation_space
        self.single_action_space = pool.single_action_space
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(
        self, *, seed: Any = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Resets the pool.

        Args:
            seed: as for the pool: seeds belong to its environments, not to players.
            options: as for the pool; but "reset_mask" has one entry per player, bool (num_envs,),
                equal for all players of an environment.

        Raises:
            InputError: the mask has another shape, or differs between players of an environment.
            Otherwise the errors of the pool's `reset`.
        """
        if options is not None and "reset_mask" in options:
            options = {**options, "reset_mask": self._envs_of(options["reset_mask"])}
        observations, infos = self.pool.reset(seed=seed, options=options)
        return observations, self._infos(infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps the pool; raises the errors of its `step`.

        Args:
            actions: one row per player, (num_envs, ...).

        Returns:
            Observations (num_envs, ...), rewards float64 (num_envs,), terminations and truncations
            bool (num_envs,), and infos.
        """
        observations, rewards, _, _, infos = self.pool.step(actions)
        players = infos["players"]
        return (
            observations,
            rewards,
            players["terminated"],
            players["truncated"],
            self._infos(infos),
        )

    def render(self) -> tuple[Any, ...]:
        """Draws the pool's environments; players of one environment share the picture."""
        pictures = self.pool.render()
        return tuple(picture for picture in pictures for _ in range(self.pool.num_players))

    def __enter__(self) -> PlayersAsEnvs:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.pool.__exit__(exc_type, exc_value, traceback)
        self.closed = True

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the pool; Gymnasium's hook for `close`."""
        self.pool.close()

    def _envs_of(self, mask: Any) -> NDArray[np.bool_]:
        """Converts a mask of players to a mask of the pool's environments."""
        flags = np.asarray(mask)
        if flags.shape != (self.num_envs,):
            raise InputError(
                f'options["reset_mask"]: expected shape ({self.num_envs},), got {flags.shape}'
            )
        each = flags.reshape(-1, self.pool.num_players)
        differing = (each != each[:, :1]).any(axis=1)
        if differing.any():
            raise InputError(
                'options["reset_mask"]: expected the same for all players of an environment, got '
                f"{each[differing][0].tolist()} for environment {int(np.flatnonzero(differing)[0])}"
            )
        envs: NDArray[np.bool_] = each[:, 0]
        return envs

    def _infos(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Returns infos with a row for each player."""
        own = dict(infos)
        players = own.pop("players")
        episode = own.pop("episode", None)
        # These have a row for each player already.
        final_obs, final_info = own.pop("final_obs", None), own.pop("final_info", None)
        result: dict[str, Any] = {
            name: np.repeat(value, self.pool.num_players, 0) for name, value in own.items()
        }
        for name, value in players.items():
            if name not in _OF_PLAYERS:
                result[name] = value
        result["player_id"] = players["id"]
        result["_player_id"] = np.ones(self.num_envs, np.bool_)
        if "name" in players:
            result["player_name"] = players["name"]
            result["_player_name"] = np.ones(self.num_envs, np.bool_)
        if final_obs is not None:
            result["final_obs"] = final_obs
            result["final_info"] = self._infos(final_info)
        if episode is not None:
            result["episode"] = {
                "r": episode["players"]["r"].reshape(-1),
                "l": episode["players"]["l"].reshape(-1),
                "t": np.repeat(episode["t"], self.pool.num_players),
            }
        return result


def _check(pool: Any) -> None:
    if not isinstance(pool, GymnasiumPool):
        raise InputTypeError(
            'pool: expected a GymnasiumPool (envpool_py.make with env_type="gymnasium"), got '
            f"{type(pool).__name__} {pool!r}"
        )
    if not pool.has_players:
        raise InputError(f"pool: expected a task with players, got {pool.task_id}")
    if pool.players_vary:
        raise InputError(
            f"pool: expected a fixed number of players, got {pool.task_id}, whose players come and "
            "go"
        )
    if pool.is_async:
        raise InputError(
            f"pool: expected batch_size = num_envs = {pool.num_envs}, got {pool.batch_size}"
        )
