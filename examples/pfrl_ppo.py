"""PFRL's PPO learns CartPole.

    python examples/pfrl_ppo.py [--engine gymnasium] [--seed 0]

`PoolVectorEnv` is the adapter. The other engine is PFRL's `SerialVectorEnv` of Gymnasium's
environments, wrapped with Gym's old interface, which PFRL 0.4 needs.
"""

from __future__ import annotations

import tempfile
from typing import Any

import gymnasium
import numpy as np
import pfrl
import torch
from numpy.typing import NDArray
from pfrl.agents import PPO
from pfrl.envs import SerialVectorEnv
from pfrl.experiments import train_agent_batch
from pfrl.policies import SoftmaxCategoricalHead

import envpool_py
from cartpole import TASK, Run
from envpool_py.integrations.pfrl import PoolVectorEnv

NUM_ENVS = 8
STEPS = 100_000  # over all environments


class OldForm(gymnasium.Wrapper[Any, Any, Any, Any]):
    """An environment of Gymnasium with the interface of Gym before version 0.26."""

    _seed: int | None = None

    def seed(self, seed: int) -> None:
        """Stores the seed of the next reset."""
        self._seed = seed

    def reset(self) -> Any:  # type: ignore[override]
        """Returns the first observation."""
        seed, self._seed = self._seed, None
        return self.env.reset(seed=seed)[0]

    def step(self, action: Any) -> Any:
        """Returns an observation, a reward, whether the episode terminated, and an info."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, {**info, "needs_reset": truncated}


def make_training_envs(engine: str) -> pfrl.env.VectorEnv:
    """Returns the environments to train on."""
    if engine == "envpool_py":
        return PoolVectorEnv(envpool_py.make(TASK, num_envs=NUM_ENVS, autoreset_mode="Disabled"))
    return SerialVectorEnv([OldForm(gymnasium.make(TASK)) for _ in range(NUM_ENVS)])


class Recorded(PPO):
    """An agent that passes the returns of episodes to the run."""

    def __init__(self, run: Run, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._run = run
        self._steps = 0
        self._returns = np.zeros(NUM_ENVS)

    def batch_observe(
        self,
        batch_obs: Any,
        batch_reward: Any,
        batch_done: Any,
        batch_reset: NDArray[np.bool_],
    ) -> None:
        """Processes the step as PPO does, and records the ends of episodes."""
        self._steps += NUM_ENVS
        self._returns += batch_reward
        ended = np.asarray(batch_done) | batch_reset
        self._run.episodes_ended(self._steps, self._returns[ended])
        self._returns[ended] = 0
        super().batch_observe(batch_obs, batch_reward, batch_done, batch_reset)


def make_agent(run: Run) -> Recorded:
    """Returns PPO with networks of two hidden layers for policy and value."""

    def net(outputs: int) -> torch.nn.Sequential:
        tanh = torch.nn.Tanh()
        return torch.nn.Sequential(
            *(torch.nn.Linear(4, 64), tanh, torch.nn.Linear(64, 64), tanh),
            torch.nn.Linear(64, outputs),
        )

    policy = torch.nn.Sequential(net(2), SoftmaxCategoricalHead())
    model = pfrl.nn.Branched(policy, net(1))
    return Recorded(
        run,
        model,
        torch.optim.Adam(model.parameters(), lr=1e-3),
        gamma=0.98,
        lambd=0.8,
        entropy_coef=0.0,
        update_interval=1_024,
        minibatch_size=256,
        max_grad_norm=0.5,
        act_deterministically=True,
    )


def main() -> None:
    """Trains and evaluates."""
    torch.set_num_threads(1)
    run = Run("pfrl", "PPO")
    pfrl.utils.set_random_seed(run.seed)
    envs = make_training_envs(run.engine)
    envs.seed(list(range(run.seed, run.seed + NUM_ENVS)))
    agent = make_agent(run)
    with tempfile.TemporaryDirectory() as directory:
        train_agent_batch(agent, envs, STEPS, directory)

    def act(seen: NDArray[np.float32]) -> NDArray[np.int64]:
        with agent.eval_mode():
            actions: NDArray[np.int64] = agent.batch_act(list(seen))
        return actions

    run.finish(STEPS, NUM_ENVS, act)
    envs.close()


if __name__ == "__main__":
    main()
