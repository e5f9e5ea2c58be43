"""`envpool-py compare A B`: the first difference between two logs of batches."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import ReplayError
from envpool_py.pool.batch_order import first_difference

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "run"]


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "compare", help="find the first difference between two logs of record_batches"
    )
    parser.add_argument("logs", nargs=2, metavar="LOG", type=Path)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Prints the difference. Returns 1 if there is one."""
    try:
        found = first_difference(*arguments.logs)
    except (ReplayError, OSError) as error:
        raise UsageError(str(error)) from error
    make_console().print("no difference" if found is None else str(found), soft_wrap=True)
    return 0 if found is None else 1
