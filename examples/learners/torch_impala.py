"""An asynchronous learner in PyTorch, like IMPALA: first-ready batches, V-trace.

    python examples/learners/torch_impala.py --task CartPole-v1
    python examples/learners/torch_impala.py --task Pong-v5

A thread acts with a copy of the network and fills one rollout, while the main thread learns from
the other rollout. The policy that acted is thus older than the learned policy; V-trace corrects
this.
"""

from __future__ import annotations

import copy
import threading
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.distributions import Categorical

from envpool_py.rollout import Collector, FirstReadyRollout, make_rollouts
from learning import Run


@dataclass(frozen=True)
class Settings:
    """Hyperparameters."""

    steps: int  # over all environments
    num_envs: int
    batch_size: int
    length: int  # batches per rollout
    learning_rate: float
    gamma: float = 0.99
    entropy: float = 0.01
    value: float = 0.5
    max_norm: float = 0.5
    width: int = 64


SETTINGS = {
    "CartPole-v1": Settings(500_000, 32, 16, 20, 1e-3, gamma=0.98),
    "Pong-v5": Settings(10_000_000, 32, 16, 40, 6e-4, width=256),
}


class ActorCritic(nn.Module):
    """A policy and a value function."""

    def __init__(self, envs: Any, width: int) -> None:
        super().__init__()
        shape = envs.single_observation_space.shape
        self.pixels = len(shape) == 3
        self.bfloat16 = False  # whether the convolutions compute with 16 bits, on a processor
        if self.pixels:
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
            self.body = nn.Sequential(
                nn.Linear(shape[0], width), nn.Tanh(), nn.Linear(width, width), nn.Tanh()
            )
        self.actor = nn.Linear(width, int(envs.single_action_space.n))
        self.critic = nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Returns the distribution of actions, and values (n,), of observations (n, ...)."""
        if self.pixels:
            dtype = torch.bfloat16 if self.bfloat16 else torch.float32
            with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
                features = self.body(seen.to(dtype) / 255.0).float()
        else:
            features = self.body(seen.float())
        return Categorical(logits=self.actor(features)), self.critic(features).squeeze(-1)


class Actor:
    """Acts in the collector's thread, with a copy of the learned network."""

    def __init__(self, learned: ActorCritic) -> None:
        self._learned = learned
        self._model = copy.deepcopy(learned).requires_grad_(False)
        self._lock = threading.Lock()

    def update(self) -> None:
        """Copies the learned parameters."""
        with self._lock:
            self._model.load_state_dict(self._learned.state_dict())

    def __call__(self, rollout: FirstReadyRollout) -> None:
        """Chooses the actions for one batch."""
        with self._lock, torch.no_grad():
            chosen, _ = self._model(rollout.obs)
            actions = chosen.sample()
            log_probs = chosen.log_prob(actions)
        rollout.act(actions, log_probs=log_probs)


class Learner:
    """Learns from full rollouts."""

    def __init__(self, model: ActorCritic, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        self.optimizer = torch.optim.Adam(model.parameters(), settings.learning_rate, eps=1e-5)

    def learn(self, rollout: FirstReadyRollout) -> None:
        """Makes one update."""

        def value_of(observations: Any) -> Any:
            return self.model(observations)[1]

        settings = self.settings
        chosen, values = self.model(rollout.observations)
        log_probs = chosen.log_prob(rollout.actions)
        with torch.no_grad():
            targets, advantages = rollout.vtrace(
                value_of, log_probs - rollout.columns["log_probs"], values, gamma=settings.gamma
            )
        valid = rollout.valid
        policy_loss = -(log_probs * advantages)[valid].mean()
        value_loss = 0.5 * (values - targets)[valid].square().mean()
        entropy = chosen.entropy()[valid].mean()
        loss = policy_loss + settings.value * value_loss - settings.entropy * entropy
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), settings.max_norm)
        self.optimizer.step()


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run(
        "impala",
        tasks,
        engines=("envpool_py",),
        add_arguments=lambda parser: parser.add_argument(
            "--bfloat16", action="store_true", help="compute convolutions with 16 bits"
        ),
    )
    settings = SETTINGS[run.task]
    torch.manual_seed(run.seed)
    envs = run.make(settings.num_envs, settings.batch_size)
    model = ActorCritic(envs, settings.width)
    model.bfloat16 = run.arguments.bfloat16
    learner, actor = Learner(model, settings), Actor(model)
    rollouts = make_rollouts(
        envs, settings.length, 2, columns={"log_probs": ()}, framework="torch", seed=run.seed
    )
    steps = 0
    with Collector(rollouts, actor) as filled:
        for rollout in filled:
            learner.learn(rollout)
            actor.update()
            steps += int(rollout.valid.sum())
            run.episodes_ended(steps, rollout.episode_returns)
            if steps >= run.steps:
                break
    envs.close()
    run.finish(steps, settings.num_envs, bfloat16=run.arguments.bfloat16)


if __name__ == "__main__":
    main()
