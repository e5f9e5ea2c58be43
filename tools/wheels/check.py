"""Checks what is in a wheel: `python -m tools.wheels.check WHEEL [PATH...]`.

Each module of it must be without symbols that the loader of an older system does not find, and
without debug sections, and no file may contain one of the paths, which are those of the machine
that built it. Prints what is wrong, and exits with 1.

The loader looks for a symbol without a version wherever it can, so the machine that builds finds
what the libraries of `old_libraries.py` lack; neither it nor auditwheel would notice.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

# Of the interpreter, which has no versions of symbols. What is weak may be missing.
_PYTHON = re.compile(r"_?Py\w+")
_UNDEFINED = re.compile(r" (GLOBAL|WEAK) +\w+ +UND (\S+)")
_UNWANTED = re.compile(r"^ *\[ *\d+\] (\.z?debug\w+|\.symtab|\.gnu\.lto\S*) ", re.MULTILINE)


def unversioned(listing: str) -> list[str]:
    """Returns the symbols in the output of `readelf -W --dyn-syms` that have no version.

    Python's are left out.
    """
    return [
        name
        for binding, name in _UNDEFINED.findall(listing)
        if binding != "WEAK" and "@" not in name and not _PYTHON.fullmatch(name)
    ]


def unwanted_sections(listing: str) -> list[str]:
    """Returns the sections, in the output of `readelf -W -S`, that a shipped module needs not."""
    return _UNWANTED.findall(listing)


def _readelf(option: str, path: Path) -> str:
    done = subprocess.run(
        ["readelf", "-W", option, path], check=True, capture_output=True, text=True
    )
    return done.stdout


def faults(wheel: Path, paths: Sequence[str]) -> Iterator[str]:
    """Yields what is wrong with a wheel."""
    modules = 0
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as folder:
        for name in archive.namelist():
            content = archive.read(name)
            for path in paths:
                if path.encode() in content:
                    yield f"{name} contains the path {path}"
            if not name.endswith(".so"):
                continue
            modules += 1
            module = Path(folder, "module.so")
            module.write_bytes(content)
            for symbol in unversioned(_readelf("--dyn-syms", module)):
                yield f"{name} needs {symbol}, which an older system may not have"
            if "[libstdc++.so.6]" not in _readelf("-d", module):
                yield f"{name} has a C++ library of its own, and not that of plug-ins"
            for section in unwanted_sections(_readelf("-S", module)):
                yield f"{name} has the section {section}"
    if not modules:
        yield "there is no module in it"


def main(argv: Sequence[str] | None = None) -> int:
    """Checks a wheel; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheels.check")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("paths", nargs="*", help="what no file may contain")
    arguments = parser.parse_args(argv)
    found = list(faults(arguments.wheel, arguments.paths))
    for fault in found:
        print(f"{arguments.wheel.name}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
