"""Tianshou's PPO learns CartPole.

    python examples/tianshou_ppo.py [--engine gymnasium] [--seed 0]

`PoolVectorEnv` is the adapter. The other engine is Tianshou's `DummyVectorEnv` of Gymnasium's
environments.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import BaseVectorEnv, DummyVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

import envpool_py
from cartpole import TASK, Run
from envpool_py.integrations.tianshou import PoolVectorEnv

NUM_ENVS = 8
EPOCHS = 6
EPOCH_STEPS = 16_384


def make_training_envs(engine: str) -> BaseVectorEnv:
    """Returns the environments to train on."""
    if engine == "envpool_py":
        return PoolVectorEnv(envpool_py.make(TASK, num_envs=NUM_ENVS, autoreset_mode="Disabled"))
    return DummyVectorEnv([lambda: gymnasium.make(TASK)] * NUM_ENVS)


def make_algorithm(envs: BaseVectorEnv) -> PPO:
    """Returns PPO with networks of two hidden layers for policy and value."""
    space = envs.action_space[0]

    def net() -> Net:
        return Net(state_shape=(4,), hidden_sizes=[64, 64], activation=torch.nn.Tanh)

    actor = DiscreteActor(preprocess_net=net(), action_shape=space.n, softmax_output=False)
    return PPO(
        policy=DiscreteActorPolicy(actor=actor, action_space=space),
        critic=DiscreteCritic(preprocess_net=net()),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.98,
        gae_lambda=0.8,
        ent_coef=0.0,
        max_grad_norm=0.5,
    )


class Recorded(Collector[CollectStats]):
    """A collector that passes the returns of episodes to the run."""

    def __init__(self, run: Run, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._run = run
        self.steps = 0

    def collect(self, *arguments: Any, **settings: Any) -> CollectStats:
        """Collects as the base class does, and records the ends of episodes."""
        stats = super().collect(*arguments, **settings)
        self.steps += stats.n_collected_steps
        self._run.episodes_ended(self.steps, stats.returns)
        return stats


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("tianshou", "PPO")
    np.random.seed(run.seed)  # Tianshou draws minibatches with NumPy's global generator
    torch.manual_seed(run.seed)
    envs = make_training_envs(run.engine)
    envs.seed(run.seed)
    algorithm = make_algorithm(envs)
    # Collects one rollout of each environment at a time; the update then discards it.
    collector = Recorded(run, algorithm, envs, VectorReplayBuffer(2_048, NUM_ENVS))
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=EPOCHS,
            epoch_num_steps=EPOCH_STEPS,
            collection_step_num_env_steps=1_024,
            batch_size=256,
            update_step_num_repetitions=10,
            show_progress=False,
            verbose=False,
        )
    )

    def act(seen: NDArray[np.float32]) -> NDArray[np.int64]:
        with torch.no_grad():
            logits, _ = algorithm.policy.actor(seen)
        actions: NDArray[np.int64] = logits.argmax(-1).numpy()
        return actions

    run.finish(collector.steps, NUM_ENVS, act)
    envs.close()


if __name__ == "__main__":
    main()
