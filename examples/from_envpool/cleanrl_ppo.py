"""PPO on Breakout, which uses the pool like CleanRL's scripts.

    python examples/from_envpool/cleanrl_ppo.py [--library envpool] [--seed 0]

A lost life ends the learner's episode (`episodic_life`), rewards are clipped, and a Gymnasium
wrapper counts whole games by the infos "reward" and "terminated". The results of both libraries are
bit-equal for the same seed, so training is equal too. Frames have half the usual height and width,
so that a run takes only a few minutes on one processor.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ppo import PPO, ActorCritic, Settings, orthogonal
from trial import Trial

TASK = "Breakout-v5"
NUM_ENVS = 8
LENGTH = 128
STEPS = 60_000
WIDTH = 128


class WholeGames(gymnasium.Wrapper):
    """Adds the return of each game so far to the infos, in points of the game."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self._returns = np.zeros(env.num_envs)

    def reset(self, **kwargs: Any) -> Any:
        """Resets as the pool does."""
        self._returns[:] = 0
        return super().reset(**kwargs)

    def step(self, action: NDArray[Any]) -> Any:
        """Steps as the pool does; `info["r"]` is float64 (num_envs,)."""
        obs, reward, term, trunc, info = super().step(action)
        self._returns += info["reward"]  # not clipped
        info["r"] = self._returns.copy()
        info["game_over"] = (info["terminated"] != 0) | trunc
        self._returns[info["game_over"]] = 0
        return obs, reward, term, trunc, info


class Pixels(nn.Module):
    """Two layers of convolutions and a dense one."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            orthogonal(nn.Conv2d(4, 16, 6, stride=3)),
            nn.ReLU(),
            orthogonal(nn.Conv2d(16, 32, 4, stride=2)),
            nn.ReLU(),
            nn.Flatten(),
            orthogonal(nn.Linear(32 * 5 * 5, WIDTH)),
            nn.ReLU(),
        )

    def forward(self, seen: torch.Tensor) -> Any:
        """Returns features, float32 (n, 128), of frames, uint8 (n, 4, 42, 42)."""
        return self.layers(seen / 255.0)


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    trial = Trial("cleanrl_ppo", TASK, steps=STEPS, num_envs=NUM_ENVS, packages=["torch"])
    torch.manual_seed(trial.seed)
    envs = trial.envpool.make(
        TASK,
        env_type="gym",
        num_envs=NUM_ENVS,
        episodic_life=True,
        reward_clip=True,
        img_height=42,
        img_width=42,
        seed=trial.seed,
    )
    envs = WholeGames(envs)
    assert isinstance(envs.action_space, gymnasium.spaces.Discrete)

    updates = trial.steps // (NUM_ENVS * LENGTH)
    model = ActorCritic(envs.action_space, WIDTH, Pixels())
    learner = PPO(model, LENGTH, updates, Settings(learning_rate=7e-4, clip=0.1, epochs=3))
    steps = 0
    obs, _ = envs.reset()
    for _ in range(updates):
        while not learner.is_full:
            obs, reward, term, trunc, info = envs.step(learner.act(obs))
            learner.add(reward, term | trunc)
            steps += NUM_ENVS
            trial.episodes_ended(steps, info["r"][info["game_over"]])
        learner.learn(obs)
    envs.close()
    trial.finish(steps)


if __name__ == "__main__":
    main()
