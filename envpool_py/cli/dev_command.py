"""`envpool-py dev FILE ...`: builds, checks and plays a plug-in again after each change."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from envpool_py.authoring.building import compile_plugin
from envpool_py.authoring.paths import package_root
from envpool_py.cli import dev_session
from envpool_py.cli.output import UsageError, make_console
from envpool_py.cli.programs import command_of
from envpool_py.cli.window import displays
from envpool_py.errors import PluginError, install_command

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "changes_in", "run_command"]

_SOURCES = {".h", ".hh", ".hpp", ".cc", ".cpp", ".cxx", ".inc"}


def add_parser(commands: Commands) -> None:
    """Adds the command to the parser."""
    parser = commands.add_parser(
        "dev",
        help="build, check and play a plug-in after each change",
        description="Compiles a plug-in, runs the quick checks and opens a window on its first "
        "task, or draws in the terminal if there is no display. Does so again when a C++ file in "
        "the directories of the sources changes. Escape or Ctrl-C quits.",
    )
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="FILE", help="C++ files of the plug-in"
    )
    parser.add_argument("--task", metavar="ID", help="the task to play (the first)")
    parser.add_argument(
        "--play",
        choices=["window", "terminal", "none"],
        metavar="WHERE",
        help="window, terminal or none (window, or terminal if there is no display)",
    )
    parser.add_argument(
        "--once", action="store_true", help="build and check once, and play nothing"
    )
    parser.add_argument(
        "--flag",
        dest="flags",
        action="append",
        default=[],
        metavar="FLAG",
        help="an argument for the compiler, as in --flag=-lz; may be repeated",
    )
    parser.set_defaults(run=run_command)


def changes_in(sources: Sequence[Path]) -> Iterator[bool]:
    """Yields, every tenth of a second, whether a C++ file in the sources' directories has changed.

    Files are watched from the first item on. An item includes the changes since the one before.

    Raises:
        UsageError: the package watchfiles is not installed.
    """
    try:
        from watchfiles import watch
    except ImportError as error:
        raise UsageError(
            f"dev: needs the package watchfiles (`{install_command('authoring')}`): {error}"
        ) from error
    changes = watch(
        *{source.absolute().parent for source in sources},
        watch_filter=lambda _, path: Path(path).suffix in _SOURCES,
        rust_timeout=100,
        yield_on_timeout=True,
        recursive=False,
    )
    return map(bool, changes)


def run_command(arguments: argparse.Namespace) -> int:
    """Builds and plays until the user quits; with --once, returns 1 if a build or a check fails."""
    for source in arguments.sources:
        if not source.is_file():
            raise UsageError(f"there is no file {source}")
    mode = "none" if arguments.once else arguments.play or _mode()
    with tempfile.TemporaryDirectory(prefix="envpool-dev-") as directory, _terminal_is_restored():
        if arguments.once:
            return 0 if _run(arguments, mode, Path(directory)) == dev_session.PASSED else 1
        changes = changes_in(arguments.sources)
        next(changes)
        for number in itertools.count():
            build = Path(directory) / str(number)
            build.mkdir()
            code = _run(arguments, mode, build, changes)
            if code == 0:
                return 0
            if code is not None:
                next(filter(None, changes))
    return 0


def _run(
    arguments: argparse.Namespace, mode: str, build: Path, changes: Iterator[bool] | None = None
) -> int | None:
    """Builds and runs a version; returns the exit code, or None if a source has changed."""
    module = _built(arguments.sources, build, arguments.flags)
    if module is None:
        return dev_session.FAILED
    return _session(module, arguments.task, mode, changes)


def _mode() -> str:
    if displays():
        return "window"
    return "terminal" if sys.stdin.isatty() and sys.stdout.isatty() else "none"


def _built(sources: Sequence[Path], directory: Path, flags: Sequence[str]) -> Path | None:
    """Compiles the plug-in, and says how long that took or why it failed."""
    start = time.perf_counter()
    try:
        module = compile_plugin(sources, directory, flags)
    except PluginError as error:
        print(f"envpool-py: {error}", file=sys.stderr, flush=True)
        return None
    seconds = time.perf_counter() - start
    make_console().print(f"built {module.name} in {seconds:.1f} s", soft_wrap=True)
    sys.stdout.flush()
    return module


def _session(
    module: Path, task: str | None, mode: str, changes: Iterator[bool] | None
) -> int | None:
    """Runs a version until it ends or a source changes; returns its exit code, or None."""
    command = [*command_of("envpool_py.cli.dev_session"), str(module), "--play", mode]
    command += [] if task is None else ["--task", task]
    # `python -m` searches the working directory first.
    process = subprocess.Popen(command, cwd=package_root())
    try:
        while process.poll() is None:
            if changes is None:
                process.wait()
            elif next(changes):
                return None
        if process.returncode < 0:
            name = signal.Signals(-process.returncode).name
            print(f"envpool-py: {module.name} ended the process: {name}", file=sys.stderr)
        return process.returncode
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()


@contextlib.contextmanager
def _terminal_is_restored() -> Iterator[None]:
    """Restores the terminal's settings, because a version that is killed while it draws cannot."""
    if not (os.isatty(0) and os.isatty(1)):
        yield
        return
    import termios

    before = termios.tcgetattr(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        sys.stdout.write("\x1b[0m\x1b[?25h")
