"""The last observations of episodes as objects, one for each environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import iterate

if TYPE_CHECKING:
    _Wrapper = VectorWrapper[Any, Any, Any, Any, Any]
else:  # it was not always generic
    _Wrapper = VectorWrapper


class FinalObsPerEnv(_Wrapper):
    """Gives `infos["final_obs"]` as Gymnasium's own vector environments do.

    A pool's `final_obs` is laid out as its observations: arrays with a row for every environment.
    Programs that look for None there, or read the observation of one environment as a dictionary,
    and Gymnasium's `DictInfoToList` where observations are tuples, need them one by one.

    `infos["final_obs"]` is then an object array (num_envs,): the observation of each environment
    whose episode ended in this step, and None for the others. All else is as the pool gives it.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps the pool; see the class."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        if "final_obs" in infos:
            final = np.full(self.num_envs, None, dtype=object)
            rows = iterate(self.env.observation_space, infos["final_obs"])
            for env, (row, ended) in enumerate(zip(rows, infos["_final_obs"], strict=True)):
                if ended:
                    final[env] = row
            infos["final_obs"] = final
        return observations, rewards, terminations, truncations, infos
