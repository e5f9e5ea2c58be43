"""Replaces ale-py's AtariVectorEnv by pools.

`AtariPools` translates only the differences: names of arguments and infos, the dtype of rewards,
and `final_obs`, which in ale-py contains the new observation where no episode ended.
"""

from __future__ import annotations

from typing import Any

import ale_py
import ale_py.vector_env
import numpy as np
from gymnasium.vector import VectorWrapper

import envpool_py
from tools.foreign.pools import POOLS

__all__ = ["AtariPools", "install"]

_REPLACED = "AtariVectorEnv"
_INFOS = ("env_id", "lives", "frame_number", "episode_frame_number", "final_obs")
_OPTIONS = {
    "episodic_life": "terminal_on_life_loss",
    "frameskip": "frame_skip",
    "grayscale": "gray_scale",
    "reward_clipping": "reward_clip",
}
_DEFAULTS = {"max_num_frames_per_episode": 108_000, "reward_clipping": True}


class AtariPools(VectorWrapper):
    """A pool with AtariVectorEnv's constructor and results."""

    def __init__(self, game: str, num_envs: int, **arguments: Any) -> None:
        POOLS.wanted += 1
        options = {**_DEFAULTS, **arguments}
        for name in ("batch_size", "num_threads"):  # in ale-py, 0 means the default
            options[name] = options.get(name) or None
        options.pop("thread_affinity_offset", None)
        super().__init__(
            envpool_py.make(
                _task_of(game),
                num_envs=num_envs,
                pipeline="ale_vector",
                channel_order="last",
                **{_OPTIONS.get(name, name): value for name, value in options.items()},
            )
        )

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Resets the pool."""
        observations, infos = self.env.reset(seed=seed, options=options)
        return observations, _infos(infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps the pool."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        named = _infos(infos)
        if "final_obs" in infos:
            ended = infos["_final_obs"].reshape(-1, *[1] * (observations.ndim - 1))
            named["final_obs"] = np.where(ended, infos["final_obs"], observations)
        return observations, rewards.astype(np.int32), terminated, truncated, named


def install(checkout: str) -> None:
    """Replaces ale-py's class."""
    del checkout
    for module in (ale_py, ale_py.vector_env):
        setattr(module, _REPLACED, AtariPools)


def _infos(infos: dict[str, Any]) -> dict[str, Any]:
    return {name: infos[name] for name in _INFOS if name in infos}


def _task_of(game: str) -> str:
    wanted = f"{game.replace('_', '')}-v5".lower()
    return next(name for name in envpool_py.list_all_envs() if name.lower() == wanted)
