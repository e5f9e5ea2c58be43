"""PPO in PyTorch: CartPole, Pong, HalfCheetah, simple_spread; the rollout is filled in place.

    python examples/learners/torch_ppo.py --task CartPole-v1
    python examples/learners/torch_ppo.py --task Pong-v5
    python examples/learners/torch_ppo.py --task HalfCheetah-v5
    python examples/learners/torch_ppo.py --task Pong-v5 --device cuda  # the network on a GPU
    python examples/learners/torch_ppo.py --engine gymnasium    # the same program on Gymnasium's
    python examples/learners/torch_ppo.py --task MPE-SimpleSpread-v3
    python examples/learners/torch_ppo.py --task MPE-SimpleSpread-v3 --engine mpe2  # on MPE2's
    python examples/learners/torch_ppo.py --resume run.pt  # continues from run.pt, if it exists

In simple_spread, a task of several agents, one policy plays all agents (independent PPO with shared
parameters): each agent is a row of the rollout, and steps are those of environments.

With `--resume`, the program saves the environments, the learner and its random numbers every few
seconds. Killed at any time and started again, it gets the same returns as if it had never stopped.

The loss excludes rows that only reset an environment (`rollout.valid` is False). Truncated episodes
are bootstrapped from their own last state.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Distribution, Independent, Normal

from envpool_py.rollout import Rollout
from envpool_py.torch.data_parallel import load_checkpoint, save_checkpoint
from learning import ENGINES, Run


@dataclass(frozen=True)
class Settings:
    """Hyperparameters."""

    steps: int  # over all environments
    num_envs: int
    length: int  # steps per rollout
    minibatch: int
    epochs: int
    learning_rate: float
    gamma: float
    lam: float
    clip: float = 0.2
    entropy: float = 0.0
    value: float = 0.5
    max_norm: float = 0.5
    width: int = 64
    relu: bool = False  # activation of the hidden layers if observations are not pictures, or tanh
    log_std: float = 0.0  # initial logarithm of the policy's standard deviation
    normalizes: bool = False  # whether observations and rewards are normalized


SETTINGS = {
    "CartPole-v1": Settings(
        steps=100_000,
        num_envs=8,
        length=32,
        minibatch=256,
        epochs=20,
        learning_rate=1e-3,
        gamma=0.98,
        lam=0.8,
    ),
    "Pong-v5": Settings(
        steps=2_500_000,
        num_envs=8,
        length=128,
        minibatch=256,
        epochs=4,
        learning_rate=5e-4,
        gamma=0.99,
        lam=0.95,
        clip=0.1,
        entropy=0.01,
        width=256,
    ),
    "MPE-SimpleSpread-v3": Settings(
        steps=600_000,
        num_envs=64,
        length=50,
        minibatch=2_400,
        epochs=10,
        learning_rate=7e-4,
        gamma=0.99,
        lam=0.95,
        entropy=0.01,
        max_norm=10.0,
    ),
    # As RL Baselines3 Zoo's hyperparameters of HalfCheetah-v4, except that 8 environments take 64
    # steps each instead of one that takes 512, and that the learning rate decreases to 0.
    "HalfCheetah-v5": Settings(
        steps=1_000_000,
        num_envs=8,
        length=64,
        minibatch=64,
        epochs=20,
        learning_rate=4e-5,
        gamma=0.98,
        lam=0.92,
        clip=0.1,
        entropy=0.0004,
        value=0.58,
        max_norm=0.8,
        width=256,
        relu=True,
        log_std=-2.0,
        normalizes=True,
    ),
}


def layer(made: Any, gain: float = 2**0.5) -> Any:
    """Initializes a layer with orthogonal weights and no bias."""
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


class ActorCritic(nn.Module):
    """A policy and a value function; for pictures they share the convolutions.

    The convolutions are those of the first DQN paper (https://arxiv.org/abs/1312.5602).
    """

    def __init__(self, envs: Any, width: int, *, relu: bool = False, log_std: float = 0.0) -> None:
        super().__init__()
        shape, action = envs.single_observation_space.shape, envs.single_action_space
        self.discrete = isinstance(action, gymnasium.spaces.Discrete)
        outputs = int(action.n) if self.discrete else int(np.prod(action.shape))
        self.pixels = len(shape) == 3
        self.bfloat16 = False  # whether the convolutions compute with 16 bits
        if self.pixels:
            self.body = nn.Sequential(
                layer(nn.Conv2d(shape[0], 16, 8, stride=4)),
                nn.ReLU(),
                layer(nn.Conv2d(16, 32, 4, stride=2)),
                nn.ReLU(),
                nn.Flatten(),
                layer(nn.Linear(32 * 9 * 9, width)),
                nn.ReLU(),
            )
            self.actor: Any = layer(nn.Linear(width, outputs), 0.01)
            self.critic: Any = layer(nn.Linear(width, 1), 1.0)
        else:
            self.body = nn.Identity()
            activation = nn.ReLU if relu else nn.Tanh

            def network(size: int, gain: float) -> nn.Module:
                return nn.Sequential(
                    layer(nn.Linear(shape[0], width)),
                    activation(),
                    layer(nn.Linear(width, width)),
                    activation(),
                    layer(nn.Linear(width, size), gain),
                )

            self.actor = network(outputs, 0.01)
            self.critic = network(1, 1.0)
        self.log_std = nn.Parameter(torch.full((outputs,), log_std))

    def forward(self, seen: torch.Tensor) -> tuple[Distribution, torch.Tensor]:
        """Returns the distribution of actions, and values (n,), of observations (n, ...)."""
        if self.pixels:
            # The division takes half the time with 16 bits, and gives the same numbers.
            dtype = torch.bfloat16 if self.bfloat16 else torch.float32
            with torch.autocast(seen.device.type, torch.bfloat16, enabled=self.bfloat16):
                features = self.body(seen.to(dtype) / 255.0).float()
        else:
            features = self.body(seen.float())
        output = self.actor(features)
        if self.discrete:
            chosen: Distribution = Categorical(logits=output)
        else:
            chosen = Independent(Normal(output, self.log_std.exp().expand_as(output)), 1)
        return chosen, self.critic(features).squeeze(-1)


class Checkpoint:
    """A file from which a run continues.

    Args:
        path: the file.
        run: the run, whose learning curve is a part of it.
        seconds: time between two writings.
    """

    def __init__(self, path: Path, run: Run, seconds: float = 10.0) -> None:
        self._path, self._run, self._seconds = path, run, seconds
        self._written = run.seconds

    def load(self, envs: Any, parts: dict[str, Any]) -> int:
        """Continues from the file, if it exists; returns the number of steps that were taken.

        Args:
            envs: the pool.
            parts: what else has a state, by name.
        """
        state = load_checkpoint(self._path)
        if state is None:
            return 0
        envs.load(io.BytesIO(state["envs"]))
        for name, part in parts.items():
            part.load_state_dict(state[name])
        torch.set_rng_state(state["random"])
        self._run.set_state(state["run"])
        self._written = self._run.seconds
        return int(state["steps"])

    def save_if_due(self, envs: Any, parts: dict[str, Any], steps: int) -> None:
        """Writes the file if enough time has passed: whenever killed, all of it or nothing."""
        if self._run.seconds - self._written < self._seconds:
            return
        pool = io.BytesIO()
        envs.save(pool)
        state = {name: part.state_dict() for name, part in parts.items()}
        state |= {
            "envs": pool.getvalue(),
            "random": torch.get_rng_state(),
            "run": self._run.get_state(),
            "steps": steps,
        }
        save_checkpoint(self._path, state)
        self._written = self._run.seconds


class Normalizer:
    """Mean and variance of all rows so far."""

    def __init__(self, shape: tuple[int, ...], device: str | torch.device = "cpu") -> None:
        self.mean = torch.zeros(shape, dtype=torch.float64, device=device)
        self.square = torch.ones(shape, dtype=torch.float64, device=device)
        self.count = 1e-4

    def update(self, rows: torch.Tensor) -> None:
        """Adds rows, (n, *shape)."""
        rows = rows.double()
        total = self.count + len(rows)
        share = len(rows) / total
        delta = rows.mean(0) - self.mean
        self.square += share * (rows.var(0, unbiased=False) - self.square + (1 - share) * delta**2)
        self.mean += share * delta
        self.count = total

    def state_dict(self) -> dict[str, Any]:
        """Returns all numbers."""
        return {"mean": self.mean, "square": self.square, "count": self.count}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues with these numbers."""
        self.mean, self.square, self.count = state["mean"], state["square"], state["count"]

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        """Returns rows with mean 0 and variance 1, clipped to [-10, 10]."""
        scaled = (rows - self.mean) / (self.square + 1e-8).sqrt()
        return scaled.clamp(-10, 10).float()


class RewardScale:
    """Divides rewards by the standard deviation of the discounted sums so far."""

    def __init__(self, num_envs: int, gamma: float) -> None:
        self._sums = torch.zeros(num_envs, dtype=torch.float64)
        self._spread = Normalizer(())
        self._gamma = gamma

    def state_dict(self) -> dict[str, Any]:
        """Returns all numbers."""
        return {"sums": self._sums, "spread": self._spread.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues with these numbers."""
        self._sums = state["sums"]
        self._spread.load_state_dict(state["spread"])

    def __call__(self, rollout: Rollout) -> None:
        """Scales the rewards of a rollout in place."""
        for t in range(rollout.length):
            self._sums = self._sums * self._gamma + rollout.rewards[t]
            self._spread.update(self._sums)
            self._sums[rollout.terminated[t] | rollout.truncated[t]] = 0
        rollout.rewards /= float((self._spread.square + 1e-8).sqrt())
        rollout.rewards.clamp_(-10, 10)


class PPO:
    """The learner."""

    def __init__(self, model: Any, settings: Settings, updates: int) -> None:
        self.model = model
        self.settings = settings
        self.optimizer = torch.optim.Adam(model.parameters(), settings.learning_rate, eps=1e-5)
        self.schedule = torch.optim.lr_scheduler.LinearLR(self.optimizer, 1.0, 0.0, max(updates, 1))

    def learn(self, rollout: Rollout, look: Callable[[Any], torch.Tensor]) -> None:
        """Improves the policy on a full rollout.

        Args:
            rollout: a full rollout with columns "log_probs" and "values".
            look: function that converts observations to the model's input.
        """

        def value_of(observations: Any) -> Any:
            return self.model(look(observations))[1]

        settings = self.settings
        with torch.no_grad():
            advantages, returns = rollout.gae(value_of, gamma=settings.gamma, lam=settings.lam)
        # A rollout is on the CPU. It is copied to the model's device once.
        device = next(self.model.parameters()).device
        flat = {name: column.to(device) for name, column in rollout.flat().items()}
        advantages, returns = (each.reshape(-1).to(device) for each in (advantages, returns))
        rows = flat["valid"].nonzero().squeeze(-1)
        self.begin(advantages[rows])
        for _ in range(settings.epochs):
            for batch in rows[torch.randperm(len(rows)).to(device)].split(settings.minibatch):
                # index_select copies whole rows; an index in brackets copies byte by byte.
                observations = flat["observations"].index_select(0, batch)
                chosen, values = self.model(look(observations))
                ratio = (chosen.log_prob(flat["actions"][batch]) - flat["log_probs"][batch]).exp()
                gain = self.normalized(advantages[batch])
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
                value_loss = 0.5 * (values - returns[batch]).square().mean()
                loss = policy_loss + settings.value * value_loss
                loss = loss - settings.entropy * chosen.entropy().mean()
                self.step(loss)
        self.schedule.step()

    def begin(self, advantages: torch.Tensor) -> None:
        """Called with the advantages of a rollout before its minibatches. Does nothing."""

    def normalized(self, gain: torch.Tensor) -> torch.Tensor:
        """Returns the advantages of a minibatch with mean 0 and standard deviation 1."""
        return (gain - gain.mean()) / (gain.std() + 1e-8) if len(gain) > 1 else gain

    def step(self, loss: torch.Tensor) -> None:
        """Makes a step of the optimizer."""
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.max_norm)
        self.optimizer.step()


def updates_of(settings: Settings, steps: int) -> int:
    """Returns the number of rollouts of a run of about `steps` steps."""
    return max(steps // (settings.num_envs * settings.length), 1)


def train(
    envs: Any,
    model: ActorCritic,
    settings: Settings,
    steps: int,
    seed: int,
    episodes_ended: Callable[[int, Sequence[float]], object],
    checkpoint: Checkpoint | None = None,
) -> Callable[[Any], torch.Tensor]:
    """Trains a model.

    Args:
        envs: the environments, which record the returns of episodes.
        model: the policy and the value function, on their device.
        settings: hyperparameters.
        steps: about the number of steps, over all environments.
        seed: seed of the environments.
        episodes_ended: called after each rollout with the number of steps so far and the returns of
            the episodes that ended in it.
        checkpoint: from which to continue, and which is written from time to time.

    Returns:
        A function that converts observations to the model's input.
    """
    device = model.log_std.device
    updates = updates_of(settings, steps)
    learner = PPO(model, settings, updates)
    rollout = Rollout(envs, settings.length, framework="torch", seed=seed)
    normalizer = Normalizer(envs.single_observation_space.shape or (), device)
    scale = RewardScale(envs.num_envs, settings.gamma)

    def look(seen: Any) -> Any:
        seen = seen.to(device)
        return normalizer(seen) if settings.normalizes else seen

    bounds = None
    if not model.discrete:
        space: Any = envs.single_action_space
        bounds = torch.tensor(space.low, device=device), torch.tensor(space.high, device=device)

    done = 0
    parts = {
        "model": model,
        "optimizer": learner.optimizer,
        "schedule": learner.schedule,
        "normalizer": normalizer,
        "scale": scale,
        "rollout": rollout,
    }
    if checkpoint is not None:
        done = checkpoint.load(envs, parts)
    while done < updates * settings.num_envs * settings.length:
        for t in rollout:
            with torch.no_grad():
                chosen, values = model(look(rollout.obs))
                actions = chosen.sample()
                log_probs = chosen.log_prob(actions)
            if bounds is None:
                rollout.act(actions, log_probs=log_probs, values=values)
            else:
                # The environments get clipped actions; the learner uses the unclipped actions.
                rollout.act(actions.clamp(*bounds), log_probs=log_probs, values=values)
                rollout.actions[t] = actions
            done += settings.num_envs
        episodes_ended(done, rollout.episode_returns)
        if settings.normalizes:
            scale(rollout)
        learner.learn(rollout, look)
        if settings.normalizes:
            normalizer.update(rollout.flat()["observations"].to(device))
        if checkpoint is not None:
            checkpoint.save_if_due(envs, parts, done)
    return look


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this program."""
    parser.add_argument("--bfloat16", action="store_true", help="compute convolutions with 16 bits")
    parser.add_argument("--resume", type=Path, help="file to write to and to continue from")
    parser.add_argument("--save-every", type=float, default=10.0, help="seconds, with --resume")
    parser.add_argument("--device", default="cpu", help='of the network, such as "cuda"')


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run("ppo", tasks, (*ENGINES, "mpe2"), add_arguments=add_arguments)
    device: str = run.arguments.device
    settings = SETTINGS[run.task]
    torch.manual_seed(run.seed)
    envs = run.make(settings.num_envs)
    model = ActorCritic(envs, settings.width, relu=settings.relu, log_std=settings.log_std)
    model.bfloat16 = run.arguments.bfloat16
    model.to(device)
    path: Path | None = run.arguments.resume
    checkpoint = None if path is None else Checkpoint(path, run, run.arguments.save_every)
    train(envs, model, settings, run.steps, run.seed, run.episodes_ended, checkpoint)
    envs.close()
    steps = updates_of(settings, run.steps) * settings.num_envs * settings.length
    run.finish(
        steps, settings.num_envs, bfloat16=run.arguments.bfloat16, device=str(model.log_std.device)
    )


if __name__ == "__main__":
    main()
