"""The C interface: a plug-in in C, frozen structs, and the releases whose plug-ins are accepted."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import envpool_py
from envpool_py import get_include
from envpool_py.authoring import building

pytestmark = pytest.mark.unsanitized  # the plug-ins' compiler commands have no sanitizer flags

SOURCES = Path(__file__).parent
ROOT = SOURCES.parents[1]
VERSION = envpool_py.__version__
# A warning in a header would appear in the plug-ins of all users.
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

RunPython = Callable[..., str]


def compile_c(*arguments: str | Path) -> None:
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    command = [*compiler, "-O1", f"-I{get_include()}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.fixture(scope="session")
def compile_module(made_once: Callable[..., Path]) -> Callable[[str], Path]:
    """Compiles a plug-in in C, which needs only its header, and returns its directory."""

    def compile_file(name: str) -> Path:
        return made_once(
            f"c_{name}",
            lambda where: compile_c(
                *STRICT, "-shared", "-fPIC", SOURCES / f"{name}.c", "-o", where / f"{name}.so"
            ),
        )

    return compile_file


def test_the_structs_and_constants_are_those_of_version_1() -> None:
    compile_c(*STRICT, "-fsyntax-only", SOURCES / "abi_layout.c")


USE_TALLY = """
import numpy as np
import envpool_py
import tally

spec = envpool_py.make_spec("Tally-v0", size=4)
option = spec.options["size"]
assert (option.default, option.low, option.high) == (5, 1, 100), option
assert option.doc == "distance at which an episode ends"
assert spec.max_episode_steps == 50 and spec.reward_threshold == 4.5
with envpool_py.make("Tally-v0", num_envs=5, num_threads=2, size=4) as envs:
    places = envs.reset(seed=3)[0].tolist()
    assert places == [0] * 5
    generators = [np.random.default_rng(3 + env) for env in range(5)]
    actions = np.random.default_rng(0).integers(0, 3, (200, 5))
    visits, over = [0] * 5, [False] * 5
    for action in actions:
        observations, rewards, terminated, truncated, infos = envs.step(action)
        for env, generator in enumerate(generators):
            if over[env]:  # this step has reset it
                places[env] = visits[env] = 0
                over[env] = False
                assert not infos["_visits"][env]
                continue
            places[env] += action[env] - 1
            if generator.random() < 0.25:
                places[env] += 2 * generator.integers(0, 2) - 1
            places[env] = max(-4, min(places[env], 4))
            visits[env] += places[env] == 0
            assert rewards[env] == places[env]
            assert terminated[env] == (abs(places[env]) == 4)
            assert infos["visits"][env] == visits[env] and infos["_visits"][env]
            over[env] = terminated[env] or truncated[env]
        assert observations.tolist() == places
    assert any(visits)
"""


def test_a_plugin_in_c_gives_the_numbers_of_its_rules(
    compile_module: Callable[[str], Path], run_python: RunPython
) -> None:
    run_python(compile_module("tally"), USE_TALLY)


TALLY_FAILS = """
import numpy as np
import envpool_py
import tally
from envpool_py.errors import EnvironmentFailedError, OptionError, StateError

with envpool_py.make("Tally-v0", num_envs=3, size=7, render_mode="rgb_array") as envs:
    assert envs.reset(options={"place": -2})[0].tolist() == [-2, -2, -2]
    assert envs.render()[0][0, :, 0].argmax() == 6
    states = envs.save_states()
    try:
        envs.step([1, 3, 1])
    except EnvironmentFailedError as error:
        assert (error.env_ids, error.causes) == ([1], ["asked to fail"]), error
        places = error.batch[0]
        assert places[1] == 0 and -3 <= places[0] <= -1
    envs.load_states(states)
    assert envs.render()[1][0, :, 0].argmax() == 6
    try:
        envs.reset(options={"place": 7})
    except EnvironmentFailedError as error:
        assert error.causes == ["the start is an end"] * 3
    envs.reset()
with envpool_py.make("Tally-v0", num_envs=3, size=9) as envs:
    envs.reset(options={"place": 4})
    try:
        envs.save_states()
    except StateError as error:
        assert str(error) == "save_states: environment 2: asked not to save", error
    else:
        raise AssertionError
    (state,) = envs.save_states([1])
    envs.step([1, 2, 1])
    assert envs.load_states([state], [1])[0].tolist() == [4]
