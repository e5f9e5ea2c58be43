"""Tables about the package: its error classes, and the arguments of its commands."""

from __future__ import annotations

import argparse
import inspect

from envpool_py import errors as package_errors
from envpool_py.cli import build_parser
from tools.guide.markdown import codes, table


def errors() -> str:
    """The classes of `envpool_py.errors`, and their other base classes."""
    rows = []
    for name in package_errors.__all__:
        kind = getattr(package_errors, name)
        bases = [
            base.__name__ for base in kind.__bases__ if base is not package_errors.EnvPoolError
        ]
        summary = (inspect.getdoc(kind) or "").split("\n\n")[0]
        rows.append([f"`{name}`", codes(bases), summary])
    return table(["class", "is also a", "what it says"], rows)


def command(name: str) -> str:
    """The arguments of one of the commands of `envpool-py`."""
    parser = _commands()[name]
    rows = []
    for action in parser._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        words = [*action.option_strings] or [str(action.metavar)]
        if action.option_strings and action.nargs != 0:
            words[-1] += f" {action.metavar}"
        text = (action.help or "") % {**vars(action), "prog": parser.prog}
        rows.append([codes([", ".join(words)]), text])
    return table(["argument", "meaning (default)"], rows)


def _commands() -> dict[str, argparse.ArgumentParser]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise LookupError("envpool-py has no commands")
