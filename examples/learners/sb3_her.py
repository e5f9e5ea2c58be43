"""Hindsight experience replay with SAC of Stable-Baselines3, for goals that chance rarely reaches.

    python examples/learners/sb3_her.py
    python examples/learners/sb3_her.py --task PointMaze_UMaze-v3
    python examples/learners/sb3_her.py --engine gymnasium

The replay buffer stores what an episode has reached as if it had been asked for, and asks the
environments for the reward of that. The learning curve is the part of the episodes that end at the
goal. From MuJoCo 3.12 on, Fetch of the engine "gymnasium" needs `python -O`, because assertions of
Gymnasium-Robotics 1.4.2 fail there.
"""

from __future__ import annotations

import importlib
from typing import Any

import gymnasium
import torch
from stable_baselines3 import SAC, HerReplayBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

import envpool_py
from envpool_py.integrations.stable_baselines3 import PoolVecEnv
from learning import Run

NUM_ENVS = 8
UPDATES = 2  # of the networks, per step of all environments
TASKS = {"FetchReach-v4": 40_000, "PointMaze_UMaze-v3": 200_000}
# Fetch and mazes name it differently.
SUCCESS = {"FetchReach-v4": "is_success", "PointMaze_UMaze-v3": "success"}


def make(run: Run) -> VecEnv:
    """Returns the environments."""
    if run.engine == "envpool_py":
        return PoolVecEnv(envpool_py.make(run.task, num_envs=NUM_ENVS, autoreset_mode="SameStep"))
    gymnasium.register_envs(importlib.import_module("gymnasium_robotics"))
    return DummyVecEnv([lambda: gymnasium.make(run.task)] * NUM_ENVS)


class Curve(BaseCallback):
    """Records at the end of each episode whether it has reached its goal."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def _on_step(self) -> bool:
        infos: list[dict[str, Any]] = self.locals["infos"]
        ended = self.locals["dones"].nonzero()[0].tolist()
        if ended:
            name = SUCCESS[self._run.task]
            self._run.episodes_ended(self.num_timesteps, [float(infos[row][name]) for row in ended])
        return True


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    run = Run("her", TASKS, engines=("envpool_py", "gymnasium"), measure="success")
    envs = make(run)
    model = SAC(
        "MultiInputPolicy",
        envs,
        seed=run.seed,
        device="cpu",
        replay_buffer_class=HerReplayBuffer,
        buffer_size=max(run.steps, 10_000),
        learning_starts=4_000,  # more than an episode of each environment
        train_freq=1,
        gradient_steps=UPDATES,
        batch_size=256,
        gamma=0.98,
        learning_rate=1e-3,
    )
    model.learn(run.steps, callback=Curve(run))
    envs.close()
    run.finish(model.num_timesteps, NUM_ENVS)


if __name__ == "__main__":
    main()
