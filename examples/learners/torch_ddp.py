"""PPO in several processes, with a pool each: data-parallel learners, started by torchrun.

    torchrun --nproc-per-node 2 examples/learners/torch_ddp.py --task CartPole-v1
    torchrun --nproc-per-node 2 --max-restarts 3 examples/learners/torch_ddp.py --checkpoint FILE
    python examples/learners/torch_ddp.py    # one process

The environments, the rollouts and the minibatches of one process are divided among the ranks. The
gradients are averaged, advantages are normalized with the mean and the standard deviation over all
ranks, and after each step of the optimizer the ranks check that their parameters are equal. Except
for the order of random numbers, the number of ranks thus changes only the speed.

If a rank dies, torchrun restarts all ranks, and they continue from the latest checkpoint with new
pools.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch.nn.parallel import DistributedDataParallel

import envpool_py
from envpool_py.rollout import Rollout
from envpool_py.torch.data_parallel import (
    EqualityCheck,
    Ranks,
    digest,
    load_checkpoint,
    save_checkpoint,
)
from learning import Run
from torch_ppo import PPO, ActorCritic, Settings

# Totals over all ranks.
SETTINGS = {
    "CartPole-v1": Settings(200_000, 64, 64, 2_048, 10, 2e-3, 0.98, 0.9, width=256),
    "Pong-v5": Settings(
        10_000_000, 16, 128, 512, 4, 2.5e-4, 0.99, 0.95, clip=0.1, entropy=0.01, width=256
    ),
}


class DataParallelPPO(PPO):
    """PPO with averaged gradients, and with advantages normalized over all ranks."""

    def __init__(
        self, model: Any, settings: Settings, updates: int, ranks: Ranks, check_every: int
    ) -> None:
        super().__init__(model, settings, updates)
        self.ranks = ranks
        self.check_every = check_every
        self.check: EqualityCheck | None = None
        self.steps = 0
        self.mean, self.deviation = 0.0, 1.0  # of the rollouts' advantages, over all ranks

    def begin(self, advantages: torch.Tensor) -> None:
        """Computes the mean and the standard deviation of the advantages of all ranks."""
        sums = torch.stack([advantages.sum(), advantages.square().sum()]).double()
        sums = self.ranks.sums(sums.to(self.ranks.device))
        count = len(advantages) * self.ranks.size
        mean = sums[0] / count
        deviation = ((sums[1] - count * mean.square()) / max(count - 1, 1)).clamp(min=0).sqrt()
        self.mean, self.deviation = float(mean), float(deviation)

    def normalized(self, gain: torch.Tensor) -> torch.Tensor:
        """Returns the advantages of a minibatch, normalized with the statistics of all ranks.

        Uses the statistics of the whole rollout, so that minibatches need no communication.
        """
        return (gain - self.mean) / (self.deviation + 1e-8)

    def step(self, loss: torch.Tensor) -> None:
        """Makes a step of the optimizer, and starts a check of the parameters.

        The next step waits for the other ranks, whose hashes have then arrived.
        """
        super().step(loss)
        self.finish_check()
        self.steps += 1
        if self.check_every and self.steps % self.check_every == 0:
            self.check = self.ranks.start_check(self.model.parameters())

    def finish_check(self) -> None:
        """Waits for the check of the latest step."""
        if self.check is not None:
            self.check.finish()
            self.check = None


class WaitingPPO(PPO):
    """PPO of a rank that learns alone, but waits for the other ranks at each optimizer step."""

    def __init__(self, model: Any, settings: Settings, updates: int, ranks: Ranks) -> None:
        super().__init__(model, settings, updates)
        self.ranks = ranks

    def step(self, loss: torch.Tensor) -> None:
        """Makes a step of the optimizer, and waits."""
        super().step(loss)
        self.ranks.wait()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this program."""
    parser.add_argument("--checkpoint", type=Path, help="file; the run goes on from it")
    parser.add_argument("--checkpoint-every", type=int, default=10, help="updates")
    parser.add_argument("--check-every", type=int, default=1, help="optimizer steps; 0: never")
    parser.add_argument(
        "--alone",
        nargs="?",
        const="free",
        choices=("free", "waiting"),
        help="each rank learns its part alone, to compare speeds; waiting: but the ranks wait for "
        "each other at each optimizer step",
    )


def say(line: str) -> None:
    """Prints a line with one write, so that lines of other ranks do not mix with it."""
    print(f"{line}\n", end="", flush=True)


