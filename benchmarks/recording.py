"""What the recording of `profile` costs: `python -m benchmarks.recording [TASK]...`.

Pools with and without recording take turns in the order A B B A. Prints the rate with recording
divided by that without, and, as a measure of the noise, that of the two turns without.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from rich.console import Console

import envpool_py
from benchmarks.tables import make_table
from benchmarks.threads import answer
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench.worker import sample_actions

TASKS = ("CartPole-v1", "HalfCheetah-v5", "Pong-v5")
_ENVS = 64


class Loop:
    """A pool with two threads, and the loop that steps it."""

    def __init__(self, task: str, first_ready: bool) -> None:
        self.batch_size = _ENVS // 2 if first_ready else _ENVS
        self.pool: Any = envpool_py.make(
            task, num_envs=_ENVS, batch_size=self.batch_size, num_threads=2, seed=0
        )
        self._actions = sample_actions(self.pool.single_action_space, self.batch_size, 0)
        self._advance = answer(self.pool) if first_ready else self.pool.step
        self._calls = 0
        if first_ready:
            self.pool.async_reset()
        else:
            self.pool.reset()

    def rate(self, seconds: float) -> float:
        """Returns steps per second."""
        actions, calls = self._actions, 0
        start = time.perf_counter()
        while (passed := time.perf_counter() - start) < seconds:
            self._advance(actions[(self._calls + calls) % len(actions)])
            calls += 1
        self._calls += calls
        return calls * self.batch_size / passed


def measure(task: str, first_ready: bool, seconds: float, rounds: int) -> tuple[float, ...]:
    """Returns the median rate without recording, and the two ratios."""
    loop = Loop(task, first_ready)
    loop.rate(seconds)
    without, costs, noise = [], [], []
    for _ in range(rounds):
        rates = []
        for recorded in (False, True, True, False):
            with loop.pool.profile() if recorded else contextlib.nullcontext():
                rates.append(loop.rate(seconds))
        a, b, c, d = rates
        without += [a, d]
        costs.append((b + c) / (a + d))
        noise.append(d / a)
    loop.pool.close()
    return statistics.median(without), statistics.median(costs), statistics.median(noise)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recording")
    parser.add_argument("tasks", nargs="*", default=TASKS, metavar="TASK")
    parser.add_argument("--seconds", type=float, default=0.25, help="of one turn")
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args(argv)
    table = make_table(f"{_ENVS} environments, 2 threads")
    for column in ("mode", "steps/s", "with recording : without", "without : without"):
        table.add_column(column, justify="right")
    for task in arguments.tasks:
        for first_ready in (False, True):
            rate, cost, noise = measure(task, first_ready, arguments.seconds, arguments.rounds)
            mode = "first-ready" if first_ready else "ordered"
            table.add_row(task, mode, format_rate(rate), f"{cost:.3f}", f"{noise:.3f}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
