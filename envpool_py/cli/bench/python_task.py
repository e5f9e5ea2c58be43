"""Registers an environment in Python for benchmarks: Gymnasium's CartPole.

Its id is one that this package does not have, so that Python steps it. Gymnasium's checker is off.
"""

from __future__ import annotations

import gymnasium

__all__ = ["ID"]

ID = "PythonCartPole-v0"

gymnasium.register(
    ID,
    entry_point="gymnasium.envs.classic_control:CartPoleEnv",
    max_episode_steps=500,
    disable_env_checker=True,
)
