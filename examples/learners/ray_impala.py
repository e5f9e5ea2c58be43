"""IMPALA on a Ray cluster: actors on any machines, one learner, V-trace.

    python examples/learners/ray_impala.py --actors 2
    python examples/learners/ray_impala.py --actors 4 --inference central
    python examples/learners/ray_impala.py --task Pong-v5 --actors 16 --address auto
    python examples/learners/ray_impala.py --checkpoint impala.ckpt  # again: goes on after a crash

Each actor has a pool and a copy of the network, and fills fragments. The learner makes an update
with each fragment, in order of arrival, and publishes its weights. `envpool-py fleet` shows the
actors while the program runs.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ray
import torch
from torch import nn
from torch.distributions import Categorical

from envpool_py.ray import (
    ActorGroup,
    ActorSpec,
    Fragment,
    RolloutStream,
    Spaces,
    load_checkpoint,
    save_checkpoint,
)
from learning import Run


@dataclass(frozen=True)
class Settings:
    """Hyperparameters."""

    steps: int  # over all environments
    num_envs: int  # per actor
    length: int  # steps of a fragment
    learning_rate: float
    gamma: float = 0.99
    entropy: float = 0.01
    value: float = 0.5
    max_norm: float = 0.5
    width: int = 64


SETTINGS = {
    "CartPole-v1": Settings(500_000, 16, 20, 1e-3, gamma=0.98),
    "Pong-v5": Settings(10_000_000, 32, 20, 6e-4, width=256),
}
_CHECKPOINT_S = 10.0


class ActorCritic(nn.Module):
    """A policy and a value function."""

    def __init__(self, spaces: Spaces, width: int, *, bfloat16: bool) -> None:
        super().__init__()
        shape = spaces.single_observation_space.shape
        actions: Any = spaces.single_action_space
        assert shape is not None
        self.pixels = len(shape) == 3
        self.bfloat16 = bfloat16  # whether the convolutions compute with 16 bits, on a processor
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
        self.actor = nn.Linear(width, int(actions.n))
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


class Acting:
    """The policy in an actor."""

    def __init__(self, spaces: Spaces, width: int, *, bfloat16: bool) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(spaces.seed)
        self._model = ActorCritic(spaces, width, bfloat16=bfloat16).requires_grad_(False)

    def set_weights(self, weights: Mapping[str, Any]) -> None:
        """Copies the learner's weights."""
        with torch.no_grad():
            for name, parameter in self._model.named_parameters():
                parameter.copy_(torch.tensor(weights[name]))

    def act(self, observations: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Samples actions."""
        chosen, _ = self._model(observations)
        actions = chosen.sample()
        return actions, {"log_probs": chosen.log_prob(actions)}


class Learner:
    """Learns from fragments."""

    def __init__(self, spaces: Spaces, settings: Settings, *, bfloat16: bool) -> None:
        self.model = ActorCritic(spaces, settings.width, bfloat16=bfloat16)
        self.settings = settings
        self.optimizer = torch.optim.Adam(self.model.parameters(), settings.learning_rate, eps=1e-5)

    def learn(self, fragment: Fragment) -> None:
        """Makes one update."""

        def value_of(observations: Any) -> Any:
            return self.model(observations)[1]

        settings = self.settings
        steps = fragment.flat()
        chosen, values = self.model(steps["observations"])
        log_probs = chosen.log_prob(steps["actions"])
        shape = fragment.length, fragment.num_envs
        with torch.no_grad():
            log_ratios = (log_probs - steps["log_probs"]).view(shape)
            targets, advantages = fragment.vtrace(
                value_of, log_ratios, values.detach().view(shape), gamma=settings.gamma
            )
        valid = steps["valid"]
        policy_loss = -(log_probs * advantages.flatten())[valid].mean()
        value_loss = (values - targets.flatten()).square()[valid].mean()
        entropy = chosen.entropy()[valid].mean()
        loss = policy_loss + settings.value * value_loss - settings.entropy * entropy
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), settings.max_norm)
        self.optimizer.step()

    def state(self) -> dict[str, Any]:
        """Returns the learner's part of a checkpoint."""
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continues from `state`."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this program."""
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--in-flight", type=int, default=2, help="fragments of an actor")
    parser.add_argument("--inference", choices=("local", "central"), default="local")
    parser.add_argument("--placement", choices=("spread", "pack", "numa"), default="spread")
    parser.add_argument("--synchronous", action="store_true")
    parser.add_argument("--address", help='of a Ray cluster, or "auto"; starts one otherwise')
    parser.add_argument("--checkpoint", help="file to go on from, written every 10 seconds")
    parser.add_argument("--metrics-port", type=int, help="for envpool-py fleet")
    parser.add_argument("--bfloat16", action="store_true", help="compute convolutions with 16 bits")


def make_group(run: Run, settings: Settings) -> ActorGroup:
    """Connects to Ray, and reserves the actors' processors."""
    given = run.arguments
    if given.address is None:
        cpus = max(given.actors, os.cpu_count() or 1)
        ray.init("local", num_cpus=cpus, include_dashboard=False, log_to_driver=False)
    else:
        ray.init(given.address, log_to_driver=False)
    width, bfloat16 = settings.width, given.bfloat16
    spec = ActorSpec(
        run.task,
        settings.num_envs,
        settings.length,
        policy=lambda spaces: Acting(spaces, width, bfloat16=bfloat16),
        framework="torch",
    )
    actors = None if given.placement == "numa" else given.actors
    return ActorGroup(
        spec, actors, seed=run.seed, placement=given.placement, inference=given.inference
    )


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run("ray_impala", tasks, engines=("envpool_py",), add_arguments=add_arguments)
    settings = SETTINGS[run.task]
    torch.manual_seed(run.seed)
    path = run.arguments.checkpoint
    saved = None if path is None else load_checkpoint(path)
    with make_group(run, settings) as actors:
        learner = Learner(actors.spec.spaces(), settings, bfloat16=run.arguments.bfloat16)
        if saved is not None:
            learner.restore(saved)
            run.set_state(saved["run"])
        weights = learner.model.state_dict()
        with RolloutStream(
            actors,
            weights=weights,
            in_flight=run.arguments.in_flight,
            synchronous=run.arguments.synchronous,
            framework="torch",
            state=None if saved is None else saved["stream"],
        ) as stream:
            if run.arguments.metrics_port is not None:
                print(f"envpool-py fleet {stream.serve_metrics(run.arguments.metrics_port)}")
            train(run, learner, stream, path)
        counts = stream.counts
        run.finish(
            counts.steps,
            settings.num_envs * actors.num_actors,
            actors=actors.num_actors,
            inference=run.arguments.inference,
            bfloat16=run.arguments.bfloat16,
            fragments=counts.as_dict(),
        )
    ray.shutdown()


def train(run: Run, learner: Learner, stream: RolloutStream, path: str | None) -> None:
    """Learns until the run has made all its steps."""
    written = time.monotonic()
    for fragment in stream:
        learner.learn(fragment)
        stream.publish(learner.model.state_dict())
        steps = stream.counts.steps
        run.episodes_ended(steps, fragment.episode_returns)
        done = steps >= run.steps
        if path is not None and (done or time.monotonic() - written > _CHECKPOINT_S):
            written = time.monotonic()
            save_checkpoint(
                path, {**learner.state(), "stream": stream.state_dict(), "run": run.get_state()}
            )
        if done:
            return


if __name__ == "__main__":
    main()