for settings, kind, text in [
    ({"size": 0}, OptionError, "expected a value in [1, 100], got 0"),
    ({"size": 13}, OptionError, "size: 13 is refused"),
]:
    try:
        envpool_py.make("Tally-v0", **settings)
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(settings)
"""


def test_a_plugin_in_c_reports_its_errors(
    compile_module: Callable[[str], Path], run_python: RunPython
) -> None:
    run_python(compile_module("tally"), TALLY_FAILS)


@pytest.mark.long
def test_a_plugin_in_c_passes_the_conformance_checks(
    compile_module: Callable[[str], Path],
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "envpool_py.cli", "check", "./tally.so"],
        cwd=compile_module("tally"),
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_numbers_drawn_in_c_are_numpys(tmp_path: Path) -> None:
    (tmp_path / "draws.c").write_text(
        "#include <envpool_abi.h>\n"
        "double draw_random(envpool_rng* rng) { return envpool_random(rng); }\n"
        "double draw_uniform(envpool_rng* rng, double low, double high) {\n"
        "  return envpool_uniform(rng, low, high);\n"
        "}\n"
        "int64_t draw_integer(envpool_rng* rng, int64_t low, int64_t high) {\n"
        "  return envpool_integers(rng, low, high);\n"
        "}\n"
    )
    compile_c("-shared", "-fPIC", tmp_path / "draws.c", "-o", tmp_path / "draws.so")
    library = ctypes.CDLL(str(tmp_path / "draws.so"))
    library.draw_random.restype = library.draw_uniform.restype = ctypes.c_double
    library.draw_integer.restype = ctypes.c_int64
    generator = np.random.default_rng(17)
    state = generator.bit_generator.state["state"]
    words = [value for name in ("state", "inc") for value in divmod(state[name], 2**64)]
    rng = (ctypes.c_uint64 * 5)(*words, 0)
    choose = np.random.default_rng(1)
    for _ in range(3000):
        assert library.draw_random(rng) == generator.random()
        low, high = sorted(choose.normal(0, 100, 2))
        drawn = library.draw_uniform(rng, ctypes.c_double(low), ctypes.c_double(high))
        assert drawn == generator.uniform(low, high)
        # Ranges of all sizes; some just fit into 32-bit draws and others just do not.
        range_ = choose.choice([1, 2, 3, 1000, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, 2**62 + 7])
        start = int(choose.integers(-(2**61), 2**61))
        bounds = ctypes.c_int64(start), ctypes.c_int64(start + int(range_))
        assert library.draw_integer(rng, *bounds) == generator.integers(start, start + int(range_))


THIS = f"envpool_py {VERSION} with version 1.1 is installed: build it again"
REFUSED = {
    "later version": f"built for envpool_py 9.8.7, which has version 2.1 of the interface of "
    f"plug-ins; {THIS}",
    "no release": f"built for envpool_py ?, which has version 2.1 of the interface of "
    f"plug-ins; {THIS}",
    "earlier version": f"built for envpool_py 9.8.7, which has version 0.1 of the interface of "
    f"plug-ins; {THIS}",
    "later revision": f"built for envpool_py 9.8.7, which has version 1.2 of the interface of "
    f"plug-ins; {THIS}",
    "size of plugin": "expected at least 64 bytes of envpool_plugin, got 16",
    "size of task": "Mistake-v0: expected at least 184 bytes of envpool_task, got 64",
    "no id": "a task without an id: expected an id",
    "no step": "Mistake-v0: expected the function step, got null",
    "save alone": "Mistake-v0: expected both of save and load, or neither",
    "games without seeds": "Mistake-v0: expected ENVPOOL_RECEIVES_SEED with "
    "ENVPOOL_CONTINUES_GAMES",
    "float64 actions": "Mistake-v0: expected an action space that is a float32 box for "
    "ENVPOOL_STEPS_FLOAT64",
    "type of option": "the C interface: expected a type of an option in [0, 8], got 9",
    "null options": "the C interface: expected options, got 1 at a null pointer",
    "threshold": "Mistake-v0: expected a number as reward_threshold, got NaN",
    "dtype": "Mistake-v0: the C interface: expected a dtype in [0, 10], got 11",
    "kind": "Mistake-v0: the C interface: expected a kind of a space in [0, 6], got 7",
    "null shape": "Mistake-v0: the C interface: expected dimensions of a space, got 1 at a null "
    "pointer",
    "bounds": "inconsistent spec: Mistake-v0 observation: expected 1 low bound or 2, one per "
    "element, got 3",
    "size of spec": "Mistake-v0: the C interface: expected at least 312 bytes of envpool_spec, "
    "got 8",
    "picture without draw": "Mistake-v0: expected the function draw for a spec with pictures, got "
    "null",
    "nested action": "Mistake-v0: expected ENVPOOL_STEPS_LEAVES for an action space with children",
    "describe fails": "Mistake-v0: no level file",
    "describe fails silently": "Mistake-v0: the plug-in has reported no reason",
    "no spec": "Mistake-v0: the plug-in has given no spec",
    "spec of null": "Mistake-v0: the plug-in has given a spec of null",
    "message of null": "Mistake-v0: the plug-in has reported a message that is not valid",
    "tasks of null": "expected 1 tasks, got null in place of number 0",
    "task of null": "expected 1 tasks, got null in place of number 0",
}


def test_what_cannot_be_used_is_refused_by_name(
    compile_module: Callable[[str], Path], run_python: RunPython
) -> None:
    program = """
