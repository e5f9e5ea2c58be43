"""Tianshou's PPO on CartPole, with the pool passed directly to the collector.

    python examples/from_envpool/tianshou_collector.py [--library envpool] [--seed 0]

Tianshou's collectors support EnvPool: they step and reset by ids, and accept infos that are a
dictionary of arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

from trial import Trial

TASK = "CartPole-v1"
NUM_ENVS = 8
ROLLOUT = 1_024  # steps of all environments between two updates
STEPS = 12 * ROLLOUT


class Recorded(Collector[CollectStats]):
    """A collector that passes the returns of episodes to the trial."""

    def __init__(self, trial: Trial, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._trial = trial
        self.steps = 0

    def collect(self, *arguments: Any, **settings: Any) -> CollectStats:
        """Collects as the base class does, and records the ends of episodes."""
        stats = super().collect(*arguments, **settings)
        self.steps += stats.n_collected_steps
        self._trial.episodes_ended(self.steps, stats.returns)
        return stats


def make_algorithm(action_space: Any) -> PPO:
    """Returns PPO with networks of two hidden layers for policy and value."""

    def net() -> Net:
        return Net(state_shape=(4,), hidden_sizes=[64, 64], activation=torch.nn.Tanh)

    actor = DiscreteActor(preprocess_net=net(), action_shape=action_space.n, softmax_output=False)
    return PPO(
        policy=DiscreteActorPolicy(actor=actor, action_space=action_space),
        critic=DiscreteCritic(preprocess_net=net()),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=0.98,
        gae_lambda=0.8,
        ent_coef=0.0,
        max_grad_norm=0.5,
    )


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    trial = Trial(
        "tianshou_collector",
        TASK,
        steps=STEPS,
        num_envs=NUM_ENVS,
        packages=["torch", "tianshou"],
    )
    np.random.seed(trial.seed)  # Tianshou draws minibatches with NumPy's global generator
    torch.manual_seed(trial.seed)
    envs = trial.envpool.make(TASK, num_envs=NUM_ENVS, env_type="gym", seed=trial.seed)
    algorithm = make_algorithm(envs.action_space)
    collector = Recorded(trial, algorithm, envs, VectorReplayBuffer(2 * ROLLOUT, len(envs)))
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=trial.steps,
            collection_step_num_env_steps=ROLLOUT,
            batch_size=256,
            update_step_num_repetitions=10,
            show_progress=False,
            verbose=False,
        )
    )
    envs.close()
    trial.finish(collector.steps)


if __name__ == "__main__":
    main()
