"""Step rates with more threads than processors, and of two pools at once.

    python -m benchmarks.threads [TASK]...

Every configuration runs in this process for a short time, alternately with the others, for several
rounds. Prints medians and ratios: of 2 threads to 1, of 8 and 64 threads to 2, and of the sum of
two pools (each with half of the threads, and a separate thread that steps it) to one pool with all
threads.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import envpool_py
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench.worker import sample_actions

TASKS = ("Pong-v5", "HalfCheetah-v5", "CartPole-v1")
THREADS = (1, 2, 8, 64)
_ENVS = 64
_ROUNDS = 5


def measure(task: str, first_ready: bool, num_threads: int, seconds: float) -> float:
    """Returns the steps per second of one pool."""
    batch = _ENVS // 2 if first_ready else _ENVS
    pool: Any
    with envpool_py.make(
        task, num_envs=_ENVS, batch_size=batch, num_threads=num_threads, seed=0
    ) as pool:
        actions = sample_actions(pool.single_action_space, batch, 0)
        if first_ready:
            pool.async_reset()
        else:
            pool.reset()
        advance = answer(pool) if first_ready else pool.step
        for action in actions[:3]:
            advance(action)
        calls = 0
        start = time.perf_counter()
        while time.perf_counter() - start < seconds:
            advance(actions[calls % len(actions)])
            calls += 1
        return calls * batch / (time.perf_counter() - start)


def answer(pool: Any) -> Callable[[Any], None]:
    """Returns a function that receives a batch and sends the actions for it."""

    def advance(action: Any) -> None:
        pool.send(action, pool.recv()[4]["env_id"])

    return advance


def measure_two(task: str, first_ready: bool, seconds: float) -> float:
    """Returns the sum of the rates of two pools with one thread each, at the same time."""
    rates: list[float] = []

    def run() -> None:
        rates.append(measure(task, first_ready, 1, seconds))

    other = threading.Thread(target=run)
    other.start()
    run()
    other.join()
    return sum(rates)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads")
    parser.add_argument("tasks", nargs="*", default=TASKS, metavar="TASK")
    parser.add_argument("--seconds", type=float, default=0.4, help="of one measurement")
    parser.add_argument("--rounds", type=int, default=_ROUNDS)
    arguments = parser.parse_args(argv)
    table = Table(title=f"{_ENVS} environments", title_justify="left", box=box.SIMPLE_HEAD)
    ratios = ("2 : 1", "8 : 2", "64 : 2", "two pools : one")
    for column in ("task", "mode", *(f"{n} threads" for n in THREADS), "two pools", *ratios):
        table.add_column(column, justify="right", no_wrap=True)
    for task in arguments.tasks:
        for first_ready in (False, True):
            with contextlib.suppress(ImportError):
                table.add_row(*_row(task, first_ready, arguments.seconds, arguments.rounds))
    Console(width=200).print(table)
    return 0


def _row(task: str, first_ready: bool, seconds: float, rounds: int) -> list[str]:
    samples: dict[Any, list[float]] = {}
    for _ in range(rounds):
        for threads in THREADS:
            rate = measure(task, first_ready, threads, seconds)
            samples.setdefault(threads, []).append(rate)
        samples.setdefault("two", []).append(measure_two(task, first_ready, seconds))
    medians = {key: statistics.median(values) for key, values in samples.items()}
    one, two = medians[1], medians[2]
    ratios = (two / one, medians[8] / two, medians[64] / two, medians["two"] / two)
    return [
        task,
        "first-ready" if first_ready else "ordered",
        *(format_rate(medians[key]) for key in (*THREADS, "two")),
        *(f"{ratio:.2f}" for ratio in ratios),
    ]


if __name__ == "__main__":
    sys.exit(main())
