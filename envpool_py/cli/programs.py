"""Modules of this package that the commands run in processes of their own."""

from __future__ import annotations

import sys

__all__ = ["command_of"]


def command_of(module: str) -> tuple[str, ...]:
    """Returns the command that calls the `main` of a module in a new process.

    Unlike `python -m`, it does not warn of a module that the import of its package also imports.
    """
    return sys.executable, "-c", f"import sys, {module}; sys.exit({module}.main())"
