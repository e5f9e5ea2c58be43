"""The pages of the command line, from the parsers of `envpool-py` and of the modules that run."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from envpool_py import __main__ as building
from envpool_py.cli import build_parser
from tools.site.tree import Tree

WIDTH = 90
"""Columns of a usage line."""


def write(tree: Tree) -> None:
    """Writes generated/command-line.md."""
    tree.write("generated/command-line.md", page())


def page() -> str:
    """Returns the page: each command with its usage, its description and its arguments."""
    parser = build_parser()
    parts = [
        "# Command line\n\n",
        "The arguments of `envpool-py`, from its parsers. [The guide](../docs/command-line.md) has "
        "examples.\n\n",
    ]
    for name, command in commands(parser).items():
        parts += _section(f"envpool-py {name}", command)
    parts += _section("python -m envpool_py", building._parser())
    return "".join(parts)


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Returns the parsers of the subcommands, in their order."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _section(title: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=WIDTH)
    yield f"## {title}\n\n"
    yield f"```text\n{parser.format_usage().strip()}\n```\n\n"
    if parser.description:
        yield f"{_escaped(parser.description)}\n\n"
    yield from (_argument(each, parser) for each in parser._actions if not _is_help(each))
    if parser.epilog:
        yield f"{_escaped(parser.epilog)}\n\n"


def _argument(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    names = [*action.option_strings] or [str(action.metavar or action.dest)]
    if action.option_strings and action.nargs != 0:
        names = [f"{name} {action.metavar or action.dest.upper()}" for name in names]
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    if action.choices is not None:
        text += f" (one of {', '.join(map(str, action.choices))})"
    return f"{', '.join(f'`{name}`' for name in names)}\n: {_escaped(text)}\n\n"


def _is_help(action: argparse.Action) -> bool:
    return isinstance(action, argparse._HelpAction)


def _escaped(text: str) -> str:
    """Returns text in which Markdown shows `*`, `_`, `<` and `[` as they are."""
    for character in "\\*_<[":
        text = text.replace(character, f"\\{character}")
    return text
