"""Proximal policy optimization for the programs that use no training library.

The algorithm of Schulman et al. (2017): generalized advantage estimation, the clipped objective,
several passes over each rollout in minibatches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.distributions import Categorical, Distribution, Independent, Normal


@dataclass(frozen=True)
class Settings:
    """The hyperparameters.

    Attributes:
        learning_rate: initial learning rate of Adam; it falls linearly to 0.
        gamma: discount factor.
        gae_lambda: the lambda of generalized advantage estimation.
        epochs: number of passes over each rollout.
        minibatches: number of minibatches in a pass.
        clip: bound of the distance of the probability ratio from 1.
        entropy: weight of the entropy in the objective.
    """

    learning_rate: float = 1e-3
    gamma: float = 0.99
    gae_lambda: float = 0.95
    epochs: int = 4
    minibatches: int = 4
    clip: float = 0.2
    entropy: float = 0.01


class ActorCritic(nn.Module):
    """A policy and a value function, over the features of one shared network or of two networks."""

    def __init__(
        self, action_space: gymnasium.Space[Any], width: int, *networks: nn.Module
    ) -> None:
        """Adds output layers to networks.

        Args:
            action_space: action space of one environment: Discrete, or a Box of one dimension.
            width: number of features that a network returns.
            networks: one network for both, or one for the policy and one for the value.
        """
        super().__init__()
        self.networks = nn.ModuleList(networks)
        self.discrete = isinstance(action_space, gymnasium.spaces.Discrete)
        outputs = action_space.n if self.discrete else action_space.shape[0]  # type: ignore[attr-defined, index]
        self.actor = orthogonal(nn.Linear(width, int(outputs)), 0.01)
        self.critic = orthogonal(nn.Linear(width, 1), 1.0)
        self.log_std = nn.Parameter(torch.full((int(outputs),), -1.0))

    def forward(self, seen: torch.Tensor) -> tuple[Distribution, torch.Tensor]:
        """Returns the distribution of actions, and values (n,)."""
        features = [network(seen) for network in self.networks]
        logits, values = self.actor(features[0]), self.critic(features[-1]).squeeze(-1)
        if self.discrete:
            return Categorical(logits=logits), values
        return Independent(Normal(logits, self.log_std.exp()), 1), values


def orthogonal(layer: Any, gain: float = 2**0.5) -> Any:
    """Returns the layer with orthogonal weights and without bias."""
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class PPO:
    """Collects rollouts of a fixed length and learns from each.

    In each step call `act` with the observations and then `add` with what the environments
    returned; when `is_full`, call `learn`.
    """

    def __init__(
        self, model: ActorCritic, length: int, updates: int, settings: Settings | None = None
    ) -> None:
        """Starts with an empty rollout.

        Args:
            model: policy and value.
            length: steps of a rollout.
            updates: number of calls of `learn` after which the learning rate is 0.
            settings: the hyperparameters; None: the defaults.
        """
        self.model = model
        self._length = length
        self._settings = settings or Settings()
        self._optimizer = torch.optim.Adam(
            model.parameters(), lr=self._settings.learning_rate, eps=1e-5
        )
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda update: max(0.0, 1.0 - update / updates)
        )
        self._seen: list[torch.Tensor] = []
        self._chosen: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]] = []
        self._came: list[tuple[torch.Tensor, torch.Tensor]] = []

    @property
    def is_full(self) -> bool:
        """Whether the rollout has `length` steps."""
        return len(self._came) == self._length

    def act(self, observations: NDArray[Any]) -> NDArray[Any]:
        """Samples actions for observations (n, ...), and stores both."""
        seen = torch.as_tensor(observations)
        with torch.no_grad():
            actions, values = self.model(seen)
            drawn = actions.sample()
            self._chosen.append((drawn, actions.log_prob(drawn), values))
        self._seen.append(seen)
        taken: NDArray[Any] = drawn.numpy()
        return taken

    def add(self, rewards: NDArray[Any], ends: NDArray[np.bool_]) -> None:
        """Adds the results of a step: rewards (n,), and whether episodes ended, (n,)."""
        self._came.append(
            (torch.as_tensor(rewards, dtype=torch.float32), torch.as_tensor(ends).float())
        )

    def learn(self, observations: NDArray[Any]) -> None:
        """Learns from the rollout, and begins a new one.

        Args:
            observations: the observations after the last step, (n, ...).
        """
        settings = self._settings
        with torch.no_grad():
            last = self.model(torch.as_tensor(observations))[1]
        actions, log_probs, values = (torch.stack(part) for part in zip(*self._chosen, strict=True))
        advantages = self._advantages(values, last).flatten()
        batch = (
            torch.cat(self._seen),
            actions.flatten(0, 1),
            log_probs.flatten(),
            advantages,
            advantages + values.flatten(),
        )
        size = len(advantages) // settings.minibatches
        for _ in range(settings.epochs):
            for index in torch.randperm(len(advantages)).split(size):
                self._step(*(part[index] for part in batch))
        self._schedule.step()
        self._seen, self._chosen, self._came = [], [], []

    def _advantages(self, values: torch.Tensor, last: torch.Tensor) -> torch.Tensor:
        """Returns generalized advantage estimates, (length, n)."""
        settings = self._settings
        advantages = torch.zeros_like(values)
        following, after = torch.zeros_like(last), last
        for step in reversed(range(self._length)):
            rewards, ends = self._came[step]
            going = 1.0 - ends
            delta = rewards + settings.gamma * going * after - values[step]
            following = delta + settings.gamma * settings.gae_lambda * going * following
            advantages[step], after = following, values[step]
        return advantages

    def _step(
        self,
        seen: torch.Tensor,
        chosen: torch.Tensor,
        log_probs: torch.Tensor,
        advantages: torch.Tensor,
        returns: torch.Tensor,
    ) -> None:
        settings = self._settings
        actions, values = self.model(seen)
        ratio = (actions.log_prob(chosen) - log_probs).exp()
        weights = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = ratio.clamp(1.0 - settings.clip, 1.0 + settings.clip)
        loss = (
            -torch.min(ratio * weights, clipped * weights).mean()
            + 0.25 * (values - returns).pow(2).mean()
            - settings.entropy * actions.entropy().mean()
        )
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 0.5)
        self._optimizer.step()
