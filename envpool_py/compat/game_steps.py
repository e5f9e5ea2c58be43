"""EnvPool's "elapsed_step" for games in which each life is an episode."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from envpool_py.compat.rows import Batch

__all__ = ["GameSteps", "games_over"]


def games_over(batch: Batch) -> NDArray[np.bool_]:
    """Returns whether the games of a batch are over, bool (n,)."""
    over: NDArray[np.bool_] = batch[3] | (batch[4]["terminated"] != 0)
    return over


class GameSteps:
    """Counts the steps of each environment's game, from the steps of its episodes in our infos.

    `count` must be called for every batch of a pool, in the order of arrival.
    """

    def __init__(self, num_envs: int) -> None:
        self._before = np.zeros(num_envs, np.int32)  # the latest reset
        self._latest = np.zeros(num_envs, np.int32)
        self._over = np.ones(num_envs, np.bool_)

    def restart(self, env_id: NDArray[np.int32] | None) -> None:
        """Records that the program resets these environments; None: all of them."""
        self._over[slice(None) if env_id is None else env_id] = True

    def count(
        self, env_id: NDArray[np.int32], elapsed: NDArray[np.int32], over: NDArray[np.bool_]
    ) -> NDArray[np.int32]:
        """Returns the steps of the games.

        Args:
            env_id: the environments of a batch, int32 (n,).
            elapsed: the steps of their episodes, int32 (n,); 0 after a reset.
            over: whether their games are over, bool (n,).
        """
        begun = env_id[elapsed == 0]
        self._before[begun] = np.where(self._over[begun], 0, self._latest[begun])
        steps = self._before[env_id] + elapsed
        self._latest[env_id] = steps
        self._over[env_id] = over
        return steps
