"""RLlib's PPO learns CartPole.

    python examples/rllib_ppo.py [--engine gymnasium] [--seed 0]

No adapter is needed: with `gym_env_vectorize_mode="vector_entry_point"`, RLlib makes a pool from
    the id `envpool_py:EnvPool/CartPole-v1`. The other engine is Gymnasium's `SyncVectorEnv`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig

from cartpole import TASK, Run

NUM_ENVS = 8
ITERATIONS = 30  # each of 4,000 steps of all environments together


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("ray", "PPO")
    ours = run.engine == "envpool_py"
    config = (
        PPOConfig()
        .environment(f"envpool_py:EnvPool/{TASK}" if ours else TASK)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=NUM_ENVS,
            gym_env_vectorize_mode="vector_entry_point" if ours else "sync",
        )
        .training(
            train_batch_size_per_learner=4_000,
            minibatch_size=128,
            num_epochs=10,
            lr=5e-4,
            vf_loss_coeff=0.01,
        )
        .rl_module(
            model_config=DefaultModelConfig(
                fcnet_hiddens=[64], fcnet_activation="tanh", vf_share_layers=False
            )
        )
        .debugging(seed=run.seed, log_level="ERROR")
    )
    algorithm = config.build_algo()
    for _ in range(ITERATIONS):
        result: dict[str, Any] = algorithm.train()
        steps = int(result["num_env_steps_sampled_lifetime"])
        sampled = result["env_runners"]
        run.progressed(steps, sampled["episode_return_mean"], int(sampled["num_episodes_lifetime"]))
    module = algorithm.get_module()

    def act(seen: NDArray[np.float32]) -> NDArray[np.int64]:
        with torch.no_grad():
            out = module.forward_inference({Columns.OBS: torch.from_numpy(seen)})
        actions: NDArray[np.int64] = out[Columns.ACTION_DIST_INPUTS].argmax(-1).numpy()
        return actions

    run.finish(steps, NUM_ENVS, act)
    algorithm.stop()


if __name__ == "__main__":
    main()
