"""`envpool-py check MODULE [ID ...]`: the conformance checks for the tasks of a plug-in."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from envpool_py.authoring.conformance.kit import Check, checks
from envpool_py.authoring.conformance.runner import Job, Outcome, run
from envpool_py.cli.arguments import positive_int
from envpool_py.cli.check_worker import COMMAND, RATE
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import suggestion
from envpool_py.tasks import catalog, discovery

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "run_command"]

_TIMEOUT_SECONDS = 120


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "check",
        help="check the environments of a plug-in",
        description="Runs the conformance checks for the tasks of a plug-in: results, episodes on "
        "any number of threads, seeds, copies, both APIs, memory, and what the environment writes. "
        "Then measures their steps per second.",
    )
    parser.add_argument(
        "module",
        metavar="MODULE",
        help="the plug-in: a module or the path of its file; or a family of this package",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="ids of its tasks (all)")
    parser.add_argument(
        "--only",
        metavar="PATTERN",
        help="only checks whose names contain this text, or match it if it has * or ?",
    )
    parser.add_argument(
        "--timeout",
        type=positive_int,
        default=_TIMEOUT_SECONDS,
        metavar="S",
        help="seconds after which a check counts as hanging (%(default)s)",
    )
    parser.add_argument(
        "--verbose", action="store_true", help="print each check, not only those that fail"
    )
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Prints what fails, and a line for each task; returns 1 if a check failed."""
    ids = _ids_of(arguments.module, arguments.ids)
    selected = _selected(arguments.only)
    console = make_console()
    code = 0
    for task_id in ids:
        console.print(task_id)

        def report(outcome: Outcome) -> None:
            if outcome.status == "failed" or (arguments.verbose and outcome.job.check != RATE):
                console.print(line_of(outcome), soft_wrap=True)

        jobs = [Job(task_id, check.name) for check in selected]
        jobs += [] if arguments.only else [Job(task_id, RATE)]
        outcomes = run(jobs, arguments.timeout, report, command=COMMAND)
        console.print(summary_of(outcomes), soft_wrap=True)
        code |= any(outcome.status == "failed" for outcome in outcomes)
    return code


def _ids_of(module: str, wanted: Sequence[str]) -> Sequence[str]:
    try:
        found = discovery.tasks_of(module)
    except Exception as error:  # importing a module can raise any exception
        raise UsageError(f"{module}: {error}") from error
    if not wanted:
        if not found:
            raise UsageError(f"{module} adds no tasks")
        return found
    for task_id in wanted:
        if not catalog.exists(task_id):
            near = suggestion(task_id, found) or f" (it has {', '.join(found) or 'none'})"
            raise UsageError(f"no task of {module} is called {task_id!r}{near}")
    return wanted


def _selected(pattern: str | None) -> Sequence[Check]:
    if pattern is None:
        return checks()
    glob = pattern if any(mark in pattern for mark in "*?") else f"*{pattern}*"
    # Escapes "[", because names of checks contain brackets.
    literal = glob.replace("[", "[[]")
    found = [check for check in checks() if fnmatch.fnmatchcase(check.name, literal)]
    if not found:
        raise UsageError(f"--only: no check matches {pattern!r}")
    return found


def line_of(outcome: Outcome) -> str:
    """One line for a check, followed by the rest of its error message."""
    text = f": {outcome.text}" if outcome.text else ""
    return f"  {outcome.status:8} {outcome.job.check}{text}".replace("\n", "\n           ")


def summary_of(outcomes: Iterable[Outcome]) -> str:
    """A line for a task: how many checks passed, and its rate."""
    of_checks = [outcome for outcome in outcomes if outcome.job.check != RATE]
    counts = {
        status: sum(outcome.status == status for outcome in of_checks)
        for status in ("passed", "failed", "skipped")
    }
    parts = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
    seconds = sum(outcome.seconds for outcome in of_checks)
    rates = [
        f"; {float(outcome.text):,.0f} steps/s with 256 environments"
        for outcome in outcomes
        if outcome.job.check == RATE and outcome.status == "passed"
    ]
    return f"  {parts} in {seconds:.1f} s{''.join(rates)}"
