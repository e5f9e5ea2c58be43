"""`python -m benchmarks.atari`: compares Atari games with other libraries; see `make bench-atari`.

Measures step rates of several games, time and memory of pools of a thousand games, and the parts of
a step's time. Prints a table of each and the floors with PASS or MISS. Writes every sample to
`results/NAME.json` and a plot of the rates to `results/NAME.png`.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence

from rich.console import Console

from benchmarks import atari_profile, pool_cost, run, tables
from benchmarks.atari_profile import Profile, ProfileError
from benchmarks.cases import ATARI_TASKS, Check, atari_suite, check, checks
from benchmarks.pool_cost import PoolCost
from envpool_py.cli.bench import report
from envpool_py.cli.bench.atari import atari_case, is_atari
from envpool_py.cli.bench.measure import CaseResult, Timing
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench.report import title_of
from envpool_py.cli.output import make_console
from envpool_py.errors import RomError, suggestion
from envpool_py.pool import core
from envpool_py.tasks.families.atari.tasks import TASKS

POOL_TASK = "Pong-v5"
POOL_ENVS = 1024
MOST_MAKE_S = 1.0
"""The most time that making `POOL_ENVS` environments may take, seconds."""
TIMES_LESS_MEMORY = 3.0
"""Floor of the memory of EnvPool's environments, divided by that of ours."""
MOST_BESIDE_EMULATION_US = 12.0
"""The most time that a step may take without its emulation, microseconds."""

_POOL_PEERS = ("envpool",)
_QUICK_PEER_ENVS = 64  # peers need a minute to make a thousand
_PROFILE_CHUNKS, _QUICK_PROFILE_CHUNKS = 400, 20


@dataclasses.dataclass
class Measured:
    """All measurements of a run."""

    rates: list[CaseResult]
    pools: list[PoolCost]
    profiles: list[Profile]
    profile_problem: str | None = None


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parses the arguments and applies `--quick`."""
    arguments = run.parse_family("atari", "Atari games", ATARI_TASKS, argv, _task)
    arguments.peer_envs = _QUICK_PEER_ENVS if arguments.quick else POOL_ENVS
    arguments.chunks = _QUICK_PROFILE_CHUNKS if arguments.quick else _PROFILE_CHUNKS
    return arguments


def _task(text: str) -> str:
    if is_atari(text):
        return text
    near = suggestion(text, list(TASKS)) or ", such as Pong-v5"
    raise argparse.ArgumentTypeError(f"expected an Atari task, got {text!r}{near}")


def main(argv: Sequence[str] | None = None) -> int:
    """Measures, prints and writes; returns the exit code."""
    arguments = parse(argv)
    out, errors = make_console(), make_console(stderr=True)
    system = core.system_info()
    timing = run.make_timing(arguments)
    num_threads = arguments.num_threads or min(2, len(system["cpus"]))
    lines = atari_suite(arguments.tasks, num_threads)
    try:
        measured = Measured(
            rates=run.measure_lines(lines, timing, num_threads, system["cpu"], errors),
            pools=measure_pools(arguments.peer_envs, num_threads, timing.rounds, errors),
            profiles=[],
        )
        measure_profiles(measured, arguments.tasks, timing, arguments.chunks, errors)
    except RomError as error:
        errors.print(f"benchmarks: {error}", soft_wrap=True)
        return 2
    except KeyboardInterrupt:
        errors.print("benchmarks: interrupted")
        return 130
    found = checks(lines, measured.rates)
    found += more_checks(measured, arguments.tasks)
    show(out, measured, found)
    for text in problems(measured):
        errors.print(text, soft_wrap=True)
    record = {
        **run.make_record(measured.rates, found, timing, system),
        "pools": {
            "task": POOL_TASK,
            "num_threads": num_threads,
            "libraries": [cost.to_json() for cost in measured.pools],
        },
        "profiles": [profile.to_json() for profile in measured.profiles],
    }
    run.write_results(arguments.name, record)
    return run.exit_code(arguments, found)


def measure_pools(peer_envs: int, num_threads: int, rounds: int, errors: Console) -> list[PoolCost]:
    """Measures our pool of `POOL_ENVS` environments, and a pool of `peer_envs` of each peer."""
    sizes = {OURS: POOL_ENVS, **dict.fromkeys(_POOL_PEERS, peer_envs)}
    cases = {name: atari_case(POOL_TASK, size, size, num_threads) for name, size in sizes.items()}
    return pool_cost.show_and_measure(cases, rounds, errors)


def measure_profiles(
    measured: Measured, tasks: Sequence[str], timing: Timing, chunks: int, errors: Console
) -> None:
    """Adds the profiles of the tasks, or the reason if they cannot be measured."""
    with TurnProgress(errors, len(tasks)) as progress:
        for task in tasks:
            progress.case(f"{task}, profile")
            progress.start(0, OURS)
            if not errors.is_terminal:
                errors.print(f"{task}: profile", soft_wrap=True)
            try:
                parts = atari_profile.measure_parts(task, chunks, atari_profile.PROGRAM)
                outside_us = atari_profile.measure_outside(task, timing)
            except ProfileError as error:
                measured.profile_problem = str(error)
                return
            measured.profiles.append(Profile(task, parts, outside_us))
            progress.end(0, OURS, None)


def more_checks(measured: Measured, tasks: Sequence[str]) -> list[Check]:
    """Compares the pools and the profiles with their floors."""
    ours = next((cost for cost in measured.pools if cost.name == OURS), None)
    profiles = {profile.task: profile.beside_emulation_us for profile in measured.profiles}
    pool = f"{POOL_TASK}, {POOL_ENVS:,} envs"
    return [
        check(pool, "s to make", ours.median("make_s") if ours else None, MOST_MAKE_S,
              at_least=False),
        check(
            pool, f"times less memory than {title_of('envpool')}",
            pool_cost.memory_ratio(measured.pools, "envpool"), TIMES_LESS_MEMORY, at_least=True,
        ),
        *(
            check(
                f"{task}, 1 thread", "us a step that are not emulation",
                profiles.get(task), MOST_BESIDE_EMULATION_US, at_least=False,
            )
            for task in tasks
        ),
    ]  # fmt: skip


def problems(measured: Measured) -> list[str]:
    """One line for each failed measurement."""
    found = report.problems(measured.rates) + pool_cost.problems(measured.pools)
    if measured.profile_problem is not None:
        found.append(f"no profile: {measured.profile_problem}")
    return found


def show(out: Console, measured: Measured, found: Sequence[Check]) -> None:
    """Prints the tables, except empty ones."""
    for table in (
        tables.rate_table(measured.rates),
        pool_cost.pool_table(POOL_TASK, measured.pools),
        atari_profile.profile_table(measured.profiles),
        tables.floor_table(found),
    ):
        if table.row_count:
            out.print(table)


if __name__ == "__main__":
    sys.exit(main())
