"""Steps per second of a policy on a device, with tensors of `TorchPool` and with copies by hand.

    python -m benchmarks.torch_device [TASK]... [--device cuda] [--json FILE]

The policy is a small network: the convolutions of the DQN paper for pictures, two layers of 256 for
vectors. Both participants use the same pool settings, in first-ready mode, and take turns:

- "TorchPool": the pool writes into page-locked memory, which a stream copies while environments are
  stepped.
- "by hand": `torch.as_tensor(observations).to(device)` for each batch of a plain pool.
- "no policy": actions prepared beforehand, the observations are not copied. The limit of both.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich import box
from rich.console import Console
from rich.table import Table
from torch import nn

import envpool_py
from benchmarks import records
from envpool_py.cli.bench.report import format_rate
from envpool_py.pool import core
from envpool_py.torch import TorchPool

TASKS = ("Pong-v5", "CartPole-v1")
_ENVS_PER_THREAD = 16
_HIDDEN = 256

Advance = Callable[[], Any]
"""Receives a batch and sends its actions."""


def network(shape: tuple[int, ...], actions: int) -> nn.Module:
    """Returns the policy for observations of this shape."""
    if len(shape) == 3:
        body: list[nn.Module] = [
            nn.Conv2d(shape[0], 32, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2),
            nn.ReLU(),
            nn.Conv2d(64, 64, 3, stride=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.LazyLinear(512),
            nn.ReLU(),
        ]
    else:
        body = [nn.Flatten(), nn.LazyLinear(_HIDDEN), nn.Tanh(), nn.LazyLinear(_HIDDEN), nn.Tanh()]
    return nn.Sequential(*body, nn.LazyLinear(actions))


def participants(task: str, device: str) -> tuple[dict[str, Advance], list[Any]]:
    """Returns what advances each participant by a batch, and the pools to close."""
    envs = core.system_info()["default_num_threads"] * _ENVS_PER_THREAD
    made: list[Any] = [
        envpool_py.make(task, num_envs=envs, batch_size=envs // 2, seed=0) for _ in range(3)
    ]
    made[0] = TorchPool(made[0], device)
    space = made[1].single_observation_space
    torch.manual_seed(0)
    net = network(space.shape, int(made[1].single_action_space.n)).to(device)

    def act(observations: torch.Tensor) -> torch.Tensor:
        values = observations.to(torch.float32)
        if observations.dtype == torch.uint8:
            values = values / 255
        with torch.no_grad():
            return net(values).argmax(-1)

    fixed = np.zeros(envs // 2, np.int64)
    for pool in made:
        pool.async_reset()

    def pooled() -> None:
        observations, _, _, _, infos = made[0].recv()
        made[0].send(act(observations), infos["env_id"])

    def by_hand() -> None:
        observations, _, _, _, infos = made[1].recv()
        actions = act(torch.as_tensor(observations).to(device))
        made[1].send(actions.cpu().numpy(), infos["env_id"])

    def no_policy() -> None:
        infos = made[2].recv()[4]
        made[2].send(fixed, infos["env_id"])

    return {"TorchPool": pooled, "by hand": by_hand, "no policy": no_policy}, made


def measure(task: str, device: str, seconds: float, rounds: int) -> dict[str, float]:
    """Returns the steps per second of each participant: medians of the rounds."""
    advances, made = participants(task, device)
    batch = made[1].batch_size
    rates: dict[str, list[float]] = {name: [] for name in advances}
    for turn in range(rounds + 1):  # the first is a warm-up
        for name, advance in advances.items():
            calls, began = 0, time.perf_counter()
            while time.perf_counter() - began < (seconds if turn else seconds / 2):
                advance()
                calls += 1
            if torch.device(device).type == "cuda":
                torch.cuda.synchronize()
            if turn:
                rates[name].append(calls * batch / (time.perf_counter() - began))
    for pool in made:
        pool.close()
    return {name: statistics.median(each) for name, each in rates.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures, prints a table, and writes the record."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("task", nargs="*", default=TASKS, metavar="TASK")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seconds", type=float, default=1.0, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args(arguments)
    table = Table(title=f"Steps per second, policy on {given.device}", box=box.SIMPLE_HEAD)
    table.add_column("task")
    cases = {}
    for task in given.task:
        cases[task] = measure(task, given.device, given.seconds, given.rounds)
        if not table.row_count:
            for name in cases[task]:
                table.add_column(name, justify="right")
        table.add_row(task, *(format_rate(rate) for rate in cases[task].values()))
    Console().print(table)
    if given.json is not None:
        on_gpu = torch.device(given.device).type == "cuda"
        record = {
            "device": torch.cuda.get_device_name() if on_gpu else given.device,
            "steps_per_s": cases,
            "versions": {"torch": torch.__version__, "python": platform.python_version()},
        }
        records.write(given.json, record)
    return 0


if __name__ == "__main__":
    sys.exit(main())
