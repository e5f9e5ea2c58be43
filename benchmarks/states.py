"""Sizes of saved states, and the time to save and load one: `python -m benchmarks.states`."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
from rich.console import Console

import envpool_py
from benchmarks.tables import make_table

TASKS = (
    "CartPole-v1",
    "FrozenLake-v1",
    "LunarLander-v3",
    "CarRacing-v3",
    "MiniGrid-DoorKey-8x8-v0",
    "BabyAI-BossLevel-v0",
    "HalfCheetah-v5",
    "Ant-v5",
    "Humanoid-v5",
    "CheetahRun-v1",
    "DogRun-v1",
    "Pong-v5",
)
NUM_ENVS = 16


def microseconds(call: Callable[[], Any], seconds: float) -> float:
    """Returns the median time of `call`, per environment."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) / NUM_ENVS * 1e6


def row_of(title: str, pool: Any, seconds: float) -> tuple[str, str, str, str]:
    """Returns the row of a pool, after some steps."""
    with pool:
        pool.reset(seed=0)
        for _ in range(20):
            pool.step(pool.action_space.sample())
        states = pool.save_states()
        size = statistics.mean(map(len, states))
        saving = microseconds(pool.save_states, seconds)
        loading = microseconds(lambda: pool.load_states(states), seconds)
    return title, f"{size:,.0f}", f"{saving:,.1f}", f"{loading:,.1f}"


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.states")
    parser.add_argument("--seconds", type=float, default=0.5, help="of one measurement")
    given = parser.parse_args(argv)
    table = make_table(f"Saved states, {NUM_ENVS} environments")
    for column in ("bytes", "save, us", "load, us"):
        table.add_column(column, justify="right")
    for task_id in TASKS:
        pool = envpool_py.make(task_id, num_envs=NUM_ENVS)
        table.add_row(*row_of(task_id, pool, given.seconds))
    for workers in (0, 2):
        pool = envpool_py.make_python(
            lambda: gymnasium.make("CartPole-v1"), NUM_ENVS, num_workers=workers
        )
        where = f"{workers} workers" if workers else "in the calling thread"
        table.add_row(*row_of(f"CartPole-v1 in Python, {where}", pool, given.seconds))
    Console().print(table)
    return 0


if __name__ == "__main__":
    main()
