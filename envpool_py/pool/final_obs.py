"""Final observations as objects, one for each environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import iterate

if TYPE_CHECKING:
    _Wrapper = VectorWrapper[Any, Any, Any, Any, Any]
else:  # in older versions of Gymnasium, the class is not generic
    _Wrapper = VectorWrapper

__all__ = ["FinalObsPerEnv"]


class FinalObsPerEnv(_Wrapper):
    """Converts `infos["final_obs"]` to the form of Gymnasium's own vector environments.

    A pool's `final_obs` has the layout of its observations: arrays with a row for every
    environment. This wrapper is for programs that test for None there or read one environment's
    observation as a dict, and for Gymnasium's `DictInfoToList` with tuple observations.

    `infos["final_obs"]` is then an object array (num_envs,): the observation of each environment
    whose episode ended in this step, and None for the others. Everything else is unchanged. `call`,
    `get_attr` and `set_attr` are those of the pool.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps the pool."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        if "final_obs" in infos:
            final = np.full(self.num_envs, None, dtype=object)
            rows = iterate(self.env.observation_space, infos["final_obs"])
            for env, (row, ended) in enumerate(zip(rows, infos["_final_obs"], strict=True)):
                if ended:
                    final[env] = row
            infos["final_obs"] = final
        return observations, rewards, terminations, truncations, infos

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of each environment."""
        pool: Any = self.env
        result: tuple[Any, ...] = pool.call(name, *args, **kwargs)
        return result

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute of each environment."""
        pool: Any = self.env
        result: tuple[Any, ...] = pool.get_attr(name)
        return result

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment."""
        pool: Any = self.env
        pool.set_attr(name, values)
