"""DQN on a Ray cluster: actors on any machines, a replay buffer of TorchRL, one learner.

    python examples/learners/ray_dqn.py --actors 2
    python examples/learners/ray_dqn.py --task Pong-v5 --actors 16 --address auto

The actors act epsilon-greedily, and epsilon comes with the weights. The learner puts each fragment
into the buffer, and then makes as many updates as the replay ratio requires; if it is slow, the
actors wait. The buffer is TorchRL's, with its storage in files: `--storage` chooses the directory.
"""

from __future__ import annotations

import argparse
import copy
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import ray
import torch
from tensordict import TensorDict
from torch import nn
from torch.nn import functional
from torchrl.data import LazyMemmapStorage, TensorDictReplayBuffer

from envpool_py.ray import ActorGroup, ActorSpec, Fragment, RolloutStream, Spaces
from learning import Run


@dataclass(frozen=True)
class Settings:
    """Hyperparameters."""

    steps: int  # over all environments
    num_envs: int  # per actor
    length: int  # steps of a fragment
    learning_rate: float
    capacity: int  # transitions in the buffer
    batch: int
    replayed: float  # transitions learned for each one that is made
    random_steps: int  # before the first update
    explored: float  # part of the steps in which epsilon falls to its last value
    last_epsilon: float
    target_every: int  # updates
    gamma: float = 0.99


SETTINGS = {
    # RL Baselines3 Zoo's hyperparameters, with more steps, and the mean squared error as loss.
    "CartPole-v1": Settings(150_000, 8, 16, 2.3e-3, 100_000, 64, 32.0, 1_000, 0.05, 0.04, 128),
    "Pong-v5": Settings(3_000_000, 16, 16, 1e-4, 50_000, 32, 8.0, 20_000, 0.1, 0.01, 1_000),
}