import json, os, sys
import envpool_py
said = {}
for os.environ["MISTAKE"] in json.loads(sys.argv[1]):
    try:
        import interface_mistakes
    except envpool_py.errors.PluginError as error:
        said[os.environ["MISTAKE"]] = str(error)
    assert "Mistake-v0" not in envpool_py.list_all_envs()
print(json.dumps(said))
"""
    directory = compile_module("interface_mistakes")
    said = json.loads(run_python(directory, program, json.dumps([*REFUSED])))
    expected = {name: f"plug-in interface_mistakes: {text}" for name, text in REFUSED.items()}
    assert said == expected


# Changes that another release may make to its C++, by file: they change the layout of the classes
# that cross the C++ interface.
OTHER_RELEASE = {
    "c_interface/build_stamp.h": [
        ("(ENVPOOL_VERSION) .*", r'\1 "0.0.9"'),
        ("(HEADERS) .*", r'\1 "other"'),
    ],
    "env/spec.h": [("struct EnvSpec {", "struct EnvSpec {\n  double other_release[3] = {};")],
    "env/params.h": [("struct ParamSpec {", "struct ParamSpec {\n  int other_release = 1;")],
    "group/env_group.h": [
        ("struct EnvTraits {", "struct EnvTraits {\n  double other_release = 0.0;"),
        ("  virtual ~GroupState", "  virtual void OtherRelease() {}\n  virtual ~GroupState"),
    ],
    "tasks/registry.h": [
        ("struct TaskEntry {", "struct TaskEntry {\n  double other_release = 0.0;"),
        ("  virtual ~Registry", "  virtual void OtherRelease() {}\n  virtual ~Registry"),
    ],
}


def build_of_another_release(
    where: Path, source: Path, changes: dict[str, list[tuple[str, str]]]
) -> Path:
    """Compiles a plug-in with its library from changed headers."""
    include = where / "include"
    shutil.copytree(get_include(), include)
    for name, edits in changes.items():
        header = include / "engine" / name
        text = header.read_text()
        for pattern, replacement in edits:
            text, count = re.subn(pattern, replacement, text)
            assert count == 1, (name, pattern)
        header.write_text(text)
    layers = ("control", "env", "group", "c_interface", "tasks", "draw")
    sources = [path for layer in layers for path in sorted(ROOT.glob(f"engine/{layer}/*.cc"))]
    unity = where / f"{source.stem}.cc"
    unity.write_text("".join(f'#include "{path}"\n' for path in [source, *sources]))
    flags = [flag for flag in building.compile_flags() if not flag.startswith("-I")]
    compiler = shlex.split(os.environ.get("CXX", "")) or ["c++"]
    command = [*compiler, "-O0", *flags, f"-I{include}", str(unity), *building.link_flags()]
    done = subprocess.run(
        [*command, "-o", str(where / f"{source.stem}.so")],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return where


def test_a_plugin_of_the_release_before_runs(
    tmp_path: Path, compile_plugin: Callable[..., Path], run_python: RunPython
) -> None:
    """Results, options and errors equal those of the same plug-in built for this release."""
    program = """
