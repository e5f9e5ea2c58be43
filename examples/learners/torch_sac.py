"""SAC in PyTorch: Hopper, with tensors that share the pool's memory.

    python examples/learners/torch_sac.py
    python examples/learners/torch_sac.py --task HalfCheetah-v5
    python examples/learners/torch_sac.py --engine gymnasium    # or envpool

In the autoreset mode SameStep, an environment whose episode ends is reset in the same step. The
last observation of the ended episode is in `infos["final_obs"]`. EnvPool has only the mode
NextStep: the step after the end of an episode resets, and is not learned from.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.nn import functional

import envpool_py
from envpool_py.torch import TorchPool
from learning import ENGINES, Run

NUM_ENVS = 4
TASKS = {"Hopper-v5": 1_000_000, "HalfCheetah-v5": 1_000_000, "Pendulum-v1": 20_000}
CAPACITY = 1_000_000
BATCH = 256
RANDOM_STEPS = 5_000  # before the policy is used
GAMMA = 0.99
TAU = 0.005  # rate at which the target network follows, per update
LEARNING_RATE = 1e-3
POLICY_LEARNING_RATE = 3e-4
WIDTH = 256


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(
        nn.Linear(inputs, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, WIDTH),
        nn.ReLU(),
        nn.Linear(WIDTH, outputs),
    )


class Actor(nn.Module):
    """A squashed Gaussian policy."""

    def __init__(self, inputs: int, space: Any) -> None:
        super().__init__()
        self.layers = network(inputs, 2 * space.shape[0])
        low, high = (torch.from_numpy(each).float() for each in (space.low, space.high))
        self.register_buffer("scale", (high - low) / 2)
        self.register_buffer("bias", (high + low) / 2)

    def forward(self, seen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Returns actions (n, k) and their log-probabilities (n,)."""
        mean, log_std = self.layers(seen).chunk(2, -1)
        log_std = -5 + 3.5 * (torch.tanh(log_std) + 1)
        normal = torch.distributions.Normal(mean, log_std.exp())
        drawn = normal.rsample()
        squashed = torch.tanh(drawn)
        log_prob = normal.log_prob(drawn) - torch.log(self.scale * (1 - squashed**2) + 1e-6)
        return squashed * self.scale + self.bias, log_prob.sum(-1)


