"""Arguments that several commands share, their validation, and the no-op action of a space."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from envpool_py.cli.output import UsageError
from envpool_py.errors import EnvPoolError, suggestion
from envpool_py.tasks import discovery
from envpool_py.tasks.spec import OptionSpec

__all__ = [
    "LARGEST_SCALE",
    "MOST_ENVS",
    "add_fps",
    "add_imports",
    "add_options",
    "add_task",
    "import_all",
    "import_module_of",
    "no_action",
    "parse_options",
    "positive_int",
    "seed",
    "writable_path",
]

MOST_ENVS = 1024
LARGEST_SCALE = 64


def add_task(parser: argparse.ArgumentParser, without: str | None = None) -> None:
    """Adds the id of a task; `without`: what the command does if the id is left out."""
    about = "id of the environment (envpool-py list), or MODULE:ID, which imports the module"
    if without is None:
        parser.add_argument("task", metavar="TASK", help=about)
    else:
        parser.add_argument("task", metavar="TASK", nargs="?", help=f"{about}; without: {without}")
    add_imports(parser)


def add_imports(parser: argparse.ArgumentParser) -> None:
    """Adds modules that are imported before the command runs, because they add tasks."""
    parser.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="MODULE",
        help="a plug-in that is not installed: a module or the path of its file; may be repeated",
    )


def import_all(names: Sequence[str]) -> None:
    """Imports the modules of `--import`; those in the working directory are found as well.

    Raises:
        UsageError: one of them cannot be imported.
    """
    # Appended, because a file in the working directory must not hide an installed module.
    if os.getcwd() not in sys.path:  # noqa: PTH109
        sys.path.append(os.getcwd())  # noqa: PTH109
    for name in names:
        _import(name, f"--import {name}: ")


def import_module_of(task: str) -> None:
    """Imports the module of a TASK that is written as "module:id".

    Raises:
        UsageError: it cannot be imported.
    """
    module, _ = discovery.split(task)
    if module is not None:
        _import(module, "")


def _import(name: str, prefix: str) -> None:
    # Importing a module can raise any exception, and call sys.exit().
    try:
        discovery.import_named(name)
    except EnvPoolError as error:
        raise UsageError(f"{prefix}{error}") from error
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {error}"
        raise UsageError(f'{prefix}the module "{name}" cannot be imported ({reason})') from error


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds options of the task, which `parse_options` reads."""
    parser.add_argument(
        "--option",
        dest="options",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the environment; a list is written as 1,2,3; may be repeated",
    )


def add_fps(parser: argparse.ArgumentParser) -> None:
    """Adds the frame rate at which an environment is shown."""
    parser.add_argument(
        "--fps", type=positive_int, metavar="F", help="steps per second (the task's default)"
    )


def positive_int(text: str) -> int:
    """An argument that is a whole number of at least 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text!r}")
    return value


def writable_path(text: str) -> Path:
    """An argument that names a file in a directory that exists."""
    path = Path(text)
    try:
        usable = path.parent.is_dir() and not path.is_dir()
    except OSError:  # such as a name that is too long
        usable = False
    if not usable:
        raise argparse.ArgumentTypeError(f"expected a file in an existing directory, got {text!r}")
    return path


def seed(text: str) -> int:
    """An argument that is the seed of up to MOST_ENVS environments."""
    highest = 2**64 - MOST_ENVS
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value <= highest:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 0 to 2**64 - {MOST_ENVS}, got {text!r}"
        )
    return value


def parse_options(texts: Sequence[str], known: Mapping[str, OptionSpec]) -> dict[str, Any]:
    """Converts "name=value" arguments to options of the types that the task defines.

    Raises:
        UsageError: no such option, a value of another type, or an option given twice. The engine
            checks whether a value is in range.
    """
    options: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--option: expected NAME=VALUE, got {text!r}")
        if name not in known:
            near = suggestion(name, list(known)) or f" (known: {', '.join(known) or 'none'})"
            raise UsageError(f"--option: the environment has no option {name!r}{near}")
        if name in options:
            raise UsageError(f"--option: {name!r} is given twice")
        options[name] = _option_value(name, value, known[name].type)
    return options


def _option_value(name: str, text: str, kind: str) -> Any:
    or_none = " or None"
    if kind.endswith(or_none):
        return None if text == "None" else _option_value(name, text, kind.removesuffix(or_none))
    try:
        if kind == "bool":
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
        if kind == "list of int":
            return [int(item) for item in text.split(",") if item]
        if kind == "list of float":
            return [float(item) for item in text.split(",") if item]
        if kind == "list of str":
            return [item for item in text.split(",") if item]
    except (ValueError, KeyError):
        expected = "true or false" if kind == "bool" else kind
        raise UsageError(f"--option: {name}: expected {expected}, got {text!r}") from None
    return text


def no_action(space: gymnasium.Space[Any]) -> Any:
    """Returns the action that is zero, or the action nearest to zero, in every part."""
    if isinstance(space, gymnasium.spaces.Dict):
        return {name: no_action(part) for name, part in space.spaces.items()}
    if isinstance(space, gymnasium.spaces.Tuple):
        return tuple(no_action(part) for part in space.spaces)
    if isinstance(space, gymnasium.spaces.Discrete):
        return np.asarray(np.clip(0, space.start, space.start + space.n - 1), space.dtype)
    zero = np.zeros(space.shape or (), space.dtype)
    return np.clip(zero, space.low, space.high) if isinstance(space, gymnasium.spaces.Box) else zero