import envpool_py
import walk
for batch_size in (70, 7):
    with envpool_py.make("Walk-v0", num_envs=70, num_threads=1, batch_size=batch_size) as envs:
        print(envs.reset(seed=3)[0].tolist())
        for _ in range(30):
            results = envs.step([1] * batch_size, list(range(batch_size)))
            print([column.tolist() for column in results[:4]])
print(envpool_py.make_spec("Walk-v0"))
"""
    before = build_of_another_release(tmp_path, SOURCES / "walk.cc", OTHER_RELEASE)
    now = compile_plugin("walk.cc").parent
    assert run_python(before, program) == run_python(now, program)


@pytest.mark.long
def test_a_plugin_of_a_release_with_another_interface_is_refused(
    tmp_path: Path, run_python: RunPython
) -> None:
    changes = {
        "c_interface/build_stamp.h": [("(ENVPOOL_VERSION) .*", r'\1 "0.0.9"')],
        "c_interface/plugin_abi.h": [("ENVPOOL_ABI 1", "ENVPOOL_ABI 2")],
    }
    directory = build_of_another_release(tmp_path, SOURCES / "walk.cc", changes)
    program = """
import envpool_py
try:
    import walk
except envpool_py.errors.PluginError as error:
    print(error)
"""
    assert run_python(directory, program) == (
        "plug-in walk: built for envpool_py 0.0.9, which has version 2.1 of the interface of "
        f"plug-ins; {THIS}\n"
    )


@pytest.mark.long
def test_a_task_in_the_cpp_interface_needs_its_release(
    tmp_path: Path, compile_plugin: Callable[..., Path], run_python: RunPython
) -> None:
    program = """
import envpool_py
import exact
for task in ("Still-v0", "Still-v1"):
    with envpool_py.make(task, num_envs=3) as envs:
        print(envs.reset(seed=5)[0].tolist(), envs.step([1, 0, 1])[1].tolist())
"""
    lines = run_python(compile_plugin("exact.cc").parent, program).splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]
    directory = build_of_another_release(tmp_path, SOURCES / "exact.cc", OTHER_RELEASE)
    program = """
import envpool_py
try:
    import exact
except envpool_py.errors.PluginError as error:
    print(error)
assert not {"Still-v0", "Still-v1"} & set(envpool_py.list_all_envs())
"""
    assert run_python(directory, program) == (
        f"plug-in exact: built for envpool_py 0.0.9, {VERSION} is installed: build it again\n"
    )


@pytest.mark.long
def test_the_tests_of_the_front_end_pass_through_the_c_interface() -> None:
    """Registers `envpool_py._testing`'s environments by the C interface and runs their tests."""
    names = {
        "pool": [
            "actions",
            "async",
            "attributes",
            "batch_memory",
            "check",
            "drain",
            "episode_statistics",
            "failures",
            "gymnasium_pool",
            "many",
            "nested_actions",
            "ordered",
            "pickling",
            "render",
            "seeds_and_reported_ends",
            "spaces",
            "states",
            "timeouts",
        ],
        "tasks": ["scenes", "spec"],
    }
    files = [f"tests/envpool_py/{room}/test_{name}.py" for room in names for name in names[room]]
    assert all((ROOT / file).exists() for file in files)
    # The C interface itself reports an info that is not set, with another message.
    other = [
        "--deselect",
        "tests/envpool_py/pool/test_check.py::test_an_info_that_is_declared_to_be_set",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not long", *files, *other],
        cwd=ROOT,
        env={**os.environ, "ENVPOOL_TESTING_C_INTERFACE": "1"},
        capture_output=True,
        text=True,
        timeout=3000,
    )
    assert done.returncode == 0, done.stdout + done.stderr