class Network(nn.Module):
    """The values of all actions."""

    def __init__(self, spaces: Spaces) -> None:
        super().__init__()
        shape = spaces.single_observation_space.shape
        actions: Any = spaces.single_action_space
        assert shape is not None
        self.pixels = len(shape) == 3
        self.layers = nn.Sequential()
        if self.pixels:
            for inputs, outputs, size, stride in (
                (shape[0], 32, 8, 4),
                (32, 64, 4, 2),
                (64, 64, 3, 1),
            ):
                self.layers.extend([nn.Conv2d(inputs, outputs, size, stride), nn.ReLU()])
            self.layers.extend([nn.Flatten(), nn.Linear(64 * 7 * 7, 512), nn.ReLU()])
            width = 512
        else:
            width = 256
            self.layers.extend([nn.Linear(shape[0], width), nn.ReLU()])
            self.layers.extend([nn.Linear(width, width), nn.ReLU()])
        self.layers.append(nn.Linear(width, int(actions.n)))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Returns values (n, actions) of observations (n, ...)."""
        values: torch.Tensor = self.layers(seen / 255.0 if self.pixels else seen.float())
        return values


class Acting:
    """The epsilon-greedy policy in an actor."""

    def __init__(self, spaces: Spaces) -> None:
        torch.set_num_threads(1)
        self._random = torch.Generator().manual_seed(spaces.seed)
        self._model = Network(spaces).requires_grad_(False)
        self._epsilon = 1.0

    def set_weights(self, weights: Mapping[str, Any]) -> None:
        """Copies the learner's weights and epsilon."""
        self._epsilon = float(weights["epsilon"])
        with torch.no_grad():
            for name, parameter in self._model.named_parameters():
                parameter.copy_(torch.tensor(weights[name]))

    def act(self, observations: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Chooses actions."""
        values = self._model(observations)
        count, actions = values.shape
        drawn = torch.randint(actions, (count,), generator=self._random)
        explores = torch.rand(count, generator=self._random) < self._epsilon
        return torch.where(explores, drawn, values.argmax(-1)), {}


def transitions(fragment: Fragment) -> TensorDict:
    """Returns the steps of a fragment, with the observation that each led to."""
    steps = fragment.flat()
    observations: Any = fragment.observations
    # After a truncated step, the next row may belong to the next episode.
    following = observations[1:].reshape(-1, *observations.shape[2:])
    if len(fragment.final_steps):
        following = following.clone()
        following[torch.from_numpy(fragment.final_steps)] = fragment.final_observations
    valid = steps["valid"]
    columns = {
        "observations": steps["observations"][valid],
        "actions": steps["actions"][valid],
        "rewards": steps["rewards"][valid],
        "terminated": steps["terminated"][valid],
        "following": following[valid],
    }
    return TensorDict(columns, batch_size=[int(valid.sum())])


class Learner:
    """Learns from a replay buffer: double DQN."""

    def __init__(self, spaces: Spaces, settings: Settings, storage: str) -> None:
        self.model = Network(spaces)
        self._target = copy.deepcopy(self.model).requires_grad_(False)
        self._settings = settings
        self._optimizer = torch.optim.Adam(self.model.parameters(), settings.learning_rate)
        self._buffer = TensorDictReplayBuffer(
            storage=LazyMemmapStorage(settings.capacity, scratch_dir=storage),
            batch_size=settings.batch,
        )
        self._owed = 0.0
        self._epsilon = 1.0
        self.updates = 0

    def take(self, fragment: Fragment) -> None:
        """Stores the transitions of a fragment, and makes the updates that are due."""
        settings = self._settings
        made = transitions(fragment)
        self._buffer.extend(made)
        if self._buffer.write_count < settings.random_steps:
            return
        self._owed += len(made) * settings.replayed / settings.batch
        while self._owed >= 1:
            self._owed -= 1
            self._learn(self._buffer.sample())

    def _learn(self, batch: TensorDict) -> None:
        settings = self._settings
        with torch.no_grad():
            best = self.model(batch["following"]).argmax(-1, keepdim=True)
            value = self._target(batch["following"]).gather(-1, best).squeeze(-1)
            wanted = batch["rewards"] + settings.gamma * ~batch["terminated"] * value
        chosen = batch["actions"].long().unsqueeze(-1)
        values = self.model(batch["observations"]).gather(-1, chosen).squeeze(-1)
        self._optimizer.zero_grad()
        functional.mse_loss(values, wanted).backward()
        self._optimizer.step()
        self.updates += 1
        if self.updates % settings.target_every == 0:
            self._target.load_state_dict(self.model.state_dict())

    def advance(self, done: float) -> None:
        """Lowers the learning rate and epsilon; `done` is the part of the run that is over."""
        settings = self._settings
        for group in self._optimizer.param_groups:
            group["lr"] = settings.learning_rate * max(1.0 - done, 0.0)
        explored = min(done / settings.explored, 1.0)
        self._epsilon = 1.0 + explored * (settings.last_epsilon - 1.0)

    def weights(self) -> dict[str, Any]:
        """Returns what the actors need: the parameters, and epsilon."""
        return {**self.model.state_dict(), "epsilon": np.float64(self._epsilon)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this program."""
    parser.add_argument("--actors", type=int, default=2)
    parser.add_argument("--address", help='of a Ray cluster, or "auto"; starts one otherwise')
    parser.add_argument("--storage", help="directory for the replay buffer (a temporary one)")


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run("ray_dqn", tasks, engines=("envpool_py",), add_arguments=add_arguments)
    given, settings = run.arguments, SETTINGS[run.task]
    torch.manual_seed(run.seed)
    if given.address is None:
        cpus = max(given.actors, os.cpu_count() or 1)
        ray.init("local", num_cpus=cpus, include_dashboard=False, log_to_driver=False)
    else:
        ray.init(given.address, log_to_driver=False)
    spec = ActorSpec(
        run.task,
        settings.num_envs,
        settings.length,
        policy=Acting,
        columns={},
        framework="torch",
    )
    with (
        tempfile.TemporaryDirectory(dir=given.storage) as storage,
        ActorGroup(spec, given.actors, seed=run.seed) as actors,
    ):
        learner = Learner(spec.spaces(), settings, storage)
        with RolloutStream(actors, weights=learner.weights(), framework="torch") as stream:
            for fragment in stream:
                learner.take(fragment)
                steps = stream.counts.steps
                learner.advance(steps / run.steps)
                stream.publish(learner.weights())
                run.episodes_ended(steps, fragment.episode_returns)
                if steps >= run.steps:
                    break
        run.finish(
            stream.counts.steps,
            settings.num_envs * actors.num_actors,
            actors=actors.num_actors,
            updates=learner.updates,
            fragments=stream.counts.as_dict(),
        )
    ray.shutdown()


if __name__ == "__main__":
    main()
