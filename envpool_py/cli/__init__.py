"""The command `envpool-py`: lists tasks, measures and checks them, records videos, and plays.

There is a module for each subcommand; `bench` measures. Imported by `python -m envpool_py` and by
`benchmarks/`; manifests of families name functions of `bench` that it imports.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from envpool_py.cli import (
    bench_command,
    check_command,
    compare_command,
    dev_command,
    fleet_command,
    info_command,
    list_command,
    new_command,
    play_command,
    render_command,
    tune_command,
)
from envpool_py.cli.arguments import import_all, import_module_of
from envpool_py.cli.output import UsageError, make_console
from envpool_py.pool import core

__all__ = ["build_parser", "main"]

_COMMANDS = (
    list_command,
    info_command,
    bench_command,
    tune_command,
    check_command,
    compare_command,
    render_command,
    play_command,
    new_command,
    dev_command,
    fleet_command,
)
_USAGE = 2
_INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """Reports a wrong argument in one line, like all other errors."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; on wrong arguments it raises UsageError."""
    parser = _Parser(
        prog="envpool-py", description="Steps many reinforcement-learning environments at once."
    )
    parser.add_argument("--version", action="version", version=f"envpool-py {core.version}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in _COMMANDS:
        module.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command in `argv` (default: the process's arguments); returns the exit code.

    0: success; 1: failure, such as no match, a failed measurement or a failed check; 2: wrong
        arguments; 130: interrupted.
    """
    try:
        arguments = build_parser().parse_args(argv)
        import_all(getattr(arguments, "imports", []))
        task = getattr(arguments, "task", None)
        if isinstance(task, str):
            import_module_of(task)
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except UsageError as error:
        make_console(stderr=True).print(f"envpool-py: error: {error}", soft_wrap=True)
        return _USAGE
    except KeyboardInterrupt:
        make_console(stderr=True).print("envpool-py: interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has closed the pipe; what is still buffered must not raise at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