class Critics(nn.Module):
    """Two value functions of observation and action."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.both = nn.ModuleList([network(inputs + actions, 1) for _ in range(2)])

    def forward(self, seen: torch.Tensor, action: torch.Tensor) -> tuple[Any, Any]:
        """Returns two values (n,)."""
        both = torch.cat([seen, action], -1)
        first, second = (critic(both).squeeze(-1) for critic in self.both)
        return first, second


class Replay:
    """A ring buffer of transitions, allocated once; new transitions overwrite the oldest."""

    def __init__(self, capacity: int, observation: int, action: int) -> None:
        self._columns = [
            torch.zeros(capacity, observation),
            torch.zeros(capacity, action),
            torch.zeros(capacity),
            torch.zeros(capacity, observation),
            torch.zeros(capacity),
        ]
        self._capacity = capacity
        self._added = 0

    def add(self, *columns: Any) -> None:
        """Adds rows of observations, actions, rewards, next observations and terminated flags."""
        rows = (self._added + torch.arange(len(columns[0]))) % self._capacity
        for own, given in zip(self._columns, columns, strict=True):
            own[rows] = given.to(own.dtype)
        self._added += len(rows)

    def sample(self, count: int) -> list[torch.Tensor]:
        """Returns random rows."""
        rows = torch.randint(min(self._added, self._capacity), (count,))
        return [column[rows] for column in self._columns]


class SAC:
    """The learner, with a learned temperature."""

    def __init__(self, envs: Any) -> None:
        inputs = envs.single_observation_space.shape[0]
        actions = envs.single_action_space.shape[0]
        self.actor = Actor(inputs, envs.single_action_space)
        self.critics = Critics(inputs, actions)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.entropy = -float(actions)
        adam = torch.optim.Adam
        self.actor_optimizer = adam(self.actor.parameters(), POLICY_LEARNING_RATE)
        self.critic_optimizer = adam(self.critics.parameters(), LEARNING_RATE)
        self.alpha_optimizer = adam([self.log_alpha], LEARNING_RATE)
        self.updates = 0

    def learn(self, replay: Replay) -> None:
        """Updates the critics once; in every second call, also updates the policy twice."""
        seen, action, reward, following, terminated = replay.sample(BATCH)
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            next_action, log_prob = self.actor(following)
            value = torch.min(*self.targets(following, next_action)) - alpha * log_prob
            wanted = reward + GAMMA * (1 - terminated) * value
        first, second = self.critics(seen, action)
        loss = functional.mse_loss(first, wanted) + functional.mse_loss(second, wanted)
        step(self.critic_optimizer, loss)
        self.updates += 1
        if self.updates % 2 == 0:
            for _ in range(2):
                self._improve(seen)
        with torch.no_grad():
            for target, learned in zip(
                self.targets.parameters(), self.critics.parameters(), strict=True
            ):
                target.lerp_(learned, TAU)

    def _improve(self, seen: torch.Tensor) -> None:
        action, log_prob = self.actor(seen)
        value = torch.min(*self.critics(seen, action))
        step(self.actor_optimizer, (self.log_alpha.exp().detach() * log_prob - value).mean())
        surplus = (log_prob + self.entropy).detach()
        step(self.alpha_optimizer, -(self.log_alpha.exp() * surplus).mean())


def step(optimizer: Any, loss: torch.Tensor) -> None:
    """Makes one step of an optimizer."""
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


class Tensors:
    """Environments of other libraries with tensors, to compare with `TorchPool`."""

    def __init__(self, envs: Any) -> None:
        self.envs = envs
        self.single_observation_space = envs.single_observation_space
        self.single_action_space = envs.single_action_space
        self.action_space = envs.action_space
        self.close = envs.close

    def reset(self, seed: int) -> Any:
        """Resets all environments."""
        observations, infos = self.envs.reset(seed=seed)
        return torch.from_numpy(observations.copy()), infos

    def step(self, actions: torch.Tensor) -> Any:
        """Steps all environments."""
        given = actions.numpy().astype(self.action_space.dtype, copy=False)
        observations, rewards, terminated, truncated, infos = self.envs.step(given)
        if "final_obs" in infos:
            rows = zip(infos["final_obs"], observations, strict=True)
            dense = [row if final is None else final for final, row in rows]
            infos["final_obs"] = torch.from_numpy(np.stack(dense))
        return (
            torch.from_numpy(observations.copy()),
            torch.from_numpy(rewards).float(),
            torch.from_numpy(terminated),
            torch.from_numpy(truncated),
            infos,
        )


def make(run: Run) -> Any:
    """Returns environments with tensors."""
    if run.engine == "envpool_py":
        pool = envpool_py.make(
            run.task, num_envs=NUM_ENVS, autoreset_mode="SameStep", record_episode_statistics=True
        )
        return TorchPool(pool)
    if run.engine == "envpool":
        return Tensors(run.make(NUM_ENVS))
    envs = gymnasium.make_vec(
        run.task,
        num_envs=NUM_ENVS,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
    )
    return Tensors(gymnasium.wrappers.vector.RecordEpisodeStatistics(envs))


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    run = Run("sac", TASKS, engines=ENGINES)
    torch.manual_seed(run.seed)
    envs = make(run)
    envs.action_space.seed(run.seed)
    learner = SAC(envs)
    shapes = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
    replay = Replay(min(CAPACITY, run.steps + NUM_ENVS), *shapes)
    seen, _ = envs.reset(seed=run.seed)
    resets = torch.zeros(NUM_ENVS, dtype=torch.bool)  # rows in which the next step only resets
    steps = 0
    while steps < run.steps:
        if steps < RANDOM_STEPS:
            action = torch.from_numpy(envs.action_space.sample())
        else:
            with torch.no_grad():
                action, _ = learner.actor(seen.float())
        following, reward, terminated, truncated, infos = envs.step(action)
        led_to = following
        if "final_obs" in infos:
            ended = (terminated | truncated).unsqueeze(-1)
            led_to = torch.where(ended, infos["final_obs"], following)
        columns = (seen, action, reward, led_to, terminated)
        replay.add(*(column[~resets] for column in columns))
        if run.engine == "envpool":
            resets = terminated | truncated
        seen = following
        steps += NUM_ENVS
        if "episode" in infos:
            run.episodes_ended(steps, infos["episode"]["r"][infos["_episode"]])
        if steps >= RANDOM_STEPS:
            for _ in range(NUM_ENVS):
                learner.learn(replay)
    envs.close()
    run.finish(steps, NUM_ENVS)


if __name__ == "__main__":
    main()
