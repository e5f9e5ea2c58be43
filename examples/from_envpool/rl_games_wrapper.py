"""PPO on Ant, through a wrapper like the one that rl_games has for EnvPool.

    python examples/from_envpool/rl_games_wrapper.py [--library envpool] [--seed 0]

rl_games uses a pool as an object with `step`, `reset`, `get_number_of_agents` and `get_env_info`.
Steps and resets pass the ids of all environments, and the wrapper counts scores.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ppo import PPO, ActorCritic, Settings, orthogonal
from trial import Trial

TASK = "Ant-v4"
NUM_ENVS = 16
LENGTH = 128
STEPS = 100_000
WIDTH = 64


class PoolEnv:
    """A pool with the interface that rl_games expects.

    Attributes:
        observation_space: observation space of one environment.
        action_space: action space of one environment.
        returned_scores: return of the latest episode of each environment, float64 (num_actors,).
    """

    def __init__(self, envpool: Any, num_actors: int, **kwargs: Any) -> None:
        self.env = envpool.make(
            kwargs.pop("env_name"),
            env_type=kwargs.pop("env_type", "gym"),
            num_envs=num_actors,
            batch_size=num_actors,
            **kwargs,
        )
        self.observation_space = self.env.observation_space
        self.action_space = self.env.action_space
        self.ids = np.arange(num_actors)
        self.scores = np.zeros(num_actors)
        self.returned_scores = np.zeros(num_actors)

    def step(self, action: NDArray[Any]) -> Any:
        """Steps all environments: observations, rewards, ends, infos."""
        obs, reward, terminated, truncated, info = self.env.step(action, self.ids)
        done = terminated | truncated
        self.scores += reward
        self.returned_scores[done] = self.scores[done]
        self.scores[done] = 0
        info["time_outs"] = truncated
        info["scores"] = self.returned_scores
        return obs, reward, done, info

    def reset(self) -> Any:
        """Resets all environments; returns observations."""
        obs, _ = self.env.reset(self.ids)
        return obs

    def get_number_of_agents(self) -> int:
        """Returns the number of agents of one environment."""
        return 1

    def get_env_info(self) -> dict[str, Any]:
        """Returns the spaces of one environment."""
        return {"action_space": self.action_space, "observation_space": self.observation_space}


class Normalized:
    """Normalizes observations by the mean and the variance of all observations so far."""

    def __init__(self, size: int) -> None:
        self._count, self._mean, self._squares = 1e-4, np.zeros(size), np.zeros(size)

    def __call__(self, obs: NDArray[Any]) -> NDArray[np.float32]:
        """Updates the statistics with observations, (n, size), and returns them normalized."""
        count = self._count + len(obs)
        apart = obs - self._mean
        mean = self._mean + apart.sum(axis=0) / count
        self._squares += (apart * (obs - mean)).sum(axis=0)
        self._count, self._mean = count, mean
        scaled = (obs - mean) / np.sqrt(self._squares / count + 1e-8)
        limited: NDArray[np.float32] = scaled.clip(-5, 5).astype(np.float32)
        return limited


def network(size: int) -> nn.Module:
    """Returns a network of two hidden layers."""
    return nn.Sequential(
        orthogonal(nn.Linear(size, WIDTH)),
        nn.Tanh(),
        orthogonal(nn.Linear(WIDTH, WIDTH)),
        nn.Tanh(),
    )


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    trial = Trial("rl_games_wrapper", TASK, steps=STEPS, num_envs=NUM_ENVS, packages=["torch"])
    torch.manual_seed(trial.seed)
    envs = PoolEnv(trial.envpool, NUM_ENVS, env_name=TASK, seed=trial.seed)
    spaces = envs.get_env_info()
    size = spaces["observation_space"].shape[0]
    updates = trial.steps // (NUM_ENVS * LENGTH)
    model = ActorCritic(spaces["action_space"], WIDTH, network(size), network(size))
    learner = PPO(model, LENGTH, updates, Settings(learning_rate=1e-3, entropy=0.0))
    normalized = Normalized(size)
    steps = 0
    obs = normalized(envs.reset())
    for _ in range(updates):
        while not learner.is_full:
            raw, reward, done, info = envs.step(learner.act(obs).clip(-1, 1))
            learner.add(0.1 * reward, done)
            obs = normalized(raw)
            steps += NUM_ENVS
            trial.episodes_ended(steps, info["scores"][done])
        learner.learn(obs)
    envs.env.close()
    trial.finish(steps)


if __name__ == "__main__":
    main()
