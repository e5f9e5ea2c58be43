"""Steps per second of RLlib's runner and of PoolEnvRunner, measured alternately.

    python -m benchmarks.rllib_runner [--envs 64] [--seconds 3] [--rounds 5] [--task CartPole-v1]
        [--json FILE]

RLlib's runner steps Gymnasium's `SyncVectorEnv`, and a pool. All runners use PPO's default module.
One sample has 64 steps of each environment. The last column is a loop of only the module and the
pool, which samples actions but records nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

warnings.simplefilter("ignore")
from ray.rllib.algorithms.ppo import PPOConfig  # noqa: E402
from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner  # noqa: E402

import envpool_py  # noqa: E402
from benchmarks import records  # noqa: E402
from envpool_py.integrations.rllib import PoolEnvRunner  # noqa: E402

STEPS = 64  # steps of each environment in a sample


def runner_of(kind: type, task: str, num_envs: int, mode: str) -> Any:
    """Returns a runner in this process."""
    config = (
        PPOConfig()
        .environment(task)
        .env_runners(
            num_env_runners=0, num_envs_per_env_runner=num_envs, gym_env_vectorize_mode=mode
        )
        .debugging(seed=0, log_level="ERROR")
    )
    return kind(config=config, worker_index=0, num_workers=0)


def bare(task: str, num_envs: int) -> Callable[[], int]:
    """Returns a function that makes the steps of one sample, and records nothing."""
    runner = runner_of(PoolEnvRunner, task, num_envs, "sync")
    pool = envpool_py.make(task, num_envs=num_envs)
    distribution = runner.module.get_exploration_action_dist_cls()
    observations, _ = pool.reset(seed=0)

    def run() -> int:
        nonlocal observations
        for _ in range(STEPS):
            out = runner.module.forward_exploration({Columns.OBS: torch.from_numpy(observations)})
            actions = distribution.from_logits(out[Columns.ACTION_DIST_INPUTS]).sample()
            observations = pool.step(np.asarray(actions))[0]
        return STEPS * num_envs

    return run


def main() -> None:
    """Measures."""
    parser = argparse.ArgumentParser(description="Steps per second of RLlib's runners.")
    parser.add_argument("--task", default="CartPole-v1")
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each turn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    given = parser.parse_args()
    torch.set_num_threads(1)

    def sampling(kind: type, task: str, mode: str) -> Callable[[], int]:
        runner = runner_of(kind, task, given.envs, mode)

        def run() -> int:
            episodes = runner.sample(num_timesteps=STEPS * given.envs)
            runner.get_metrics()
            return sum(len(episode) for episode in episodes)

        return run

    pool_id = f"envpool_py:EnvPool/{given.task}"
    ways = {
        "RLlib, Gymnasium": sampling(SingleAgentEnvRunner, given.task, "sync"),
        "RLlib, pool": sampling(SingleAgentEnvRunner, pool_id, "vector_entry_point"),
        "PoolEnvRunner": sampling(PoolEnvRunner, given.task, "sync"),
        "bare loop": bare(given.task, given.envs),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for run in ways.values():
        run()  # warms up
    for _ in range(given.rounds):
        for name, run in ways.items():
            began, steps = time.perf_counter(), 0
            while time.perf_counter() - began < given.seconds:
                steps += run()
            rates[name].append(steps / (time.perf_counter() - began))
    median = {name: statistics.median(values) for name, values in rates.items()}
    first = rates["RLlib, Gymnasium"]
    for name, values in rates.items():
        ratio = statistics.median(a / b for a, b in zip(values, first, strict=True))
        print(f"{name:18} {median[name]:>9,.0f} steps/s  {ratio:5.2f}x")
    if given.json is not None:
        record = {
            "task": given.task,
            "num_envs": given.envs,
            "steps_per_s": {name: [round(rate) for rate in each] for name, each in rates.items()},
            "versions": {"envpool_py": envpool_py.__version__, "torch": torch.__version__},
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "load_at_end": round(os.getloadavg()[0], 1),
        }
        records.write(given.json, record)


if __name__ == "__main__":
    main()
