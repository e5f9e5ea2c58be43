"""Libraries to link with, so that a wheel runs on older systems than the one that builds it.

    python -m tools.wheels.old_libraries DIRECTORY --compiler g++ --glibc 2.28

A linker binds each symbol to its newest version in the libraries of the system that builds, and
the loader of an older system refuses that version. Those libraries have the older versions too, so
this writes images of them into DIRECTORY that hold no code and only the symbols an older system
has, in the version it has them. `-L DIRECTORY` puts them before those of the system. What is
missing there is linked from static libraries: `missing.cc`, and GCC's libstdc++.a. What is missing
in these, too, is an undefined symbol when a module is loaded, and an error with `-Wl,-z,defs`.

The wheel still loads the libraries of the system that it runs on, so it shares the C++ library with
the plug-ins that are built there.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# The newest versions of GCC's libraries that go with a glibc: those of the policies that PEP 600
# points to, which auditwheel checks.
_GCC_VERSIONS = {
    "2.17": {"GLIBCXX": "3.4.19", "CXXABI": "1.3.7"},
    "2.28": {"GLIBCXX": "3.4.24", "CXXABI": "1.3.11"},
    "2.31": {"GLIBCXX": "3.4.28", "CXXABI": "1.3.12"},
}

# glibc 2.34 moved what these libraries had into libc.so.6. Until then a module has to name them.
_MOVED_TO_LIBC = (2, 34)
_FORMER_LIBRARIES = (
    ("libdl.so.2", re.compile(r"dl\w+")),
    ("librt.so.1", re.compile(r"(shm|timer|mq|aio|lio)_\w+")),
    ("libpthread.so.0", re.compile(r"(pthread|sem|call)_\w+|thrd_\w+|mtx_\w+|cnd_\w+|tss_\w+")),
)

_ROW = re.compile(
    r"^ *\d+: [0-9a-f]+ +(?P<size>\d+|0x[0-9a-f]+) (?P<type>\w+) +(?P<bind>\w+) +\w+ .*"
    r" (?P<section>\w+) (?P<name>[\w.$]+)@@?(?P<version>\w[\w.]*)$"
)


@dataclass(frozen=True)
class Symbol:
    """A dynamic symbol of a library, in one of its versions."""

    name: str
    version: str
    type: str
    size: int


def symbols_of(listing: str) -> list[Symbol]:
    """Returns the symbols that a library defines, of the output of `readelf -W --dyn-syms`."""
    found = []
    for line in listing.splitlines():
        row = _ROW.match(line)
        if row is None or row["section"] in ("UND", "ABS"):
            continue
        found.append(Symbol(row["name"], row["version"], row["type"], int(row["size"], 0)))
    return found


def number(version: str) -> tuple[int, ...]:
    """Returns the number of a version, as of GLIBC_2.28; () if it has none."""
    text = version.rpartition("_")[2]
    return tuple(map(int, text.split("."))) if re.fullmatch(r"[0-9.]+", text) else ()


def allowed(version: str, limits: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a system with these limits has a version of a symbol."""
    limit = limits.get(version.rpartition("_")[0])
    return limit is not None and () < number(version) <= limit


def older(
    symbols: Iterable[Symbol], limits: Mapping[str, tuple[int, ...]]
) -> tuple[list[Symbol], set[str]]:
    """Returns each symbol in its newest version within the limits, and the names of those moved.

    These are in libc.so.6 now and were in another library within the limits.
    """
    newest: dict[str, Symbol] = {}
    moved = set()
    for symbol in symbols:
        if symbol.version.startswith("GLIBC_") and number(symbol.version) == _MOVED_TO_LIBC:
            moved.add(symbol.name)
        if not allowed(symbol.version, limits):
            continue
        known = newest.get(symbol.name)
        if known is None or number(known.version) < number(symbol.version):
            newest[symbol.name] = symbol
    return sorted(newest.values(), key=lambda each: each.name), moved & set(newest)


def former_library(name: str) -> str | None:
    """Returns the library that had a symbol which is in libc.so.6 now."""
    return next((lib for lib, names in _FORMER_LIBRARIES if names.fullmatch(name)), None)


def assembly(symbols: Iterable[Symbol]) -> str:
    """Returns a source in which each symbol has its type and size."""
    lines = []
    for symbol in symbols:
        name = f'"{symbol.name}"'
        if symbol.type == "TLS":
            lines.append(f'.section .tbss,"awT",%nobits\n.globl {name}\n.type {name}, %tls_object')
        elif symbol.type == "OBJECT":
            lines.append(f".bss\n.globl {name}\n.type {name}, %object")
        else:
            lines.append(f".text\n.globl {name}\n.type {name}, %function")
        lines.append(f".size {name}, {symbol.size}\n.balign 16\n{name}: .skip {symbol.size or 1}")
    return "\n".join((*lines, '.section .note.GNU-stack,"",%progbits', ""))