class Training:
    """The state of a run in one rank, and its checkpoints."""

    def __init__(self, run: Run, ranks: Ranks) -> None:
        self.run, self.ranks = run, ranks
        self.alone: bool = run.arguments.alone is not None
        self.total = SETTINGS[run.task]
        self.settings = replace(
            self.total,
            num_envs=ranks.share(self.total.num_envs, "environments"),
            minibatch=ranks.share(self.total.minibatch, "rows of a minibatch"),
        )
        self.rows = self.total.num_envs * self.total.length  # of an update, over all ranks
        self.updates = max(run.steps // self.rows, 1)
        self.envs = envpool_py.make(
            run.task,
            num_envs=self.settings.num_envs,
            num_threads=1,
            autoreset_mode="SameStep",  # all rows are valid, so each rank has the same number
            record_episode_statistics=True,
        )
        torch.manual_seed(run.seed)  # the same model in all ranks
        self.model = ActorCritic(self.envs, self.total.width).to(ranks.device)
        # Discrete actions do not use `log_std`, and DDP would wait for its gradient.
        self.model.log_std.requires_grad_(not self.model.discrete)
        self.learner = self._learner()
        self.update = self._resume()

    def _learner(self) -> PPO:
        if self.run.arguments.alone == "waiting":
            return WaitingPPO(self.model, self.settings, self.updates, self.ranks)
        if self.alone:
            return PPO(self.model, self.settings, self.updates)
        return DataParallelPPO(
            DistributedDataParallel(self.model),
            self.settings,
            self.updates,
            self.ranks,
            self.run.arguments.check_every,
        )

    def _resume(self) -> int:
        """Loads the checkpoint, if there is one; returns its number of updates."""
        path: Path | None = self.run.arguments.checkpoint
        state = None if path is None else load_checkpoint(path, self.ranks.device)
        self.ranks.wait()  # all ranks must read this checkpoint before one writes the next
        if state is None:
            return 0
        self.model.load_state_dict(state["model"])
        self.learner.optimizer.load_state_dict(state["optimizer"])
        self.learner.schedule.load_state_dict(state["schedule"])
        self.run.set_state(state["run"])
        return int(state["update"])

    def save(self) -> None:
        """Writes a checkpoint, in rank 0."""
        if self.ranks.rank != 0:
            return
        save_checkpoint(
            self.run.arguments.checkpoint,
            {
                "update": self.update,
                "model": self.model.state_dict(),
                "optimizer": self.learner.optimizer.state_dict(),
                "schedule": self.learner.schedule.state_dict(),
                "run": self.run.get_state(),
            },
        )
        say(f"checkpoint of update {self.update}")

    def rollout(self) -> Rollout:
        """Returns a rollout of new episodes, whose seeds depend on the update and the rank."""
        first = self.run.seed + self.update * self.total.num_envs
        torch.manual_seed(first * self.ranks.size + self.ranks.rank)
        seed = self.ranks.first_seed(first, self.settings.num_envs)
        return Rollout(self.envs, self.settings.length, framework="torch", seed=seed)

    def fill(self, rollout: Rollout) -> None:
        """Makes the steps of an update."""
        for _ in rollout:
            with torch.no_grad():
                chosen, values = self.model(self.look(rollout.obs))
                actions = chosen.sample()
            rollout.act(actions, log_probs=chosen.log_prob(actions), values=values)

    def look(self, observations: Any) -> torch.Tensor:
        """Returns observations on the device of the model."""
        seen: torch.Tensor = observations.to(self.ranks.device)
        return seen


def train(run: Run, ranks: Ranks) -> None:
    """Trains, and writes the record in rank 0."""
    training = Training(run, ranks)
    say(
        f"rank {ranks.rank} of {ranks.size}: process {os.getpid()}, restart {ranks.restarts}, "
        f"from update {training.update}"
    )
    resumed_at, every = training.update, run.arguments.checkpoint_every
    rollout = training.rollout()
    ranks.wait()
    began = time.perf_counter()
    while training.update < training.updates:
        training.fill(rollout)
        training.learner.learn(rollout, training.look)
        if isinstance(training.learner, DataParallelPPO):
            training.learner.finish_check()
        training.update += 1
        returns = [rollout.episode_returns]
        if not training.alone:
            returns = ranks.gathered(rollout.episode_returns)
        run.episodes_ended(training.update * training.rows, chain.from_iterable(returns))
        if run.arguments.checkpoint and training.update % every == 0:
            training.save()
    seconds = time.perf_counter() - began
    training.envs.close()
    rates = ranks.gathered((training.update - resumed_at) * training.rows / ranks.size / seconds)
    hashes = ranks.gathered(int(digest(training.model.parameters())))
    if ranks.rank == 0:
        run.finish(
            training.update * training.rows,
            training.total.num_envs,
            ranks=ranks.size,
            alone=training.alone,
            steps_per_s=round(sum(rates)),
            restarts=ranks.restarts,
            resumed_at=resumed_at,
            parameters=hashes,
        )


def main() -> None:
    """Trains."""
    torch.set_num_threads(1)
    tasks = {task: settings.steps for task, settings in SETTINGS.items()}
    run = Run("ddp", tasks, ("envpool_py",), add_arguments)
    with Ranks() as ranks:
        run.shows = ranks.rank == 0
        train(run, ranks)


if __name__ == "__main__":
    main()
