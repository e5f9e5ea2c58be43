"""Importing a plug-in that was built for another envpool_py raises an error."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import envpool_py
from envpool_py import _core, get_include
from envpool_py.authoring import building

pytestmark = pytest.mark.unsanitized  # the plug-in's compiler command has no sanitizer flags

Compile = Callable[..., Path]
RunPython = Callable[..., str]

OWN = _core._plugin_stamp
VERSION = envpool_py.__version__
FLAGS = "`python -m envpool_py --cflags`"

# The import error, by the environment variable STAMP of stamps.cc.
REFUSED = {
    "version": f"built for envpool_py 0.0.9, {VERSION} is installed: build it again",
    "standard library": (
        f"compiled with libc++ by Clang 19.1.0, and envpool_py with {OWN['standard_library']} by "
        f"{OWN['compiler']}: build it with {OWN['standard_library']}"
    ),
    "string ABI": (
        f'compiled with the string ABI "before cxx11" by {OWN["compiler"]}, and envpool_py with '
        f'the string ABI "{OWN["string_abi"]}" by {OWN["compiler"]}: build it with the flags of '
        f"{FLAGS}"
    ),
    "headers": (
        f"built for other headers of envpool_py {VERSION} (0123456789abcdef), a build with the "
        f"headers {OWN['headers']} is installed: build it again"
    ),
    "layout": (
        f"compiled by {OWN['compiler']} with options that change the layout of C++ types, and "
        f"envpool_py by {OWN['compiler']}: build it with the flags of {FLAGS}"
    ),
    "fewer fields": (
        f"built for another version of envpool_py, envpool_py {VERSION} is installed: build it "
        "again"
    ),
}

IMPORT = """
import json, os, sys
import envpool_py
said = {}
name, stamps = sys.argv[1], json.loads(sys.argv[2])
for os.environ["STAMP"] in stamps:
    try:
        __import__(name)
    except ImportError as error:
        assert type(error) is envpool_py.errors.PluginError
        said[os.environ["STAMP"]] = str(error)
print(json.dumps(said))
"""


@pytest.fixture
def compile_stamps(tmp_path: Path) -> Compile:
    """Compiles stamps.cc, which defines its own PyInit function."""

    def compile_it(*flags: str) -> Path:
        module = tmp_path / "stamps.so"
        compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]
        source = Path(__file__).with_name("stamps.cc")
        command = [*compiler, "-O0", *building.compile_flags(), str(source)]
        command += [*building.link_flags(), *flags, "-o", str(module)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        return module

    return compile_it


def said_by(directory: Path, name: str, run_python: RunPython, *stamps: str) -> dict[str, str]:
    said = json.loads(run_python(directory, IMPORT, name, json.dumps(stamps)))
    assert all(text.startswith(f"plug-in {name}: ") for text in said.values())
    return {stamp: text.removeprefix(f"plug-in {name}: ") for stamp, text in said.items()}


@pytest.mark.long
def test_each_difference_is_named(compile_stamps: Compile, run_python: RunPython) -> None:
    if OWN["standard_library"] != "libstdc++" or OWN["string_abi"] != "cxx11":
        pytest.skip("built with the standard library that stands for another one here")
    directory = compile_stamps().parent
    # The last two are accepted, because a later version may have more fields.
    stamps = [*REFUSED, "more fields", ""]
    assert said_by(directory, "stamps", run_python, *stamps) == REFUSED


def with_headers(directory: Path, name: str, pattern: str, text: str) -> list[str]:
    """Returns the flags that compile a plug-in with a changed copy of the headers."""
    include = directory / "include"
    shutil.copytree(get_include(), include)
    header = include / "engine" / name
    header.write_text(re.sub(pattern, text, header.read_text()))
    return ["-iquote", str(include)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("(ENVPOOL_VERSION) .*", r'\1 "0.0.9"', REFUSED["version"]),
        ("(ENVPOOL_HEADERS) .*", r'\1 "0123456789abcdef"', REFUSED["headers"]),
    ],
)
def test_a_plugin_of_another_installation_is_refused(
    tmp_path: Path,
    compile_stamps: Compile,
    run_python: RunPython,
    pattern: str,
    text: str,
    expected: str,
) -> None:
    flags = with_headers(tmp_path, "c_interface/build_stamp.h", pattern, text)
    directory = compile_stamps(*flags).parent
    assert said_by(directory, "stamps", run_python, "") == {"": expected}


@pytest.mark.long
def test_options_of_the_compiler_that_change_the_layout_are_refused(
    compile_stamps: Compile,
) -> None:
    with pytest.raises(AssertionError, match="static assertion failed"):
        compile_stamps("-fpack-struct=4")
    with pytest.raises(AssertionError, match="_GLIBCXX_DEBUG changes the layout of containers"):
        compile_stamps("-D_GLIBCXX_DEBUG")


def test_the_stamp_is_that_of_the_headers() -> None:
    stamp = (Path(get_include()) / "engine" / "c_interface" / "build_stamp.h").read_text()
    defined = dict(re.findall(r'^#define ENVPOOL_(\w+) "(.*)"$', stamp, re.MULTILINE))
    assert defined == {
        "VERSION": VERSION,
        "STANDARD_LIBRARY": OWN["standard_library"],
        "STRING_ABI": OWN["string_abi"],
        "HEADERS": OWN["headers"],
    }


@pytest.mark.long
def test_a_plugin_needs_nothing_of_python_but_one_function(compile_stamps: Compile) -> None:
    module = compile_stamps()
    symbols = subprocess.run(
        ["nm", "--dynamic", "--undefined-only", str(module)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.findall(r"\bU (Py\w+)", symbols) == ["PyCapsule_Import"]
    exported = subprocess.run(
        ["nm", "--dynamic", "--defined-only", "--extern-only", str(module)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert re.findall(r"\bT (\w+)", exported) == ["PyInit_stamps"]