def version_script(symbols: Iterable[Symbol]) -> str:
    """Returns the script that gives each symbol its version."""
    nodes: dict[str, list[str]] = {}
    for symbol in symbols:
        nodes.setdefault(symbol.version, []).append(f'  "{symbol.name}";')
    return "".join(
        f"{version} {{\n global:\n{chr(10).join(names)}\n}};\n"
        for version, names in sorted(nodes.items())
    )


class Compiler:
    """A GCC, for this machine or another."""

    def __init__(self, command: str) -> None:
        self._command = command

    def run(self, *arguments: str | Path) -> None:
        """Compiles or links."""
        subprocess.run([self._command, *map(str, arguments)], check=True)

    def archive(self, path: Path, objects: Sequence[Path]) -> Path:
        """Writes a static library, and returns its path."""
        asked = subprocess.run(
            [self._command, "-print-prog-name=ar"], check=True, capture_output=True, text=True
        )
        path.unlink(missing_ok=True)
        subprocess.run([asked.stdout.strip(), "qcsD", path, *objects], check=True)
        return path

    def file(self, name: str) -> Path:
        """Returns where a library is."""
        done = subprocess.run(
            [self._command, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        )
        path = Path(done.stdout.strip())
        if not path.is_absolute() or not path.exists():
            raise SystemExit(f"{self._command} has no {name}")
        return path.resolve()

    def symbols(self, name: str) -> list[Symbol]:
        """Returns what a library defines."""
        done = subprocess.run(
            ["readelf", "-W", "--dyn-syms", self.file(name)],
            check=True,
            capture_output=True,
            text=True,
        )
        found = symbols_of(done.stdout)
        if not found:
            raise SystemExit(f"{name} of {self._command} has no versions of symbols")
        return found

    def image(self, folder: Path, soname: str, symbols: Sequence[Symbol]) -> Path:
        """Writes a library without code, and returns its path."""
        source, script = folder / f"{soname}.s", folder / f"{soname}.map"
        source.write_text(assembly(symbols))
        script.write_text(version_script(symbols))
        self.run(
            *("-shared", "-nostdlib", f"-Wl,-soname,{soname},--version-script,{script}"),
            *("-o", folder / soname, source),
        )
        return folder / soname


def write(folder: Path, compiler: Compiler, glibc: str) -> None:
    """Writes the libraries."""
    limits = {
        name: number(f"_{text}") for name, text in {"GLIBC": glibc, **_GCC_VERSIONS[glibc]}.items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    objects = []
    for name in ("missing", "single_threaded"):
        source = Path(__file__).with_name(f"{name}.cc")
        objects.append(folder / f"{name}.o")
        compiler.run(
            *("-c", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions"),
            *("-o", objects[-1], source),
        )
    missing = compiler.archive(folder / "libmissing.a", objects)
    compiler.archive(folder / "libplugins.a", objects[-1:])

    in_libc, moved = older(compiler.symbols("libc.so.6"), limits)
    homes: dict[str, list[Symbol]] = {name: [] for name, _ in _FORMER_LIBRARIES}
    homes["libc.so.6"] = []
    for symbol in in_libc:
        home = former_library(symbol.name) if symbol.name in moved else None
        homes[home or "libc.so.6"].append(symbol)
    images = [compiler.image(folder, name, symbols) for name, symbols in homes.items()]
    libc = images.pop()
    nonshared = compiler.file("libc_nonshared.a")
    (folder / "libc.so").write_text(
        f"GROUP ( {libc} AS_NEEDED ( {' '.join(map(str, images))} ) {missing} {nonshared}"
        f" AS_NEEDED ( {loader(compiler)} ) )\n"
    )
    # All that a program asks for by these names is in libc.so, above.
    for name in ("libdl.so", "librt.so", "libpthread.so"):
        (folder / name).write_text("/* empty */\n")

    math, _ = older(compiler.symbols("libm.so.6"), limits)
    image = compiler.image(folder, "libm.so.6", math)
    (folder / "libm.so").write_text(f"INPUT ( {image} )\n")

    cxx, _ = older(compiler.symbols("libstdc++.so"), limits)
    image = compiler.image(folder, "libstdc++.so.6", cxx)
    (folder / "libstdc++.so").write_text(f"INPUT ( {image} {compiler.file('libstdc++.a')} )\n")


def loader(compiler: Compiler) -> Path:
    """Returns the loader, which defines what thread-local variables need."""
    for name in ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"):
        try:
            return compiler.file(name)
        except SystemExit:
            continue
    raise SystemExit("neither the loader of x86-64 nor that of ARM is there")


def main(argv: Sequence[str] | None = None) -> int:
    """Writes the libraries; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheels.old_libraries")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compiler", default="g++", help="a GCC (default: %(default)s)")
    parser.add_argument("--glibc", default="2.28", choices=sorted(_GCC_VERSIONS))
    arguments = parser.parse_args(argv)
    write(arguments.folder.resolve(), Compiler(arguments.compiler), arguments.glibc)
    return 0


if __name__ == "__main__":
    sys.exit(main())
