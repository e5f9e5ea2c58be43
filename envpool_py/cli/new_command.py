"""`envpool-py new NAME`: the files of a new plug-in, which is built and stepped at once."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from envpool_py.authoring import scaffold
from envpool_py.authoring.building import compile_plugin
from envpool_py.authoring.conformance.runner import Job, run
from envpool_py.cli.check_worker import COMMAND, RATE
from envpool_py.cli.output import UsageError, make_console
from envpool_py.errors import InputError, PluginError

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "run_command"]

_TIMEOUT_SECONDS = 60


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "new",
        help="begin a plug-in",
        description="Writes the files of a new plug-in with an environment in C++: the class, the "
        "module, a package, tests and a README. Then builds it and steps it.",
    )
    parser.add_argument("name", metavar="NAME", help='name of the plug-in, as in "my_env"')
    parser.add_argument(
        "--directory", type=Path, metavar="DIR", help="directory of the project (NAME)"
    )
    parser.add_argument("--no-build", action="store_true", help="only write the files")
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> int:
    """Writes, builds and steps; returns 1 if it cannot be built or stepped."""
    directory: Path = arguments.directory or Path(arguments.name)
    console = make_console()
    try:
        for path in scaffold.write(arguments.name, directory):
            console.print(f"wrote {path}", soft_wrap=True)
    except InputError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
    if arguments.no_build:
        return 0
    start = time.perf_counter()
    try:
        module = compile_plugin([directory / f"{arguments.name}.cc"])
    except PluginError as error:
        print(f"envpool-py: {error}", file=sys.stderr)
        return 1
    console.print(f"built {module} in {time.perf_counter() - start:.1f} s", soft_wrap=True)
    task_id = f"{scaffold.class_name_of(arguments.name)}-v0"
    (outcome,) = run(
        [Job(task_id, RATE)],
        _TIMEOUT_SECONDS,
        command=COMMAND,
        imports=[str(module.absolute())],
    )
    if outcome.status != "passed":
        print(f"envpool-py: {task_id}: {outcome.text}", file=sys.stderr)
        return 1
    console.print(f"{task_id}: {float(outcome.text):,.0f} steps/s", soft_wrap=True)
    console.print(
        f"next: edit {directory / arguments.name}.h; envpool-py dev {module.with_suffix('.cc')}",
        soft_wrap=True,
    )
    return 0
