"""Stable-Baselines3's PPO learns CartPole.

    python examples/sb3_ppo.py [--engine gymnasium] [--seed 0]

`PoolVecEnv` is the adapter. The other engine is `make_vec_env`: Gymnasium's environments in a
`DummyVecEnv`, each in a `Monitor`. `--engine envpool_py-processes` steps Gymnasium's CartPole in
worker processes, as `gymnasium-processes` does with a `SubprocVecEnv`.
"""

from __future__ import annotations

from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv, VecEnv

import envpool_py
from cartpole import ENGINES, PROCESS_ENGINES, TASK, WORKERS, Run, make_env
from envpool_py.integrations.stable_baselines3 import PoolVecEnv

NUM_ENVS = 8
STEPS = 100_000


def make_training_envs(engine: str) -> VecEnv:
    """Returns the environments to train on."""
    if engine == "envpool_py":
        pool = envpool_py.make(
            TASK, num_envs=NUM_ENVS, autoreset_mode="SameStep", record_episode_statistics=True
        )
        return PoolVecEnv(pool)
    if engine == "envpool_py-processes":
        python_pool = envpool_py.make_python(
            make_env,
            NUM_ENVS,
            num_workers=WORKERS,
            autoreset_mode="SameStep",
            record_episode_statistics=True,
        )
        return PoolVecEnv(python_pool)
    if engine == "gymnasium-processes":
        return make_vec_env(TASK, n_envs=NUM_ENVS, vec_env_cls=SubprocVecEnv)
    return make_vec_env(TASK, n_envs=NUM_ENVS)


class Curve(BaseCallback):
    """Passes the returns of episodes to the run."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run

    def _on_step(self) -> bool:
        infos: list[dict[str, Any]] = self.locals["infos"]
        ended = [info["episode"]["r"] for info in infos if "episode" in info]
        self._run.episodes_ended(self.num_timesteps, ended)
        return True


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("stable-baselines3", "PPO", ENGINES + PROCESS_ENGINES)
    envs = make_training_envs(run.engine)
    model = PPO(
        "MlpPolicy",
        envs,
        seed=run.seed,
        device="cpu",
        n_steps=32,
        batch_size=256,
        n_epochs=20,
        gamma=0.98,
        gae_lambda=0.8,
        learning_rate=lambda left: 1e-3 * left,
        clip_range=lambda left: 0.2 * left,
    )
    model.learn(STEPS, callback=Curve(run))
    run.finish(
        model.num_timesteps, NUM_ENVS, lambda seen: model.predict(seen, deterministic=True)[0]
    )
    envs.close()


if __name__ == "__main__":
    main()
