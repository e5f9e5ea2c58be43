"""Measures time and memory of pools, each in a separate process.

`measure_pools` runs the libraries in turn. A turn is `python -m benchmarks.pool_cost`, which
imports the library, makes the pool, resets it and takes a few steps. The memory per environment is
the increase of resident memory (of /proc/self/statm) since the import, divided by the number of
environments. It includes data that the environments share, and the batches in use.
"""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.child import run_child
from benchmarks.tables import make_table
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import schedule
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.report import title_of
from envpool_py.cli.bench.unavailable import UnavailableError
from envpool_py.cli.bench.worker import sample_actions

_LIMIT_SECONDS = 600.0
# One more than the frames of a stack, so that all memory of an environment has been written.
_STEPS = 5


@dataclasses.dataclass(frozen=True)
class PoolSample:
    """One turn: seconds to make the pool and to reset it, and bytes per environment."""

    make_s: float
    reset_s: float
    env_bytes: float


@dataclasses.dataclass
class PoolCost:
    """All turns of one library; `problem` is the error that ended its participation, or None."""

    name: str
    num_envs: int
    samples: list[PoolSample] = dataclasses.field(default_factory=list)
    problem: str | None = None

    def median(self, field: str) -> float | None:
        """The median of a field of the samples; None if nothing was measured."""
        values = [getattr(sample, field) for sample in self.samples]
        return statistics.median(values) if values else None

    def to_json(self) -> dict[str, Any]:
        """The medians and every sample, as a JSON object."""
        fields = [field.name for field in dataclasses.fields(PoolSample)]
        return {
            "name": self.name,
            "num_envs": self.num_envs,
            "problem": self.problem,
            **{field: self.median(field) for field in fields},
            "samples": [dataclasses.asdict(sample) for sample in self.samples],
        }


class PoolError(Exception):
    """A pool could not be measured; the message says why."""


Launch = Callable[[str, Case], PoolSample]
"""Measures one library, by name, once; raises PoolError."""


def memory_ratio(costs: Sequence[PoolCost], peer: str) -> float | None:
    """Ratio of memory per environment, `peer` to ours; None unless both were measured."""
    return _ratio(costs, peer, lambda cost: cost.median("env_bytes"))


def make_ratio(costs: Sequence[PoolCost], peer: str) -> float | None:
    """Ratio of the time to make an environment, `peer` to ours; None unless both were measured."""

    def of_an_env(cost: PoolCost) -> float | None:
        make_s = cost.median("make_s")
        return None if make_s is None else make_s / cost.num_envs

    return _ratio(costs, peer, of_an_env)


def _ratio(
    costs: Sequence[PoolCost], peer: str, value_of: Callable[[PoolCost], float | None]
) -> float | None:
    values = {cost.name: value_of(cost) for cost in costs}
    ours, theirs = values.get(OURS), values.get(peer)
    return None if ours is None or theirs is None else theirs / ours


def launch_process(name: str, case: Case) -> PoolSample:
    """Measures in a new process."""
    spec = json.dumps({"participant": name, "case": case.to_json()})
    command = [sys.executable, "-m", "benchmarks.pool_cost", spec]
    printed = run_child(command, _LIMIT_SECONDS, PoolError)
    return PoolSample(**json.loads(printed.splitlines()[-1]))


def turns(names: Sequence[str], rounds: int) -> list[tuple[int, str]]:
    """The turns as (round from 0, library)."""
    return [(turn, name) for turn, name in schedule(names, rounds) if turn == 0 or name == OURS]


def measure_pools(
    cases: Mapping[str, Case],
    rounds: int,
    launch: Launch = launch_process,
    on_start: Callable[[int, str], None] = lambda turn, name: None,
    on_end: Callable[[int, str], None] = lambda turn, name: None,
) -> list[PoolCost]:
    """Measures a pool of each library in turn; a library that fails is skipped from then on.

    `cases` maps each library to its case. Peers are measured in the first turn only, because making
    a thousand environments takes them a minute.
    """
    costs = {name: PoolCost(name, case.num_envs) for name, case in cases.items()}
    for turn, name in turns(list(cases), rounds):
        on_start(turn, name)
        cost = costs[name]
        if cost.problem is None:
            try:
                cost.samples.append(launch(name, cases[name]))
            except PoolError as error:
                cost.problem = str(error)
        on_end(turn, name)
    return list(costs.values())


def show_and_measure(cases: Mapping[str, Case], rounds: int, errors: Console) -> list[PoolCost]:
    """Works like `measure_pools`, and shows progress on `errors`."""
    title = f"{cases[OURS].task}, time to make a pool and its memory"
    if not errors.is_terminal:
        errors.print(title, soft_wrap=True)
    with TurnProgress(errors, len(turns(list(cases), rounds))) as progress:
        progress.case(title)
        return measure_pools(
            cases, rounds, on_start=progress.start,
            on_end=lambda turn, name: progress.end(turn, name, None),
        )  # fmt: skip


def pool_table(task: str, costs: Sequence[PoolCost]) -> Table:
    """One row per library: time to make and to reset a pool, memory of each environment."""
    table = make_table(
        f"A pool of {task}; its batches and what environments share count as memory; medians"
    )
    for heading in ("made", "seconds to make", "to reset first", "KB an environment"):
        table.add_column(heading, justify="right")
    for cost in costs:
        make_s, reset_s, env_bytes = map(cost.median, ("make_s", "reset_s", "env_bytes"))
        if make_s is not None and reset_s is not None and env_bytes is not None:
            table.add_row(
                title_of(cost.name),
                f"{cost.num_envs:,}",
                f"{make_s:.2f}",
                f"{reset_s:.2f}",
                f"{env_bytes / 1e3:,.0f}",
            )
    return table


def problems(costs: Sequence[PoolCost]) -> list[str]:
    """One line for each library whose pool could not be measured."""
    return [
        f"pools without {title_of(cost.name)}: {cost.problem}"
        for cost in costs
        if cost.problem is not None
    ]


def measure(name: str, case: Case) -> PoolSample:
    """Measures in this process, which must not have done other work.

    Raises:
        UnavailableError: the library is not installed, or lacks the task.
    """
    participant = PARTICIPANTS[name]
    participant.check_installed()
    importlib.import_module(participant.module)
    before = _resident_bytes()
    start = time.perf_counter()
    env = participant.make(case)
    made = time.perf_counter()
    driver = participant.drive(env, case)
    reset = time.perf_counter()
    actions = sample_actions(driver.action_space(), driver.num_actions, case.seed)
    driver.advance(itertools.islice(itertools.cycle(actions), _STEPS))
    held = _resident_bytes() - before
    driver.close()
    return PoolSample(made - start, reset - made, held / case.num_envs)


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def main(argv: Sequence[str]) -> int:
    """Measures the case given as JSON and prints a sample as JSON; returns the exit code."""
    spec = json.loads(argv[0])
    try:
        sample = measure(spec["participant"], Case.from_json(spec["case"]))
    except UnavailableError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(dataclasses.asdict(sample)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
