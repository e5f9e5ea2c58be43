"""RLlib's PPO learns CartPole.

    python examples/rllib_ppo.py [--engine gymnasium] [--seed 0]

`PoolEnvRunner` makes a pool of the environment and samples in whole batches. The other engine is
Gymnasium's `SyncVectorEnv`, with RLlib's own runner. Nothing else differs, and the returns in
training are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from cartpole import TASK, Run
from envpool_py.integrations.rllib import PoolEnvRunner

NUM_ENVS = 8
ITERATIONS = 30  # each of 4,000 steps of all environments together


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("ray", "PPO")
    ours = run.engine == "envpool_py"
    config = (
        PPOConfig()
        .environment(TASK)
        .env_runners(
            env_runner_cls=PoolEnvRunner if ours else SingleAgentEnvRunner,
            num_env_runners=0,
            num_envs_per_env_runner=NUM_ENVS,
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
