"""`envpool-py list [PATTERN]`: the environments, their observations and their actions."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from envpool_py.cli.arguments import add_imports
from envpool_py.cli.output import make_console
from envpool_py.errors import MissingPackageError, suggestion
from envpool_py.tasks import catalog
from envpool_py.tasks.resolve import describe

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "describe_space", "matching", "run"]


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser("list", help="list the environments")
    parser.add_argument(
        "pattern",
        nargs="?",
        metavar="PATTERN",
        help="only ids that contain this text, or match it if it has *, ? or [ ]; case is ignored",
    )
    add_imports(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the table; returns 1 if nothing matches."""
    known = catalog.task_ids()
    ids = matching(known, arguments.pattern)
    if not ids:
        pattern = arguments.pattern or ""
        message = f"envpool-py: no environment matches {pattern!r}{suggestion(pattern, known)}"
        make_console(stderr=True).print(message, soft_wrap=True)
        return 1
    tasks, missing = described(ids)
    console = make_console()
    console.width = max(console.width, _LEAST_WIDTH)  # ids are never cut
    print_tasks(tasks, console)
    for message in missing:
        make_console(stderr=True).print(f"envpool-py: {message}", soft_wrap=True)
    return 0


def matching(ids: Sequence[str], pattern: str | None) -> list[str]:
    """The ids that contain `pattern`, or match it as a glob; case is ignored."""
    if pattern is None:
        return list(ids)
    lowered = pattern.lower()
    if any(mark in pattern for mark in "*?["):
        return [task for task in ids if fnmatch.fnmatchcase(task.lower(), lowered)]
    return [task for task in ids if lowered in task.lower()]


def described(ids: Sequence[str]) -> tuple[list[Mapping[str, Any]], list[str]]:
    """Describes each task; a task that needs a package that is not installed gets only its id.

    Returns the descriptions, and messages about missing packages.
    """
    tasks: list[Mapping[str, Any]] = []
    missing: dict[str, None] = {}
    for task_id in ids:
        try:
            tasks.append(describe(task_id, {}))
        except MissingPackageError as error:
            tasks.append({"id": task_id})
            missing[str(error)] = None
    return tasks, list(missing)


# In characters: the table's largest and smallest width, and the width of all but ids and spaces.
_MOST_WIDTH, _LEAST_WIDTH, _WIDTH_OF_OTHERS = 100, 80, 15
# The largest and smallest width of the column of actions.
_MOST_FOR_ACTIONS, _LEAST_FOR_ACTIONS = 22, 10
# Longer ids have a line of their own, before that of their spaces.
_MOST_FOR_ID = 42


def print_tasks(tasks: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Prints a line of at most 100 characters per task, from the result of `described`.

    Spaces that are wider end with an ellipsis; `envpool-py info TASK` shows them whole.
    """
    with console.capture() as captured:
        console.print(_table(tasks, console.width))
    lines = captured.get().splitlines()
    heading = len(lines) - len(tasks)
    for line in lines[:heading]:
        print(line, file=console.file)
    for task, line in zip(tasks, lines[heading:], strict=True):
        if _has_own_line(task):
            print(task["id"], file=console.file)
        print(line.rstrip(), file=console.file)


def _has_own_line(task: Mapping[str, Any]) -> bool:
    return len(task["id"]) > _MOST_FOR_ID


def _table(tasks: Sequence[Mapping[str, Any]], width: int) -> Table:
    """A row for each task; without the ids that have lines of their own."""
    width = min(width, _MOST_WIDTH)
    for_actions = max(_MOST_FOR_ACTIONS - (_MOST_WIDTH - width), _LEAST_FOR_ACTIONS)
    ids = ["" if _has_own_line(task) else task["id"] for task in tasks]
    left = width - _WIDTH_OF_OTHERS - max(map(len, ids))
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("id", no_wrap=True)
    for name, width in (
        ("observation", max(left - for_actions, 13)),  # at least the width of "not installed"
        ("action", for_actions),
    ):
        table.add_column(name, no_wrap=True, overflow="ellipsis", max_width=width)
    table.add_column("steps", justify="right", no_wrap=True)
    for shown, task in zip(ids, tasks, strict=True):
        if "observation" not in task:
            table.add_row(shown, "not installed", "", "")
            continue
        limit = task["max_episode_steps"]
        table.add_row(
            shown,
            describe_space(task["observation"]),
            describe_space(task["action"]),
            "none" if limit is None else str(limit),
        )
    return table


def describe_space(space: Mapping[str, Any]) -> str:
    """A space in a few words: "4 x float32", "0..2", "1 x float32 in [-1, 1]"."""
    kind = space["kind"]
    if kind == "dict":
        return ", ".join(f"{name}: {describe_space(child)}" for name, child in space["children"])
    if kind == "tuple":
        return ", ".join(describe_space(child) for child in space["children"])
    if kind == "discrete":
        return f"{space['start']}..{space['start'] + space['n'] - 1}"
    if kind == "text":
        return f"text of at most {space['shape'][0]} characters"
    shape = " x ".join(str(extent) for extent in space["shape"])
    prefix = f"{shape} x " if shape else ""
    if kind == "multi_discrete":
        return f"{prefix}0..{_range_text(np.asarray(space['nvec']) - 1)}"
    if kind == "multi_binary":
        return f"{prefix}0..1"
    return f"{prefix}{space['dtype']}{_bounds_text(space['low'], space['high'])}"


def _range_text(last: np.ndarray[Any, Any]) -> str:
    values = np.unique(last)
    return str(values[0]) if values.size == 1 else f"({values[0]} to {values[-1]})"


def _bounds_text(low: Any, high: Any) -> str:
    """The bounds, if all elements share them and they are finite."""
    lows, highs = np.unique(low), np.unique(high)
    if lows.size != 1 or highs.size != 1 or not np.isfinite([lows[0], highs[0]]).all():
        return ""
    return f" in [{lows[0]:g}, {highs[0]:g}]"
