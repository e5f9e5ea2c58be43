"""Runs a program that imports `envpool` with the pools of this package.

    python -m envpool_py.compat program.py [arguments]
    python -m envpool_py.compat -m package.module [arguments]

The program runs as `__main__`, with its own name and arguments in `sys.argv` and its own directory
first on `sys.path`. Python processes that it starts import the same `envpool`.
"""

from __future__ import annotations

import builtins
import runpy
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, TracebackType

from envpool_py.compat.alias import alias_with_children

USAGE = "usage: python -m envpool_py.compat [-m module | program.py] [arguments]"


def main(arguments: list[str]) -> None:
    """Runs the program that the arguments name.

    Raises:
        SystemExit: with 2 if there is no such program; or the program raised it.
    """
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE)
        return
    is_module = arguments[:1] == ["-m"]
    rest = arguments[is_module:]
    if not rest or (rest[0].startswith("-") and not is_module):
        print(USAGE, file=sys.stderr)
        raise SystemExit(2)
    name = rest[0]
    if not is_module and not Path(name).exists():
        print(f"python -m envpool_py.compat: there is no {name}", file=sys.stderr)
        raise SystemExit(2)
    alias_with_children()
    sys.argv = rest
    # `python -m` has put the current directory first, which `python program.py` does not.
    if not is_module and not getattr(sys.flags, "safe_path", False):
        sys.path[0] = str(Path(name).resolve().parent)
    sys.excepthook = _without_runner
    if is_module:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    elif Path(name).is_file():
        _run_file(Path(name).absolute())
    else:  # a directory with a __main__.py
        runpy.run_path(name, run_name="__main__")


def _run_file(path: Path) -> None:
    """Runs a program as Python does: its `__file__` is absolute, and its module stays `__main__`.

    `runpy.run_path` instead sets `__file__` to the path as given, and removes the module at the
    end.
    """
    program = ModuleType("__main__")
    program.__dict__.update(__file__=str(path), __builtins__=builtins, __cached__=None)
    program.__loader__ = SourceFileLoader("__main__", str(path))
    code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    sys.modules["__main__"] = program
    exec(code, program.__dict__)


def _without_runner(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Shows a traceback that begins in the program, as Python itself would show it."""
    ours = (__file__, runpy.__file__, "<frozen runpy>")
    while trace is not None and trace.tb_frame.f_code.co_filename in ours:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


if __name__ == "__main__":
    main(sys.argv[1:])
