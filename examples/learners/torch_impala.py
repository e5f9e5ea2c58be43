"""An asynchronous learner in PyTorch, like IMPALA: first-ready batches, V-trace.

    python examples/learners/torch_impala.py --task CartPole-v1
    python examples/learners/torch_impala.py --task Pong-v5

A thread acts with a copy of the network and fills one rollout, while the main thread learns from
the other rollout. The policy that acted is thus older than the learned policy; V-trace corrects
this. The learner makes several passes over a rollout with PPO's loss, as APPO does.
"""

from __future__ import annotations

import argparse
import copy
import threading
from collections.abc import Mapping
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
    batch_size: int  # environments of a batch
    length: int  # batches per rollout
    learning_rate: float  # decreases to 0
    minibatch: int
    passes: int  # over a rollout
    gamma: float
    lam: float  # V-trace's lambda
    clip: float  # of the ratio to the policy before the first pass
    entropy: float = 0.01
    value: float = 0.25
    max_norm: float = 0.5
    width: int = 64


SETTINGS = {
    "CartPole-v1": Settings(500_000, 16, 32, 1e-3, 128, 4, 0.98, 0.8, 0.2),
    "Pong-v5": Settings(2_500_000, 8, 128, 5e-4, 256, 4, 0.99, 0.95, 0.1, width=256),
}


class ActorCritic(nn.Module):
    """A policy and a value function."""

    def __init__(self, spaces: Any, width: int, *, bfloat16: bool = False) -> None:
        """Makes the network.

        Args:
            spaces: object with `single_observation_space` and `single_action_space`.
            width: number of units of the hidden layers.
            bfloat16: whether the convolutions compute with 16 bits, on a processor.
        """
        super().__init__()
        shape = spaces.single_observation_space.shape
        self.pixels = len(shape) == 3
        self.bfloat16 = bfloat16
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
        self.actor = nn.Linear(width, int(spaces.single_action_space.n))
        self.critic = nn.Linear(width, 1)
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.orthogonal_(module.weight, 0.01 if module is self.actor else 2**0.5)
                nn.init.zeros_(module.bias)
        self.to(memory_format=torch.channels_last)  # the fastest on a processor

    def forward(self, seen: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        """Returns the distribution of actions, and values (n,), of observations (n, ...)."""
        if self.pixels:
            dtype = torch.bfloat16 if self.bfloat16 else torch.float32
            pictures = seen.to(memory_format=torch.channels_last).to(dtype).div_(255.0)
            with torch.autocast("cpu", torch.bfloat16, enabled=self.bfloat16):
                features = self.body(pictures).float()
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
    """Learns from experience of older policies."""

    def __init__(self, model: ActorCritic, settings: Settings) -> None:
        self.model = model
        self.settings = settings
        self.optimizer = torch.optim.Adam(model.parameters(), settings.learning_rate, eps=1e-5)

    def learn(self, filled: Any, steps: Mapping[str, torch.Tensor], left: float) -> None:
        """Improves the policy.

        Args:
            filled: a full rollout, or anything else with its methods.
            steps: its observations, actions, "log_probs" of the policy that acted, and "valid",
                one row for each step.
            left: the share of the run that is still to come, in [0, 1].
        """
        settings = self.settings
        self.optimizer.param_groups[0]["lr"] = settings.learning_rate * left
        log_probs, targets, advantages = self._estimates(filled, steps)
        rows = steps["valid"].nonzero().squeeze(-1)
        gains = advantages[rows]
        advantages = (advantages - gains.mean()) / (gains.std() + 1e-8)
        for _ in range(settings.passes):
            for batch in rows[torch.randperm(len(rows))].split(settings.minibatch):
                # index_select copies whole rows; an index in brackets copies byte by byte.
                chosen, values = self.model(steps["observations"].index_select(0, batch))
                ratio = (chosen.log_prob(steps["actions"][batch]) - log_probs[batch]).exp()
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                gain = advantages[batch]
                policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
                value_loss = (values - targets[batch]).square().mean()
                entropy = chosen.entropy().mean()
                loss = policy_loss + settings.value * value_loss - settings.entropy * entropy
                self.optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), settings.max_norm)
                self.optimizer.step()

    def _estimates(
        self, filled: Any, steps: Mapping[str, torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Returns the policy's log-probabilities, the targets of the values, and the advantages."""

        def value_of(observations: Any) -> Any:
            return self.model(observations)[1]

        settings = self.settings
        size = settings.minibatch  # more rows at once do not fit into the caches
        parts = zip(steps["observations"].split(size), steps["actions"].split(size), strict=True)
        estimates = []
        with torch.no_grad():
            for observations, actions in parts:
                chosen, values_of_part = self.model(observations)
                estimates.append((chosen.log_prob(actions), values_of_part))
            log_probs, values = (torch.cat(column) for column in zip(*estimates, strict=True))
            shape = filled.rewards.shape
            targets, advantages = filled.vtrace(
                value_of,
                (log_probs - steps["log_probs"]).view(shape),
                values.view(shape),
                gamma=settings.gamma,
                lam=settings.lam,
            )
        return log_probs, targets.flatten(), advantages.flatten()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of the learner."""
    parser.add_argument("--threads", type=int, default=1, help="of the learner")
    parser.add_argument("--bfloat16", action="store_true", help="compute convolutions with 16 bits")


def main() -> None:
    """Trains."""
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run("impala", tasks, ("envpool_py",), add_arguments)
    settings = SETTINGS[run.task]
    torch.set_num_threads(run.arguments.threads)
    torch.manual_seed(run.seed)
    num_envs = 2 * settings.batch_size
    envs = run.make(num_envs, settings.batch_size)
    model = ActorCritic(envs, settings.width, bfloat16=run.arguments.bfloat16)
    learner, actor = Learner(model, settings), Actor(model)
    rollouts = make_rollouts(
        envs, settings.length, 2, columns={"log_probs": ()}, framework="torch", seed=run.seed
    )
    steps = 0
    with Collector(rollouts, actor) as filled:
        for rollout in filled:
            steps += int(rollout.valid.sum())
            names = ("observations", "actions", "valid")
            columns = {name: getattr(rollout, name) for name in names}
            learner.learn(rollout, columns | rollout.columns, max(1 - steps / run.steps, 0))
            actor.update()
            run.episodes_ended(steps, rollout.episode_returns)
            if steps >= run.steps:
                break
    envs.close()
    run.finish(steps, num_envs, threads=run.arguments.threads, bfloat16=run.arguments.bfloat16)


if __name__ == "__main__":
    main()
