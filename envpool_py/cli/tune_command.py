"""`envpool-py tune TASK`: finds the fastest settings of a pool on this machine."""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from envpool_py.authoring.paths import package_root
from envpool_py.cli.arguments import (
    add_options,
    add_task,
    parse_options,
    positive_int,
    writable_path,
)
from envpool_py.cli.bench import report
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench.tuning import Limits, Setting, Tuner
from envpool_py.cli.bench.tuning_pools import (
    PolicyError,
    PoolMeasurer,
    default_most_envs,
    import_policy,
    worker_counts,
)
from envpool_py.cli.bench_command import add_consumer, check_task, positive_seconds
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import EnvPoolError, MissingPackageError
from envpool_py.pool import core
from envpool_py.python_envs.choosing import measure_step
from envpool_py.tasks import catalog, discovery
from envpool_py.tasks.make import is_python
from envpool_py.tasks.spec import make_spec

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "run"]

_SECONDS = 45.0
_DEFAULT_ENVS = 8
# Pools that take longer than this fraction of the whole time to make are not tried.
_LONGEST_TO_MAKE = 0.1


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "tune",
        help="find the fastest settings on this machine",
        description="Measures pools with different num_envs, batch_size and num_threads "
        "(num_workers for environments in Python), and prints the call of make with which a loop "
        "of policy and environments makes the most steps per second. Of settings that differ by "
        "less than 3 percent, the one with the fewest environments is printed.",
    )
    add_task(parser)
    add_options(parser)
    add_consumer(parser)
    parser.add_argument(
        "--policy",
        metavar="MODULE:FUNCTION",
        help="function that returns the actions for a batch of observations, in place of random "
        "actions",
    )
    parser.add_argument(
        "--num-envs",
        type=positive_int,
        metavar="N",
        help="fixed number of environments; only the other settings are tuned",
    )
    parser.add_argument(
        "--max-envs",
        type=positive_int,
        metavar="N",
        help="largest number of environments (32 per processor, at least 256)",
    )
    parser.add_argument(
        "--seconds",
        type=positive_seconds,
        default=_SECONDS,
        metavar="S",
        help="time for the search (%(default)s)",
    )
    parser.add_argument(
        "--json", type=writable_path, metavar="FILE", help="file for all measurements"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Searches and prints the result; returns 1 if no setting could be measured."""
    system = core.system_info()
    in_python, options = _task(arguments)
    limits = _limits(arguments, system, in_python)
    try:
        policy = None if arguments.policy is None else import_policy(arguments.policy)
    except PolicyError as error:
        raise UsageError(f"--policy {error}") from error
    if policy is not None and arguments.consumer_us:
        raise UsageError("--policy: cannot be combined with --consumer-us")
    measure = PoolMeasurer(
        arguments.task,
        options,
        in_python=in_python,
        policy=policy,
        consumer_us=arguments.consumer_us,
        consumer_waits=arguments.consumer_waits,
        longest_s=_LONGEST_TO_MAKE * arguments.seconds,
    )
    num_envs = arguments.num_envs or min(_DEFAULT_ENVS, limits.most_envs)
    default = Setting(num_envs, min(system["default_num_threads"], num_envs), num_envs)
    start = time.perf_counter()
    with _Bar(make_console(stderr=True)) as bar:
        tuner = Tuner(limits, measure, arguments.seconds, time.perf_counter, bar.show)
        try:
            chosen = tuner.run(default)
        except EnvPoolError as error:
            raise UsageError(str(error)) from error
    if tuner.results[chosen].rate == 0.0:
        make_console(stderr=True).print("envpool-py: no setting could be measured")
        return 1
    _print(tuner, measure, chosen, default, time.perf_counter() - start)
    if arguments.json is not None:
        _write(arguments, tuner, measure, chosen, system)
    return 0


def _task(arguments: argparse.Namespace) -> tuple[bool, dict[str, Any]]:
    """Returns whether the task is in Python, and its options."""
    try:
        if is_python(arguments.task):
            if arguments.options:
                raise UsageError("--option: environments in Python have none")
            return True, {}
        check_task(discovery.split(arguments.task)[1], catalog.task_ids())
        return False, parse_options(arguments.options, make_spec(arguments.task).options)
    except MissingPackageError as error:
        raise UsageError(str(error)) from error


def _limits(arguments: argparse.Namespace, system: dict[str, Any], in_python: bool) -> Limits:
    max_envs = arguments.max_envs or default_most_envs(system)
    if arguments.num_envs is not None:
        if arguments.max_envs is not None:
            raise UsageError("--max-envs: cannot be combined with --num-envs")
        max_envs = arguments.num_envs
    waits = in_python and _waits(arguments.task)
    workers = [n for n in worker_counts(system, in_python, waits) if n <= max_envs]
    return Limits(workers, max_envs, arguments.num_envs)


def _waits(task: str) -> bool:
    """Returns whether an environment in Python mostly waits, so that many workers may be faster."""
    import gymnasium

    try:
        with contextlib.closing(gymnasium.make(task)) as env:
            env.reset(seed=0)
            cost = measure_step(env)
    except Exception as error:  # of the environment
        raise UsageError(f"{task} failed: {type(error).__name__}: {error}") from error
    return cost.processor_seconds < 0.75 * cost.seconds


class _Bar:
    """Shows the part of the time that is over, on a terminal only. A context manager."""

    def __init__(self, console: Console) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                TimeElapsedColumn(),
                console=console,
                transient=True,
                refresh_per_second=2,  # drawing takes time from the measurement
            )
            self._task = self._bar.add_task("", total=1.0)

    def __enter__(self) -> _Bar:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, part: float, text: str) -> None:
        """Shows what is being measured, after `part` of the time."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=part, description=text)


def _print(
    tuner: Tuner, measure: PoolMeasurer, chosen: Setting, default: Setting, seconds: float
) -> None:
    workers = "num_workers" if measure.in_python else "num_threads"
    made = Table(
        title=f"{measure.task}: {len(tuner.results)} settings in {seconds:.0f} s",
        title_justify="left",
        box=box.SIMPLE_HEAD,
    )
    for heading in ("num_envs", "batch_size", workers, "steps/s", "batch", ""):
        made.add_column(heading, justify="right", no_wrap=True)
    for setting in tuner.finalists():
        rate = tuner.results[setting].rate
        if rate == 0.0:
            continue
        notes = ["chosen"] * (setting == chosen) + ["default"] * (setting == default)
        made.add_row(
            str(setting.num_envs),
            str(setting.batch_size),
            str(setting.workers),
            format_rate(rate),
            f"{setting.batch_size / rate * 1e6:,.3g} us",
            ", ".join(notes),
            style="bold" if setting == chosen else "",
        )
    console = make_console()
    console.print(made)
    console.print(f"{_call(measure, chosen)}  # {_gain(tuner, chosen, default)}", soft_wrap=True)


def _call(measure: PoolMeasurer, setting: Setting) -> str:
    """The call of make, as source text."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in measure.arguments(setting).items())
    return f"envpool_py.make({measure.task!r}, {arguments})".replace("'", '"')


def _gain(tuner: Tuner, chosen: Setting, default: Setting) -> str:
    rate, before = tuner.results[chosen].rate, tuner.results[default].rate
    text = f"{format_rate(rate)} steps/s"
    if before == 0.0 or chosen == default:
        return text
    return f"{text}, {rate / before:.3g} times those of num_envs={default.num_envs}"


def _write(
    arguments: argparse.Namespace,
    tuner: Tuner,
    measure: PoolMeasurer,
    chosen: Setting,
    system: dict[str, Any],
) -> None:
    source = report.source_record(Path(package_root()))
    record = {
        **report.run_record(system, source, core.version),
        "task": measure.task,
        "options": measure.options,
        "consumer_us": arguments.consumer_us,
        "policy": arguments.policy,
        "call": _call(measure, chosen),
        "chosen": measure.arguments(chosen),
        "measured": [
            {
                **measure.arguments(setting),
                "steps_per_s": result.rate,
                "samples": result.rates,
                "final": bool(result.latest),
            }
            for setting, result in tuner.results.items()
        ],
    }
    try:
        arguments.json.write_text(json.dumps(record, indent=2) + "\n")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    make_console(stderr=True).print(f"wrote {arguments.json}", soft_wrap=True)
