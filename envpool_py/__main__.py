"""`python -m envpool_py`: compiles plug-ins, and prints compiler flags for other build systems.

docs/your-own-environment.md describes it. All other commands are in the program `envpool-py`.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from envpool_py.authoring import building, paths
from envpool_py.errors import PluginError

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m envpool_py",
        description="Builds plug-ins: C++ modules that add environments.",
        epilog="`envpool-py` lists, benchmarks and plays tasks.",
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--version", action="store_true", help="print the version of the package")
    what.add_argument("--includes", action="store_true", help="print -I and the headers' directory")
    what.add_argument("--cflags", action="store_true", help="print all flags of the compiler")
    what.add_argument("--ldflags", action="store_true", help="print the flags of the linker")
    what.add_argument(
        "--cmakedir", action="store_true", help="print the directory for find_package(envpool_py)"
    )
    what.add_argument(
        "--compile",
        nargs="+",
        metavar="FILE",
        help="compile a plug-in with the compiler in CXX (default: c++) and print its path; "
        "arguments after -- go to the compiler",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help="with --compile: the module, or a directory for it; default: beside its source",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit status: 0, or 1 after an error."""
    given = list(sys.argv[1:] if argv is None else argv)
    flags = []
    if "--" in given:
        split = given.index("--")
        given, flags = given[:split], given[split + 1 :]
    parser = _parser()
    arguments = parser.parse_args(given)
    if arguments.compile is None and (flags or arguments.output is not None):
        parser.error("--output and arguments after -- need --compile")
    if arguments.version:
        from envpool_py import __version__

        print(__version__)
    elif arguments.includes:
        print(shlex.join([f"-I{paths.get_include()}"]))
    elif arguments.cflags:
        print(shlex.join(building.compile_flags()))
    elif arguments.ldflags:
        print(shlex.join(building.link_flags()))
    elif arguments.cmakedir:
        print(paths.get_cmake_dir())
    else:
        try:
            print(building.compile_plugin(arguments.compile, arguments.output, flags))
        except PluginError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
