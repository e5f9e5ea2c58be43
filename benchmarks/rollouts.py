"""Collecting a rollout: in place, and with the loop of CleanRL's scripts, on the same pools.

    python -m benchmarks.rollouts [--case "Pong-v5, 64 envs"] [--rounds 3] [--json FILE]

Both sample actions with the same small policy in PyTorch, on one thread. Rounds alternate. Each
case is measured twice: with the policy, and with actions made beforehand, which shows the cost of
the loop alone.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.distributions import Categorical

import envpool_py
from benchmarks import records
from envpool_py.rollout import Rollout


@dataclass(frozen=True)
class Case:
    """A task, a number of environments and the length of a rollout."""

    task: str
    num_envs: int
    length: int
    rollouts: int  # per measurement

    @property
    def name(self) -> str:
        """Name in the tables."""
        return f"{self.task}, {self.num_envs} envs"


CASES = [
    Case("Pong-v5", 64, 32, 2),
    Case("Pong-v5", 8, 128, 2),
    Case("CartPole-v1", 8, 128, 8),
    Case("CartPole-v1", 256, 128, 4),
    Case("CartPole-v1", 4096, 32, 4),
    Case("MiniGrid-Empty-5x5-v0", 64, 128, 2),
]


class Policy(nn.Module):
    """A policy with one strided convolution for pictures, or with one hidden layer."""

    def __init__(self, shape: tuple[int, ...], actions: int) -> None:
        super().__init__()
        self.pixels = len(shape) == 3
        if self.pixels:
            self.body = nn.Sequential(
                nn.Conv2d(shape[0], 4, 12, stride=12), nn.ReLU(), nn.Flatten()
            )
            width = 4 * 7 * 7
        else:
            width = 32
            self.body = nn.Sequential(nn.Linear(shape[0], width), nn.Tanh())
        self.actor = nn.Linear(width, actions)
        self.critic = nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor) -> Any:
        """Returns sampled actions, log-probabilities and values."""
        features = self.body(seen.float() / 255.0 if self.pixels else seen.float())
        chosen = Categorical(logits=self.actor(features))
        actions = chosen.sample()
        return actions, chosen.log_prob(actions), self.critic(features).squeeze(-1)


def observation_of(observations: Any) -> Any:
    """Returns the part of the observations that the policy gets."""
    return (
        observations["direction"].unsqueeze(-1) if isinstance(observations, dict) else observations
    )


def cleanrl(case: Case, act: Callable[[Any], Any]) -> Callable[[], None]:
    """The loop of CleanRL's PPO scripts; it copies results to columns on the learner's device."""
    envs = envpool_py.make(case.task, num_envs=case.num_envs)
    space = envs.single_observation_space
    is_dict = hasattr(space, "spaces")
    shape: Any = (1,) if is_dict else space.shape
    columns = (case.length, case.num_envs)
    device = torch.device("cpu")
    obs = torch.zeros(columns + shape).to(device)
    actions = torch.zeros(columns).to(device)
    logprobs = torch.zeros(columns).to(device)
    rewards = torch.zeros(columns).to(device)
    dones = torch.zeros(columns).to(device)
    values = torch.zeros(columns).to(device)

    def seen(given: Any) -> Any:
        return torch.Tensor(given["direction"][:, None] if is_dict else given).to(device)

    state = {"obs": seen(envs.reset(seed=0)[0]), "done": torch.zeros(case.num_envs)}

    def collect() -> None:
        next_obs, next_done = state["obs"], state["done"]
        for step in range(case.length):
            obs[step] = next_obs
            dones[step] = next_done
            with torch.no_grad():
                action, logprob, value = act(next_obs)
                values[step] = value.flatten()
            actions[step] = action
            logprobs[step] = logprob
            given, reward, terminations, truncations, _ = envs.step(action.cpu().numpy())
            rewards[step] = torch.tensor(reward).to(device).view(-1)
            next_obs = seen(given)
            next_done = torch.Tensor(terminations | truncations).to(device)
        state["obs"], state["done"] = next_obs, next_done

    return collect


def in_place(case: Case, act: Callable[[Any], Any]) -> Callable[[], None]:
    """The loop of a `Rollout`."""
    envs = envpool_py.make(case.task, num_envs=case.num_envs)
    rollout = Rollout(envs, case.length, framework="torch", seed=0)

    def collect() -> None:
        for _ in rollout:
            with torch.no_grad():
                action, log_prob, value = act(observation_of(rollout.obs))
            rollout.act(action, log_probs=log_prob, values=value)

    return collect


def policy_of(case: Case) -> Policy:
    """Returns the policy, which is the same for both loops."""
    torch.manual_seed(0)
    spec = envpool_py.make_spec(case.task)
    space: Any = spec.observation_space
    shape = (1,) if hasattr(space, "spaces") else space.shape
    return Policy(shape, int(spec.action_space.n))  # type: ignore[attr-defined]


def constant(case: Case) -> Callable[[Any], Any]:
    """Returns a function with actions made beforehand."""
    made = torch.zeros(case.num_envs, dtype=torch.int64), torch.zeros(case.num_envs)
    return lambda _: (made[0], made[1], made[1])


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """Returns the microseconds per step, medians of alternating rounds."""
    steps = case.length * case.rollouts
    result: dict[str, Any] = {"case": case.name}
    for label, act in (("policy", policy_of(case)), ("no policy", constant(case))):
        loops = {"cleanrl": cleanrl(case, act), "in place": in_place(case, act)}
        times: dict[str, list[float]] = {name: [] for name in loops}
        for _ in range(rounds + 1):
            for name, collect in loops.items():
                began = time.perf_counter()
                for _ in range(case.rollouts):
                    collect()
                times[name].append((time.perf_counter() - began) / steps * 1e6)
        medians = {name: statistics.median(taken[1:]) for name, taken in times.items()}
        result[label] = {
            **{name: round(value, 2) for name, value in medians.items()},
            "ratio": round(medians["cleanrl"] / medians["in place"], 3),
        }
    return result


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--case", choices=[case.name for case in CASES])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    torch.set_num_threads(1)
    chosen = [case for case in CASES if given.case in (None, case.name)]
    results = []
    print(f"{'microseconds a step':32} {'CleanRL':>10} {'in place':>10} {'ratio':>7}")
    for case in chosen:
        results.append(measure(case, given.rounds))
        for label in ("policy", "no policy"):
            row = results[-1][label]
            print(
                f"{case.name + ', ' + label:32} {row['cleanrl']:10.1f} {row['in place']:10.1f} "
                f"{row['ratio']:6.2f}x",
                flush=True,
            )
    if given.json is not None:
        versions = {"envpool_py": envpool_py.__version__, "torch": torch.__version__}
        record = {"results": results, "versions": versions, "python": platform.python_version()}
        records.write(given.json, record)


if __name__ == "__main__":
    main()
