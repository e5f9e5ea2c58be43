"""Building plug-ins: `python -m envpool_py`, `compile_plugin`, and the CMake package."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import envpool_py
from envpool_py.authoring import building
from envpool_py.errors import PluginError

WALK = Path(__file__).with_name("walk.cc")

RunPython = Callable[..., str]

# Compares with the same class in Python, which draws the same random numbers.
USE_WALK = """
import numpy as np
import envpool_py
import walk

assert walk.__name__ == "walk"
with envpool_py.make("Walk-v0", num_envs=4, num_threads=2) as envs:
    observations, _ = envs.reset(seed=3)
    generators = [np.random.default_rng(3 + env) for env in range(4)]
    places = [generator.uniform(-0.5, 0.5) for generator in generators]
    assert observations[:, 0].tolist() == places
    for step in range(19):
        observations, rewards, terminated, truncated, _ = envs.step(np.zeros(4, int))
        places = [
            min(max(place + (-0.125 + generator.normal(0.0, 0.01)), -1.0), 1.0)
            for place, generator in zip(places, generators)
        ]
        assert observations[:, 0].tolist() == places == rewards.tolist()
        assert not terminated.any() and not truncated.any()
    assert envs.step(np.zeros(4, int))[3].all()
"""


def command(*arguments: str, directory: Path | None = None, **environment: str) -> list[str]:
    """Returns the output lines of `python -m envpool_py`."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "envpool_py", *arguments],
        cwd=directory,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_the_commands_print_what_the_functions_return() -> None:
    assert command("--version") == [envpool_py.__version__]
    assert command("--includes") == [shlex.join([f"-I{envpool_py.get_include()}"])]
    assert command("--cmakedir") == [envpool_py.get_cmake_dir()]
    assert command("--cflags") == [shlex.join(building.compile_flags())]
    assert command("--ldflags") == [shlex.join(building.link_flags())]
    assert (Path(envpool_py.get_include()) / "envpool.h").is_file()
    assert (Path(envpool_py.get_cmake_dir()) / "envpool_py-config.cmake").is_file()


@pytest.mark.unsanitized  # the plug-in's compiler command has no sanitizer flags
def test_a_plugin_is_compiled_beside_its_source_and_runs(
    tmp_path: Path, run_python: RunPython
) -> None:
    """Compiles with all warnings as errors, to show that the headers cause none."""
    shutil.copy(WALK, tmp_path)
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    printed = command(
        "--compile", "walk.cc", "--", "-O0", *warnings, directory=tmp_path, CXXFLAGS="-DNDEBUG"
    )
    assert printed == ["walk.so"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["walk.cc", "walk.so"]
    run_python(tmp_path, USE_WALK)


@pytest.mark.unsanitized
@pytest.mark.long
def test_a_cmake_project_finds_the_package(tmp_path: Path, run_python: RunPython) -> None:
    cmake = shutil.which(
        "cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if cmake is None:
        pytest.skip("needs cmake")
    shutil.copy(WALK, tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\n"
        "project(walk LANGUAGES CXX)\n"
        f"find_package(envpool_py {envpool_py.__version__} REQUIRED)\n"
        "envpool_py_add_module(walk walk.cc)\n"
    )
    where = f"-Denvpool_py_DIR={envpool_py.get_cmake_dir()}"
    for arguments in (["-S", ".", "-B", "build", where], ["--build", "build"]):
        done = subprocess.run([cmake, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stdout
    run_python(tmp_path / "build", USE_WALK)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int x;", "expected one ENVPOOL_PLUGIN(name) in the sources, got none"),
        (
            "ENVPOOL_PLUGIN(one) {}\nENVPOOL_PLUGIN(two) {}",
            "expected one ENVPOOL_PLUGIN(name) in the sources, got one in a.cc, two in a.cc",
        ),
    ],
)
def test_the_sources_name_one_plugin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.cc").write_text(text)
    with pytest.raises(PluginError) as caught:
        building.compile_plugin(["a.cc"])
    assert str(caught.value) == expected


def test_what_cannot_be_compiled_leaves_the_module_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "a.cc"
    with pytest.raises(PluginError, match=r"a\.cc: No such file or directory"):
        building.compile_plugin([source])
    source.write_text("#include <envpool.h>\nENVPOOL_PLUGIN(my_env) { registry.Ad(); }\n")
    module = tmp_path / "my_env.so"
    module.write_text("the module before")
    with pytest.raises(
        PluginError, match=r'expected an output of the name "my_env.so", got "x.so"'
    ):
        building.compile_plugin([source], tmp_path / "x.so")
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    with pytest.raises(PluginError, match=r'cannot run the compiler "no-such-compiler": No such'):
        building.compile_plugin([source])
    monkeypatch.delenv("CXX")
    with pytest.raises(PluginError, match=r"a\.cc .*: status 1\n(.*\n)*.*error: .*Ad"):
        building.compile_plugin([source], flags=["-fsyntax-only"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.cc", "my_env.so"]
    assert module.read_text() == "the module before"
