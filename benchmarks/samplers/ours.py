"""Measures a pool and a rollout once, with the policy of `with_sample_factory.py`.

    python -m benchmarks.samplers.ours --task Pong-v5 --num-envs 32 --workers 2 --length 20
        --seconds 10

The policy gets half of the environments in each batch, while the pool's threads step the others.
Writes the result as JSON, in the last line of its output.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import torch
from torch import nn
from torch.distributions import Categorical

import envpool_py
from envpool_py.rollout import FirstReadyRollout, make_rollouts

WARMUP_S = 3.0


class ActorCritic(nn.Module):
    """The layers that Sample Factory makes: shared by the policy and the value function."""

    def __init__(self, envs: Any) -> None:
        super().__init__()
        shape = envs.single_observation_space.shape
        self.pixels = len(shape) == 3
        if self.pixels:
            width = 256
            self.body = nn.Sequential(
                nn.Conv2d(shape[0], 16, 8, stride=4),
                nn.ReLU(),
                nn.Conv2d(16, 32, 4, stride=2),
                nn.ReLU(),
                nn.Flatten(),
                nn.Linear(32 * 9 * 9, width),
                nn.ReLU(),
            )
        else:
            width = 64
            self.body = nn.Sequential(
                nn.Linear(shape[0], width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
            )
        self.actor = nn.Linear(width, int(envs.single_action_space.n))
        self.critic = nn.Linear(width, 1)

    def act(self, rollout: FirstReadyRollout) -> None:
        """Answers one batch."""
        with torch.no_grad():
            seen: Any = rollout.obs
            features = self.body(seen / 255.0 if self.pixels else seen.float())
            chosen = Categorical(logits=self.actor(features))
            actions = chosen.sample()
            values = self.critic(features).squeeze(-1)
        rollout.act(actions, log_probs=chosen.log_prob(actions), values=values)


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description="Measures a pool and a rollout once.")
    parser.add_argument("--task", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    for name in ("--num-envs", "--workers", "--length"):
        parser.add_argument(name, type=int, required=True)
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    batch = given.num_envs // 2
    pool = envpool_py.make(
        given.task, num_envs=given.num_envs, batch_size=batch, num_threads=given.workers
    )
    policy = ActorCritic(pool)
    # As many steps of each environment as in a trajectory of Sample Factory.
    rollouts = make_rollouts(pool, 2 * given.length, count=2, framework="torch", seed=0)
    steps = 0
    began = now = time.perf_counter() + WARMUP_S
    while now < began + given.seconds:
        for rollout in rollouts:
            for _ in rollout:
                policy.act(rollout)
            now = time.perf_counter()
            if now > began:
                steps += 2 * given.length * batch
    pool.close()
    versions = {"envpool_py": envpool_py.__version__, "torch": torch.__version__}
    print(json.dumps({"steps": steps, "seconds": now - began, "versions": versions}))


if __name__ == "__main__":
    main()
