"""What it costs to be safe: `python -m benchmarks.reliability`.

Each row is the step rate of a pool with `on_error="reset"` or `step_timeout`, or of one that
records its batches, divided by that of a plain pool that takes turns with it. `health` has no row,
because it cannot be switched off. `step_timeout` does not watch CartPole, whose steps are
computations. It watches Procgen's environments, whose package is needed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

import envpool_py
from benchmarks.env_options import Comparison, ratio_of
from benchmarks.tables import make_table

FLOOR = 0.98


def comparisons(num_threads: int, directory: Path) -> list[Comparison]:
    """Returns all comparisons; logs are written to `directory`."""
    logs = iter(range(1000))

    def pool(task: str, num_envs: int, batch_size: int | None, **arguments: Any) -> Any:
        return envpool_py.make(
            task,
            num_envs=num_envs,
            batch_size=batch_size,
            num_threads=num_threads,
            seed=0,
            **arguments,
        )

    def recorded(task: str, num_envs: int, batch_size: int, digests: bool) -> Callable[[], Any]:
        def make() -> Any:
            made = pool(task, num_envs, batch_size)
            made.record_batches(directory / str(next(logs)), digests=digests)
            return made

        return make

    found = []
    for batch_size in (None, 128):
        mode = "ordered" if batch_size is None else "first-ready"
        watched: tuple[tuple[str, dict[str, Any]], ...] = (
            ('on_error="reset"', {"on_error": "reset"}),
            ("step_timeout", {"step_timeout": 60.0}),
        )
        for name, arguments in watched:
            found.append(
                Comparison(
                    f"256 CartPole, {mode}: {name}",
                    FLOOR,
                    [lambda rows=batch_size: pool("CartPole-v1", 256, rows)],  # type: ignore[misc]
                    lambda rows=batch_size, given=arguments: pool(  # type: ignore[misc]
                        "CartPole-v1", 256, rows, **given
                    ),
                )
            )
        found.append(
            Comparison(
                f"32 CoinrunEasy, {mode}: step_timeout",
                FLOOR,
                [lambda rows=batch_size: pool("CoinrunEasy-v0", 32, rows and 16)],  # type: ignore[misc]
                lambda rows=batch_size: pool(  # type: ignore[misc]
                    "CoinrunEasy-v0", 32, rows and 16, step_timeout=60.0
                ),
            )
        )
    for task, num_envs in (("CartPole-v1", 256), ("Pong-v5", 32)):
        for digests in (False, True):
            found.append(
                Comparison(
                    f"{num_envs} {task}, first-ready: record_batches"
                    + (" with digests" if digests else ""),
                    FLOOR if not digests else 0.0,
                    [lambda t=task, n=num_envs: pool(t, n, n // 2)],  # type: ignore[misc]
                    recorded(task, num_envs, num_envs // 2, digests),
                )
            )
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measures and prints; returns 1 if a ratio is below its floor."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reliability", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.7, help="of each turn")
    parser.add_argument("--rounds", type=int, default=15)
    parsed = parser.parse_args(arguments)
    table = make_table("Pools that are watched over, relative to pools that are not")
    for column in ("ratio", "floor"):
        table.add_column(column, justify="right")
    missed = False
    with tempfile.TemporaryDirectory() as directory:
        for each in comparisons(parsed.threads, Path(directory)):
            ratio = ratio_of(each, parsed.seconds, parsed.rounds)
            missed |= ratio < each.floor
            table.add_row(each.title, f"{ratio:.3f}", f"{each.floor}" if each.floor else "")
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
