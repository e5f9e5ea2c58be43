"""`envpool-py bench [TASK]`: step rates of this package and of its peers, in turn."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envpool_py.authoring.paths import package_root
from envpool_py.cli import profile_command, scaling_command, standard_command
from envpool_py.cli.arguments import (
    add_task,
    positive_int,
    writable_path,
)
from envpool_py.cli.bench import plot, report, scaling
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, Timing, launch_worker, run_case
from envpool_py.cli.bench.peers import OURS, PEERS, default_peers
from envpool_py.cli.bench.progress import TurnProgress
from envpool_py.cli.bench_output import WARMUP_SECONDS, write_files
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import MissingPackageError, suggestion
from envpool_py.pool import core
from envpool_py.tasks import catalog, discovery, registry
from envpool_py.tasks.make import is_python
from envpool_py.tasks.manifest import resolve
from envpool_py.tasks.resolve import describe

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_consumer", "add_parser", "check_task", "positive_seconds", "run"]

_NO_PEERS = "none"
_NUM_ENVS = 8
_SECONDS, _ROUNDS = 1.0, 3


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "bench",
        help="compare step rates with other libraries",
        description="Measures environment steps per second of this package and of other libraries, "
        "in turn, each in its own process, with actions sampled beforehand. Without a task: about "
        "ten that a reader knows, with all processors, and how they scale.",
    )
    add_task(parser, "about ten tasks with all processors, and how they scale")
    parser.add_argument(
        "--num-envs",
        type=positive_int,
        metavar="N",
        help=f"number of environments ({_NUM_ENVS})",
    )
    parser.add_argument(
        "--batch-size",
        type=positive_int,
        metavar="B",
        help="rows of a batch, at most N (N); below N: the first environments to finish",
    )
    parser.add_argument(
        "--num-threads",
        type=positive_int,
        metavar="T",
        help="threads that step environments (shown by `envpool-py info`)",
    )
    parser.add_argument(
        "--seconds",
        type=positive_seconds,
        metavar="S",
        help=f"seconds of one measurement ({_SECONDS}; {standard_command.DEFAULT_SECONDS} without "
        "a task)",
    )
    parser.add_argument(
        "--rounds",
        type=positive_int,
        metavar="R",
        help=f"measurements of each library, of which the median is shown ({_ROUNDS})",
    )
    parser.add_argument(
        "--against",
        type=peer_names,
        metavar="PEER,...",
        help=f"libraries to compare with: {', '.join(PEERS)}, or {_NO_PEERS} "
        "(envpool and gymnasium-vectorized, -sync and, unless there are many environments, -async; "
        "for Atari games also ale-py)",
    )
    parser.add_argument("--json", type=writable_path, metavar="FILE", help="file for all samples")
    parser.add_argument(
        "--plot", type=plot_path, metavar="FILE", help="file for a plot (.png, .svg or .pdf)"
    )
    add_consumer(parser)
    parser.add_argument(
        "--scaling",
        action="store_true",
        help="measure with 1, 2, 4, ... up to T threads, in ordered and in first-ready mode",
    )
    parser.add_argument(
        "--envs-per-thread",
        type=positive_int,
        metavar="K",
        help=f"with --scaling: environments per thread, at least 2 ({scaling.ENVS_PER_THREAD})",
    )
    parser.add_argument(
        "--profile",
        action="store_true",
        help="show what the threads of this package do, instead of comparing; the plot is a "
        "timeline",
    )
    parser.add_argument(
        "--trace",
        type=writable_path,
        metavar="FILE",
        help="with --profile: file for Perfetto or chrome://tracing",
    )
    parser.set_defaults(run=run)


def add_consumer(parser: argparse.ArgumentParser) -> None:
    """Adds the time of a policy."""
    parser.add_argument(
        "--consumer-us",
        type=microseconds,
        default=0.0,
        metavar="X",
        help="microseconds that the simulated policy takes for each batch, between its results "
        "and its actions (0)",
    )
    parser.add_argument(
        "--consumer-waits",
        action="store_true",
        help="the simulated policy waits, as for a GPU, instead of computing on a processor",
    )


def microseconds(text: str) -> float:
    """An argument that is a time of at least 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(
            f"expected a number of microseconds of at least 0, got {text!r}"
        )
    return value


