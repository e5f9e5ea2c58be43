"""What it costs that the environments of a pool differ: `python -m benchmarks.env_options`.

Each row is the step rate of a pool whose environments differ, divided by that of pools whose
environments do not, which take turns with it. A pool of several tasks is compared with the harmonic
mean of the pools of its tasks: the rate of one thread that steps the same environments.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
from rich.console import Console

import envpool_py
from benchmarks.tables import make_table

GAMES = ("Pong-v5", "Breakout-v5", "Seaquest-v5")


@dataclass(frozen=True)
class Comparison:
    """A pool whose environments differ, and those with which it is compared.

    Attributes:
        title: a short name.
        floor: the smallest ratio that is accepted.
        plain: make the pools whose environments do not differ; the harmonic mean of their rates
            counts.
        differing: makes the other pool.
    """

    title: str
    floor: float
    plain: Sequence[Callable[[], Any]]
    differing: Callable[[], Any]


def comparisons(num_threads: int) -> list[Comparison]:
    """Returns all comparisons."""

    def pool(task: Any, num_envs: int, batch_size: int | None = None, **options: Any) -> Any:
        return envpool_py.make(
            task,
            num_envs=num_envs,
            batch_size=batch_size,
            num_threads=num_threads,
            seed=0,
            **options,
        )

    def with_lengths() -> Any:
        envs = pool("CartPole-v1", 256)
        envs.set_attr("length", list(np.linspace(0.4, 0.6, 256)))
        return envs

    def with_masses() -> Any:
        mass = gymnasium.make("Ant-v5").unwrapped.model.body_mass  # type: ignore[attr-defined]
        models = [{"model": {"body_mass": mass * (1.0 + 0.01 * env)}} for env in range(16)]
        return pool("Ant-v5", 16, env_options=models)

    def games(batch_size: int | None) -> Comparison:
        mode = "ordered" if batch_size is None else "first-ready"
        return Comparison(
            f"8 Pong, 8 Breakout, 8 Seaquest, {mode}",
            0.97,
            [
                lambda game=game: pool(  # type: ignore[misc]
                    game, 24, batch_size, full_action_space=True
                )
                for game in GAMES
            ],
            lambda: pool(GAMES, 24, batch_size, full_action_space=True),
        )

    return [
        Comparison(
            "256 CartPole, 256 values of length",
            0.8,
            [lambda: pool("CartPole-v1", 256)],
            with_lengths,
        ),
        Comparison(
            "256 Pendulum, 256 values of g",
            0.8,
            [lambda: pool("Pendulum-v1", 256)],
            lambda: pool("Pendulum-v1", 256, env_options={"g": np.linspace(9.0, 11.0, 256)}),
        ),
        Comparison(
            "16 Ant, 16 values of the masses", 0.97, [lambda: pool("Ant-v5", 16)], with_masses
        ),
        games(None),
        games(12),
    ]


def seconds_of(pool: Any, steps: int) -> float:
    """Returns the seconds of `steps` batches of an open pool, with random actions."""
    rows = pool.batch_size
    actions = [pool.action_space.sample()[:rows] for _ in range(16)]
    start = time.perf_counter()
    for at in range(steps):
        sample = actions[at % 16]
        if pool.is_async:
            pool.send(sample, pool.recv()[4]["env_id"])
        else:
            pool.step(sample)
    return time.perf_counter() - start


def ratio_of(comparison: Comparison, seconds: float, rounds: int) -> float:
    """Returns the median over the rounds.

    All pools take the same number of steps in each round, so they are equally far in their
    episodes: a step of a game takes a different time later in the game.
    """
    pools = [make() for make in (*comparison.plain, comparison.differing)]
    for pool in pools:
        if pool.is_async:
            pool.async_reset()
        else:
            pool.reset()
    warm = 32
    steps = 1 + int(seconds * warm / statistics.mean(seconds_of(pool, warm) for pool in pools))
    ratios = []
    for turn in range(rounds):
        order = range(len(pools)) if turn % 2 == 0 else reversed(range(len(pools)))
        times = {index: seconds_of(pools[index], steps) for index in order}
        *plain, differing = (times[index] for index in range(len(pools)))
        ratios.append(statistics.mean(plain) / differing)
    for pool in pools:
        pool.close()
    return statistics.median(ratios)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; returns 1 if a floor is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.env_options")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.3, help="about, of one measurement")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--only", default="", help="comparisons whose title has this text")
    given = parser.parse_args(argv)
    table = make_table("Environments that differ, relative to environments that do not")
    for column in ("ratio", "floor"):
        table.add_column(column, justify="right")
    missed = False
    for comparison in comparisons(given.threads):
        if given.only in comparison.title:
            ratio = ratio_of(comparison, given.seconds, given.rounds)
            missed |= ratio < comparison.floor
            table.add_row(comparison.title, f"{ratio:.3f}", f"{comparison.floor}")
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
