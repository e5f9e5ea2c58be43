"""Stable-Baselines3's PPO on CartPole, with a typical adapter for EnvPool.

    python examples/from_envpool/sb3_adapter.py [--library envpool] [--seed 0]

The adapter resets ended environments by their ids, so that the observation belongs to the new
episode, as Stable-Baselines3 expects.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnvWrapper, VecMonitor

from trial import Trial

TASK = "CartPole-v1"
NUM_ENVS = 8
STEPS = 50_000


class Adapter(VecEnvWrapper):
    """A pool with the interface that Stable-Baselines3 expects."""

    def step_async(self, actions: NDArray[Any]) -> None:
        """Stores the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Steps; if an episode has ended, the observation is the first one of the next episode."""
        obs, rewards, term, trunc, _ = self.venv.step(self._actions)
        dones = term | trunc
        infos: list[dict[str, Any]] = [{} for _ in dones]
        ended = np.flatnonzero(dones)
        for index in ended:
            infos[index]["terminal_observation"] = obs[index].copy()
            infos[index]["TimeLimit.truncated"] = bool(trunc[index])
        if len(ended):
            obs[ended] = self.venv.reset(ended)[0]
        return obs, rewards, dones, infos

    def reset(self) -> Any:
        """Resets all environments."""
        return self.venv.reset()[0]

    def seed(self, seed: int | None = None) -> list[None]:
        """Does nothing: seeds are given when a pool is made."""
        del seed
        return [None] * self.num_envs


class Curve(BaseCallback):
    """Passes the returns of episodes to the trial."""

    def __init__(self, trial: Trial) -> None:
        super().__init__()
        self._trial = trial

    def _on_step(self) -> bool:
        infos: list[dict[str, Any]] = self.locals["infos"]
        ended = [info["episode"]["r"] for info in infos if "episode" in info]
        self._trial.episodes_ended(self.num_timesteps, ended)
        return True


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    trial = Trial(
        "sb3_adapter",
        TASK,
        steps=STEPS,
        num_envs=NUM_ENVS,
        packages=["torch", "stable-baselines3"],
    )
    pool = trial.envpool.make(TASK, env_type="gym", num_envs=NUM_ENVS, seed=trial.seed)
    pool.spec.id = TASK
    envs = VecMonitor(Adapter(pool))
    model = PPO(
        "MlpPolicy",
        envs,
        seed=trial.seed,
        device="cpu",
        n_steps=32,
        batch_size=256,
        n_epochs=20,
        gamma=0.98,
        gae_lambda=0.8,
        learning_rate=lambda left: 1e-3 * left,
        clip_range=lambda left: 0.2 * left,
    )
    model.learn(trial.steps, callback=Curve(trial))
    envs.close()
    trial.finish(model.num_timesteps)


if __name__ == "__main__":
    main()