def positive_seconds(text: str) -> float:
    """An argument that is a time above 0."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number of seconds above 0, got {text!r}")
    return value


def peer_names(text: str) -> tuple[str, ...]:
    """An argument that is a list of peers, or "none"."""
    if text.strip() == _NO_PEERS:
        return ()
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise argparse.ArgumentTypeError(f"expected {', '.join(PEERS)} or {_NO_PEERS}")
    for name in names:
        if name not in PEERS:
            near = suggestion(name, PEERS)
            raise argparse.ArgumentTypeError(
                f"no peer is called {name!r}{near} (known: {', '.join(PEERS)})"
            )
    return names


def plot_path(text: str) -> Path:
    """A `writable_path` of a type that can be drawn."""
    path = writable_path(text)
    if path.suffix.lower() not in plot.SUFFIXES:
        raise argparse.ArgumentTypeError(
            f"expected a name that ends in {', '.join(plot.SUFFIXES)}, got {text!r}"
        )
    return path


def run(arguments: argparse.Namespace) -> int:
    """Measures, prints the table, writes the files; returns 1 if ours could not be measured."""
    system = core.system_info()
    if arguments.task is None:
        return standard_command.run(arguments, system)
    check_modes(arguments)
    arguments.seconds = arguments.seconds or _SECONDS
    arguments.rounds = arguments.rounds or _ROUNDS
    case = make_case(arguments, system)
    if arguments.profile:
        return profile_command.run(case, arguments)
    if arguments.scaling:
        return scaling_command.run(case, arguments, system)
    peers = default_peers(case) if arguments.against is None else arguments.against
    participants = (OURS, *peers)
    warmup = min(WARMUP_SECONDS, arguments.seconds)
    timing = Timing(arguments.seconds, warmup, arguments.rounds)
    errors = make_console(stderr=True)
    with TurnProgress(errors, timing.rounds * len(participants)) as progress:
        progress.case(case.title)
        result = run_case(case, participants, timing, launch_worker, progress.start, progress.end)
    make_console().print(report.comparison_table(result))
    for line in report.problems([result]):
        errors.print(line, soft_wrap=True)
    source = report.source_record(Path(package_root()))
    record = report.record([result], timing, system, source, core.version)
    write_files(arguments.json, arguments.plot, record, plot.draw)
    return 0 if _ours_measured(result) else 1


def make_case(arguments: argparse.Namespace, system: dict[str, Any]) -> Case:
    """The case that the arguments describe; raises UsageError if there is none."""
    try:
        in_python = is_python(arguments.task)
    except MissingPackageError as error:
        raise UsageError(str(error)) from error
    _, name = discovery.split(arguments.task)
    if not in_python:
        check_task(name, catalog.task_ids())
    num_envs = arguments.num_envs or _NUM_ENVS
    sizes = {
        "num_envs": num_envs,
        "batch_size": arguments.batch_size or num_envs,
        "num_threads": arguments.num_threads or system["default_num_threads"],
    }
    if in_python:
        return _with_consumer(Case(arguments.task, **sizes, in_python=True), arguments)
    try:
        frame_skip = describe(arguments.task, {})["frame_skip"]
        family = registry.family_of(name)
        special: Case | None = None
        if family is not None and family.bench_case is not None:
            special = resolve(family.bench_case)(name, **sizes)
        plain = Case(arguments.task, **sizes, frame_skip=frame_skip)
        return _with_consumer(special or plain, arguments)
    except (ValueError, MissingPackageError) as error:
        raise UsageError(str(error)) from error


def _with_consumer(case: Case, arguments: argparse.Namespace) -> Case:
    return dataclasses.replace(
        case, consumer_us=arguments.consumer_us, consumer_waits=arguments.consumer_waits
    )


def check_modes(arguments: argparse.Namespace) -> None:
    """Raises UsageError for arguments that do not fit together."""
    if arguments.profile and arguments.scaling:
        raise UsageError("--profile: cannot be combined with --scaling")
    if arguments.trace is not None and not arguments.profile:
        raise UsageError("--trace: needs --profile")
    if arguments.profile:
        for name in ("against", "json"):
            if getattr(arguments, name) is not None:
                raise UsageError(f"--{name}: cannot be combined with --profile")
    if not arguments.scaling:
        if arguments.envs_per_thread is not None:
            raise UsageError("--envs-per-thread: needs --scaling")
        return
    for name in ("num_envs", "batch_size"):
        if getattr(arguments, name) is not None:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option}: cannot be combined with --scaling (see --envs-per-thread)")
    if arguments.envs_per_thread == 1:
        raise UsageError("--envs-per-thread: expected at least 2, got 1")


def check_task(task: str, known: Sequence[str]) -> None:
    """Raises UsageError, with the nearest name, if no task has this id."""
    if task not in known:
        near = suggestion(task, known) or "; `envpool-py list` shows all"
        raise UsageError(f"no environment is called {task!r}{near}")


def _ours_measured(result: CaseResult) -> bool:
    ours = result.find(OURS)
    return ours is not None and ours.problem is None
