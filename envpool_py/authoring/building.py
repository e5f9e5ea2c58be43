"""Building plug-ins: extension modules in C++ that add environments.

The package contains the headers (`#include <envpool.h>`), a static library and a CMake package. A
plug-in needs a C++20 compiler with the standard library that this package was built with. It does
not need Python's headers or pybind11. docs/your-own-environment.md begins with an example.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from envpool_py.authoring.paths import get_include, get_library
from envpool_py.errors import PluginError
from envpool_py.pool import core

__all__ = ["compile_flags", "compile_plugin", "link_flags"]

_PLUGIN = re.compile(r"^[ \t]*ENVPOOL_PLUGIN\s*\(\s*(\w+)\s*\)", re.MULTILINE)


def compile_flags() -> list[str]:
    """Returns the compiler's flags for a plug-in, without optimisation.

    `-ffp-contract=off` stops the compiler from fusing multiplications and additions, which would
    change the last bits of results between processors.
    """
    abi = {"cxx11": ["-D_GLIBCXX_USE_CXX11_ABI=1"], "before cxx11": ["-D_GLIBCXX_USE_CXX11_ABI=0"]}
    return [
        "-std=c++20",
        "-fPIC",
        "-fvisibility=hidden",
        "-fvisibility-inlines-hidden",
        "-ffp-contract=off",
        *abi.get(core.plugin_stamp["string_abi"], []),
        f"-I{get_include()}",
    ]


def link_flags() -> list[str]:
    """Returns the linker's arguments for a plug-in; they follow its sources or objects."""
    library = get_library()
    if sys.platform == "darwin":
        return ["-bundle", "-undefined", "dynamic_lookup", library]
    return ["-shared", library, "-lm", "-Wl,--exclude-libs,ALL"]


def compile_plugin(
    sources: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    flags: Sequence[str] = (),
) -> Path:
    """Compiles a plug-in and returns the path of the extension module.

    Runs the compiler in the environment variable CXX (default: `c++`) with -O3, `compile_flags()`,
    the sources, `link_flags()`, the variable CXXFLAGS and `flags`, in this order. Its warnings go
    to stderr. An existing module is replaced only when the new one is complete; processes that have
    loaded the old one continue to use it.

    Args:
        sources: C++ files. One of them contains `ENVPOOL_PLUGIN(name)`, which names the module.
        output: path of the module, or an existing directory for `<name>.so`. None: the directory
            of the file with `ENVPOOL_PLUGIN`.
        flags: further arguments of the compiler, such as `-DNDEBUG`, `-I...` or libraries.

    Raises:
        PluginError: a file is missing, no file or more than one names a plug-in, there is no
            compiler, or it fails; the message contains what it printed.
    """
    paths = [Path(source) for source in sources]
    name, defined_in = _plugin_of(paths)
    path = defined_in.parent if output is None else Path(output)
    if path.is_dir():
        path /= f"{name}.so"
    if path.name.partition(".")[0] != name:
        raise PluginError(f'expected an output of the name "{name}.so", got "{path.name}"')
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    more = [*shlex.split(os.environ.get("CXXFLAGS", "")), *flags]
    command = [*compiler, "-O3", *compile_flags(), *map(str, paths), *link_flags(), *more]
    try:
        _run([*command, "-o", str(partial)])
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


def _plugin_of(paths: Sequence[Path]) -> tuple[str, Path]:
    """Returns the name of the plug-in in these files, and the file that defines it."""
    found = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise PluginError(f"{path}: {error.strerror}") from error
        found += [(name, path) for name in _PLUGIN.findall(text)]
    if len(found) != 1:
        names = ", ".join(f"{name} in {path}" for name, path in found) or "none"
        raise PluginError(f"expected one ENVPOOL_PLUGIN(name) in the sources, got {names}")
    return found[0]


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise PluginError(
            f'cannot run the compiler "{command[0]}": {error.strerror}; install a C++20 compiler '
            "such as g++, or name one in the environment variable CXX"
        ) from error
    if done.returncode != 0:
        raise PluginError(
            f"{shlex.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}"
        )
    sys.stderr.write(done.stdout + done.stderr)
