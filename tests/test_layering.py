"""Dependencies point one way: MAY_INCLUDE has the layers of engine/, and envpool_py is above them.

Checks the #include lines of engine/ and the imports of envpool_py/, and reports every line that
points the wrong way. Sources that break the rules test the rules themselves.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tools import house

ROOT = Path(__file__).resolve().parent.parent

# The other layers that the C++ in each layer may include. A layer is a directory of engine/;
# environments written in Python are a layer within bindings.
MAY_INCLUDE = {
    "base": set(),
    "sync": {"base"},
    "control": {"base"},
    "env": {"base", "control"},
    "draw": {"base", "env"},
    "group": {"base", "control", "env"},
    "c_interface": {"base", "control", "env", "group"},
    "tasks": {"base", "control", "env", "group", "c_interface"},
    # Rigid bodies do not depend on environments.
    "physics2d": {"base"},
    "checks": {"base", "control", "env", "group"},
    "batch": {"base", "sync", "control", "env", "group"},
    "topology": {"base"},
    "telemetry": {"base", "sync", "control", "env", "group", "batch"},
    "runtime": {"base", "sync", "control", "env", "group", "batch", "telemetry", "topology"},
    "processes": {"base", "sync", "control", "env", "group", "batch", "telemetry", "runtime"},
    "xla": {"base", "sync", "control", "env", "group", "batch", "runtime"},
    # An emulator does not depend on environments.
    "emulators": {"base"},
    # Code around the environments applies the rules of an episode; environments never do.
    "envs": {"base", "env", "group", "tasks", "emulators", "physics2d"},
    "bindings": {
        "base",
        "sync",
        "control",
        "env",
        "group",
        "c_interface",
        "tasks",
        "checks",
        "batch",
        "telemetry",
        "topology",
        "runtime",
        "processes",
        "xla",
    },
}
PYTHON_ENVS = "bindings/python_envs"
MAY_INCLUDE[PYTHON_ENVS] = MAY_INCLUDE["bindings"] | {"bindings"}
# Defines the module, with the classes of both layers.
CORE_MODULE = "engine/bindings/module.cc"
# The only header of envs/ that other layers include, except for family modules.
FAMILY_TABLE = "engine/envs/families.h"
# A family with its own module has it in engine/bindings/<family>. The module may include itself,
# its family and these:
FAMILY_MODULE_MAY_INCLUDE = [
    "engine/base/*",
    "engine/env/*",
    "engine/tasks/*",
    "engine/emulators/*",
    "engine/bindings/errors.h",
    "engine/bindings/gil.h",
    "engine/bindings/pickling.h",
]
# Parts of a family, and what each may include of its family and of the emulators. Files outside all
# parts may include everything of these.
FAMILY_PARTS = {
    "atari": {
        "games/*": ["games/*", "actions.h", "hardware.h"],
        "pixels/*": ["pixels/*", "hardware.h", "engine/emulators/atari2600/picture.h"],
        # All games include these two headers, so these include as little as possible.
        "actions.h": [],
        "hardware.h": ["engine/emulators/atari2600/mapper.h"],
    },
}
# Headers that belong neither to engine/ nor to C++, and the layers that may include them.
OUTSIDE = {
    "pybind11/*": {"bindings"},
    "Python.h": {"bindings"},
    "numpy/random/*": {"base"},
    "numpy/*": {"bindings"},
    # The build needs no MuJoCo headers: see engine/envs/mujoco/layout.h.
    "mujoco/*": set(),
    # The build needs no XLA headers: see engine/xla/xla_ffi.h.
    "xla/*": set(),
    # The build needs no CUDA headers: see engine/xla/cuda_driver.h.
    "cuda*.h": set(),
    # Layers that load a library at run time.
    "dlfcn.h": {"envs", "xla"},
    # Vector instructions.
    "immintrin.h": {"base", "sync", "runtime", "envs"},
    "arm_neon.h": {"envs"},
    # C headers, for the C interface of plug-ins, whose headers are C too.
    "stddef.h": {"base", "c_interface", "processes"},
    "stdint.h": {"base", "c_interface", "processes"},
    "string.h": {"base", "c_interface", "processes"},
    # Headers of the operating system and the processor.
    "*.h": {"base", "sync", "topology", "runtime", "processes"},
}

# Packages outside the standard library that envpool_py may import, and where (paths in envpool_py).
MAY_IMPORT = {
    "numpy": ["*"],
    "gymnasium": ["*"],
    "cloudpickle": ["python_envs/*"],
    "dm_env": [
        "pool/dm_pool.py",
        "pool/dm_specs.py",
        "authoring/conformance/dm_api.py",
        "compat/arrays.py",
        "compat/dm_pool.py",
        "python_envs/dm_pool.py",
    ],
    # Flattens nested specs. It is too slow for batches, and to import: see pool/trees.py.
    "tree": ["authoring/conformance/dm_api.py"],
    # Runs the checks as tests.
    "pytest": ["authoring/conformance/plugin.py"],
    "rich": ["cli/*"],
    "matplotlib": ["cli/bench/plot.py"],
    "envpool": ["cli/bench/*"],
    # Gymnasium's pictures need it, and so does the window of `envpool-py play`.
    "pygame": ["tasks/scenes.py", "*/painters.py", "cli/window.py"],
    "watchfiles": ["cli/dev_command.py"],
    "jax": ["jax/*", "compat/xla.py", "compat/outputs.py", "compat/robotics_outputs.py"],
    # PettingZoo's parallel API.
    "pettingzoo": ["players/pettingzoo.py"],
    # Training libraries; each adapter imports its own.
    "stable_baselines3": ["integrations/stable_baselines3.py"],
    "tianshou": ["integrations/tianshou.py"],
    "pfrl": ["integrations/pfrl.py"],
    # RLlib, and actors on other machines.
    "ray": ["integrations/rllib.py", "ray/framework.py"],
    # Metrics of a pool and of a stream.
    "prometheus_client": ["pool/metrics.py", "ray/fleet/metrics.py", "cli/fleet_command.py"],
    "torch": ["rollout/torch_framework.py"],
    "tensordict": ["torch/pool.py"],
}
# The modules that import an optional package, or one that is slow to import. Only these may be
# imported inside of a function by modules of another room.
IMPORTED_WHEN_USED = [
    "pool.dm_pool*",
    "pool.dm_specs*",
    "pool.metrics*",
    "tasks.families.atari*",  # loads the games
    "jax",
    "jax.*",
    "compat.xla*",
]
# Modules that are only run, and have no names for others.
PROGRAMS = {"compat/path/envpool.py"}
# Compiled modules that families import.
COMPILED = {"_core", "_atari", "_mujoco", "_procgen"}
# The rooms with the classes of pools.
HAVE_A_CORE = {"pool", "python_envs"}
# Modules that are not shipped.
NOT_SHIPPED = {"_testing", "_atari_debug"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def layer_and_path(path: str) -> list[str]:
    """Return the layer of a file below engine/, and the parts of its path within the layer."""
    inside = path.removeprefix("engine/")
    if inside.startswith(f"{PYTHON_ENVS}/"):
        return [PYTHON_ENVS, inside.removeprefix(f"{PYTHON_ENVS}/")]
    return inside.split("/")


def may_include(path: str, include: str) -> bool:
    """Return whether `path` may include `include`, both of them below engine/."""
    layer, *inside = layer_and_path(path)
    target, *included = layer_and_path(include)
    if target == PYTHON_ENVS and path == CORE_MODULE:
        return True
    if layer == "bindings" and len(inside) > 1:
        if target in {"bindings", "envs"} and included[0] == inside[0]:
            return True
        return matches(include, FAMILY_MODULE_MAY_INCLUDE)
    if include == FAMILY_TABLE:
        return layer in {"bindings", "envs"}
    if layer == target == "bindings":
        return len(included) == 1
    if layer == target == "emulators":
        return inside[0] == included[0]
    if layer == target == "envs" and inside[0] != included[0]:
        return False
    if layer == "envs" and target in {"envs", "emulators"}:
        name = "/".join(included[1:]) if target == "envs" else include
        for part, allowed in FAMILY_PARTS.get(inside[0], {}).items():
            if fnmatch("/".join(inside[1:]), part):
                return matches(name, allowed)
        return True
    return target == layer or target in MAY_INCLUDE[layer]


def include_errors(path: str, text: str) -> Iterator[str]:
    """Yield the errors in the includes of `path`, a file below the repository's root."""
    layer = path.split("/")[1]
    for quoted, angled in INCLUDE.findall(text):
        include = quoted or angled
        if include.startswith(("tests/", "benchmarks/", "tools/")):
            yield f"{path} includes {include}: the engine does not know who tests it"
        elif include.startswith("engine/"):
            if not may_include(path, include):
                who, whom = Path(path).parent.as_posix(), Path(include).parent.as_posix()
                yield f"{path} includes {include}: {who} must not depend on {whom}"
        elif quoted and "/" not in include:
            yield f"{path} includes {include}: write includes from the repository's root"
        else:
            for pattern, layers in OUTSIDE.items():
                if fnmatch(include, pattern):
                    if layer not in layers:
                        yield f"{path} includes {include}: only {sorted(layers)} may"
                    break


def other_ways_up(path: str, room: str, tree: ast.Module) -> Iterator[str]:
    """Yield the errors that are no imports of a module: the package itself, texts, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            if room and any(alias.name == "envpool_py" for alias in node.names):
                yield f"{path} imports envpool_py: {room} is below the package itself"
        elif isinstance(node, ast.ImportFrom):
            if room and node.module == "envpool_py":
                for alias in node.names:
                    is_module = house.room_of(f"envpool_py.{alias.name}") in house.ORDER
                    if not is_module and alias.name not in COMPILED:
                        yield f"{path} imports {alias.name} from the package itself"
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            for given in node.args:
                name = str(given.value) if isinstance(given, ast.Constant) else ""
                other = house.room_of(name)
                below = house.ORDER[: house.ORDER.index(room) + 1]
                if name.startswith("envpool_py.") and other not in below:
                    yield f"{path} imports {name}: {room} is below {other}"
        elif isinstance(node, ast.Attribute) and node.attr == "_core" and room not in HAVE_A_CORE:
            yield f"{path} uses the _core of a pool: ask for a capability (pool/core.py)"


def import_errors(path: str, text: str) -> Iterator[str]:
    """Yield the errors in the imports of `path`, a file below the repository's root."""
    inside = path.removeprefix("envpool_py/")
    room = house.room_of(house.module_name(Path(path), Path()))
    tree = ast.parse(text)
    in_functions = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for name, _ in house.imports_of(node)
    }
    if any(isinstance(node, ast.ImportFrom) and node.level for node in ast.walk(tree)):
        yield f"{path}: write imports in full"
    yield from other_ways_up(path, room, tree)
    for name, typing in house.imports_of(tree):
        top, _, rest = name.partition(".")
        if typing:
            continue
        if top == "envpool_py":
            other = house.room_of(name)
            if rest.partition(".")[0] in NOT_SHIPPED:
                yield f"{path} imports {name}: it is not shipped"
            elif other not in house.ORDER:
                if rest.startswith("_core") and path != "envpool_py/pool/core.py":
                    yield f"{path} imports {name}: only envpool_py/pool/core.py uses it"
            elif other and house.ORDER.index(room) < house.ORDER.index(other):
                yield f"{path} imports {name}: {room} is below {other}"
            elif name in in_functions and "" not in (room, other) and room != other:
                allowed = matches(rest, IMPORTED_WHEN_USED)
                if not allowed:
                    yield f"{path} imports {name} inside of a function"
        elif top in MAY_IMPORT:
            if not any(fnmatch(inside, pattern) for pattern in MAY_IMPORT[top]):
                yield f"{path} imports {name}: only {MAY_IMPORT[top]} may"
        elif top not in sys.stdlib_module_names:
            yield f"{path} imports {name}: it is no dependency of ours"


# How a family's sources define an environment: registry.Add<Class>("Id-v0", ...) in its
# register.cc, and for a game of the Atari family `const Game kName{.id = "name", ...` in games/.
REGISTRATION = re.compile(r'\bAdd<(?:\w+::)*(\w+)>\(\s*"([\w/-]+?)(?:-v\d+)?"')
GAME = re.compile(r'\bconst Game (k(\w+))\{\s*\.id = "(\w+)"')
CLASS = re.compile(r"^(?:class|struct) (\w+)", re.MULTILINE)


def camel_case(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def names_of_family(files: dict[str, str]) -> set[str]:
    """Return the names of a family's environments, given its files by their paths in the family.

    These are the ids without their versions, the environments' classes or constants, and the stems
    and other classes of the headers that define them. Files without environments (actions.h)
    contribute no names.
    """
    classes: set[str] = set()
    names: set[str] = set()
    for path, text in files.items():
        for registered, task in REGISTRATION.findall(text):
            classes.add(registered)
            # An id may be an expression: Add<AleEnv>("ALE/" + name + "-v5", ...
            names |= {registered, *task.split("/")} - {""}
        if fnmatch(path, "games/*.cc"):
            names |= {name for game in GAME.findall(text) for name in game}
    for path, text in files.items():
        defined = set(CLASS.findall(text))
        if path.endswith(".h") and defined & classes:
            names |= {Path(path).stem} | defined
    return names


def environment_names() -> dict[str, set[str]]:
    """Return the names of the environments of each family, without the family's own name."""
    names = {}
    for family in sorted(path for path in ROOT.glob("engine/envs/*") if path.is_dir()):
        paths = [path for path in family.rglob("*") if path.suffix in {".h", ".cc"}]
        texts = {path.relative_to(family).as_posix(): path.read_text() for path in paths}
        names[family.name] = names_of_family(texts)
    return names


def names_in(names: set[str], text: str) -> set[str]:
    words = set(re.findall(r"\w+", text))
    return {name for name in names if name in (text if "-" in name else words)}


def engine_files() -> list[Path]:
    return sorted(path for path in ROOT.glob("engine/**/*") if path.suffix in {".h", ".cc", ".in"})


def test_engine_includes_point_one_way() -> None:
    files = engine_files()
    assert len(files) > 20, "the engine's sources were not found"
    errors = [
        error
        for path in files
        for error in include_errors(path.relative_to(ROOT).as_posix(), path.read_text())
    ]
    assert not errors, "\n".join(errors)


def test_the_package_has_no_import_circle() -> None:
    assert house.circles(house.graph_of(ROOT)) == []


def test_python_imports_point_one_way() -> None:
    files = sorted(path for path in ROOT.glob("envpool_py/**/*.py*") if path.suffix != ".pyc")
    files = [path for path in files if path.suffix in {".py", ".pyi"}]
    assert len(files) > 5, "the package's sources were not found"
    errors = [
        error
        for path in files
        for error in import_errors(path.relative_to(ROOT).as_posix(), path.read_text())
    ]
    assert not errors, "\n".join(errors)


def test_every_module_lists_what_is_public() -> None:
    for path in ROOT.glob("envpool_py/**/*.py"):
        name = path.relative_to(ROOT / "envpool_py").as_posix()
        if path.name == "__main__.py" or name in PROGRAMS:
            continue
        assigned = {
            target.id
            for node in ast.parse(path.read_text()).body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        assert "__all__" in assigned, f"{name} has no __all__"


def test_every_package_says_what_it_is() -> None:
    """A package directly below envpool_py also says who imports it, before any example."""
    for path in ROOT.glob("envpool_py/**/__init__.py"):
        doc = ast.get_docstring(ast.parse(path.read_text())) or ""
        assert len(doc.split()) >= 8, f"{path.relative_to(ROOT)}: {doc!r}"
        if path.parent.parent.name == "envpool_py":
            assert re.search("Imported\\s+by ", doc.split("\n\n    ")[0]), f"{path}: {doc!r}"


def test_batch_runtime_and_sync_name_no_environment() -> None:
    names: set[str] = set()
    for family, environments in environment_names().items():
        assert environments, f"the environments of {family} were not found"
        names |= environments | {family, camel_case(family)}
    found = {
        f"{path.relative_to(ROOT)}: {sorted(hits)}"
        for path in engine_files()
        if path.relative_to(ROOT).parts[1] in {"batch", "processes", "runtime", "sync", "xla"}
        and (hits := names_in(names, path.read_text()))
    }
    assert not found


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/base/rng.h", '#include "engine/env/spec.h"'),
        ("engine/sync/queue.h", '#include "engine/env/spec.h"'),
        ("engine/control/episode_control.h", '#include "engine/group/env_group.h"'),
        ("engine/control/episode_control.h", '#include "engine/env/environment.h"'),
        ("engine/control/episode_control.h", '#include "engine/runtime/pool.h"'),
        ("engine/control/episode_control.cc", '#include "engine/sync/parker.h"'),
        ("engine/base/rng.h", '#include "engine/control/episode_control.h"'),
        ("engine/sync/queue.h", '#include "engine/control/episode_control.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/control/episode_control.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/control/episode_control.h"'),
        ("engine/env/spec.h", '#include "engine/runtime/pool.h"'),
        ("engine/env/spec.h", '#include "engine/batch/batch_layout.h"'),
        ("engine/sync/queue.h", '#include "engine/batch/block_store.h"'),
        ("engine/batch/batch_memory.h", '#include "engine/runtime/pool.h"'),
        ("engine/batch/batch.h", "#include <pybind11/pybind11.h>"),
        ("engine/env/spec.h", '#include "engine/group/env_group.h"'),
        ("engine/env/step_range.h", '#include "engine/c_interface/plugin_abi.h"'),
        ("engine/group/env_group.h", '#include "engine/tasks/registry.h"'),
        ("engine/c_interface/abi_class.h", '#include "engine/tasks/registry.h"'),
        ("engine/runtime/pool.h", '#include "engine/tasks/registry.h"'),
        (
            "engine/bindings/pool_binding_base.h",
            '#include "engine/bindings/python_envs/python_group.h"',
        ),
        (
            "engine/bindings/atari/module.cc",
            '#include "engine/bindings/python_envs/python_group.h"',
        ),
        ("engine/env/spec.h", '#include "engine/envs/families.h"'),
        ("engine/runtime/pool.cc", '#include "engine/bindings/module.h"'),
        ("engine/runtime/pool.cc", '#include "engine/processes/shared_state.h"'),
        ("engine/processes/worker_loop.cc", "#include <Python.h>"),
        ("engine/runtime/pool.cc", '# include  "engine/envs/classic_control/cartpole.h"'),
        ("engine/bindings/pool.cc", '#include "engine/envs/classic_control/cartpole.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/runtime/pool.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/envs/classic_control/cartpole.h"'),
        ("engine/runtime/pool.cc", "#include <pybind11/pybind11.h>"),
        ("engine/runtime/pool.cc", "#include <Python.h>"),
        ("engine/runtime/pool.cc", "#include <mujoco/mujoco.h>"),
        ("engine/envs/mujoco/model.h", "#include <mujoco/mujoco.h>"),
        ("engine/envs/toy_text/lake.h", '#include "numpy/random/distributions.h"'),
        ("engine/envs/toy_text/lake.h", "#include <unistd.h>"),
        ("engine/runtime/pool.cc", '#include "worker.h"'),
        ("engine/runtime/pool.cc", '#include "tests/engine/harness.h"'),
        ("engine/bindings/atari/module.cc", '#include "tools/atari/debug_module/pixels.h"'),
        ("engine/bindings/module.cc", '#include "engine/envs/atari/game_runner.h"'),
        ("engine/bindings/module.cc", '#include "engine/bindings/atari/games.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/envs/families.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/envs/classic_control/cartpole.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/bindings/mujoco/model.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/bindings/pool_binding.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/runtime/pool.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/sync/parker.h"'),
        ("engine/envs/atari/game_runner.h", '#include "engine/runtime/pool.h"'),
        ("engine/envs/atari/game_runner.h", '#include "engine/bindings/errors.h"'),
        ("engine/envs/atari/game_runner.h", "#include <pybind11/pybind11.h>"),
        ("engine/emulators/atari2600/tia.h", '#include "engine/envs/atari/games/game.h"'),
        ("engine/emulators/atari2600/tia.h", '#include "engine/envs/atari/hardware.h"'),
        ("engine/emulators/atari2600/tia.h", '#include "engine/env/spec.h"'),
        ("engine/emulators/atari2600/tia.h", '#include "engine/emulators/gameboy/cpu.h"'),
        ("engine/emulators/atari2600/tia.h", '#include "engine/sync/parker.h"'),
        ("engine/emulators/atari2600/machine.cc.in", '#include "engine/envs/atari/controls.h"'),
        ("engine/env/spec.h", '#include "engine/emulators/atari2600/tia.h"'),
        ("engine/runtime/pool.cc", '#include "engine/emulators/atari2600/tia.h"'),
        ("engine/bindings/module.cc", '#include "engine/emulators/atari2600/tia.h"'),
        ("engine/envs/atari/games/pong.cc", '#include "engine/emulators/atari2600/console.h"'),
        ("engine/envs/atari/actions.h", '#include "engine/emulators/atari2600/mapper.h"'),
        ("engine/envs/atari/games/pong.cc", '#include "engine/envs/atari/game_runner.h"'),
        ("engine/envs/atari/pixels/pixel_path.h", '#include "engine/envs/atari/game_runner.h"'),
        ("engine/envs/atari/pixels/pixel_path.h", '#include "engine/emulators/atari2600/tia.h"'),
        ("engine/envs/atari/hardware.h", '#include "engine/emulators/atari2600/tia.h"'),
        ("engine/envs/atari/actions.h", '#include "engine/envs/atari/games/game.h"'),
    ],
)
def test_a_forbidden_include_is_found(path: str, line: str) -> None:
    assert len(list(include_errors(path, f"// A file.\n{line}\n#include <vector>\n"))) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/base/rng.cc", '#include "numpy/random/distributions.h"'),
        ("engine/runtime/pool.cc", '#include "engine/sync/parker.h"'),
        ("engine/runtime/pool.cc", '#include "engine/batch/batch_memory.h"'),
        ("engine/processes/process_executor.h", '#include "engine/runtime/executor.h"'),
        ("engine/bindings/module.cc", '#include "engine/processes/process_executor.h"'),
        ("engine/batch/block_store.h", '#include "engine/sync/free_stack.h"'),
        ("engine/batch/batch_layout.h", '#include "engine/env/spec.h"'),
        ("engine/bindings/batch_output.h", '#include "engine/batch/batch.h"'),
        ("engine/bindings/module.cc", '#include "engine/envs/families.h"'),
        ("engine/bindings/module.cc", "#include <pybind11/numpy.h>"),
        ("engine/envs/toy_text/register.cc", '#include "engine/envs/toy_text/lake.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/env/environment.h"'),
        ("engine/base/os/futex_linux.cc", "#include <linux/futex.h>"),
        ("engine/env/spec.cc", "#include <cmath>"),
        ("engine/control/episode_control.cc", '#include "engine/base/tick_clock.h"'),
        ("engine/group/env_group.h", '#include "engine/control/episode_control.h"'),
        ("engine/env/environment.h", '#include "engine/control/step_result.h"'),
        ("engine/runtime/pool.cc", '#include "engine/control/episode_control.h"'),
        ("engine/bindings/module.cc", '#include "engine/bindings/errors.h"'),
        ("engine/bindings/module.cc", '#include "engine/bindings/python_envs/worker_binding.h"'),
        ("engine/bindings/python_envs/python_group.h", '#include "engine/bindings/errors.h"'),
        ("engine/bindings/python_envs/python_group.h", "#include <Python.h>"),
        ("engine/bindings/atari/module.cc", '#include "engine/emulators/atari2600/console.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/envs/atari/games/game_table.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/bindings/atari/games.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/bindings/errors.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/base/error.h"'),
        ("engine/bindings/atari/module.cc", '#include "engine/tasks/registry.h"'),
        ("engine/bindings/atari/module.cc", "#include <pybind11/numpy.h>"),
        ("engine/envs/atari/game_runner.h", '#include "engine/emulators/atari2600/console.h"'),
        ("engine/envs/atari/game_runner.h", '#include "engine/envs/atari/games/game.h"'),
        ("engine/envs/atari/game_runner.h", '#include "engine/base/error.h"'),
        ("engine/emulators/atari2600/cpu.h", '#include "engine/emulators/atari2600/tia.h"'),
        ("engine/emulators/atari2600/cpu.h", '#include "engine/base/error.h"'),
        ("engine/envs/atari/hardware.h", '#include "engine/emulators/atari2600/mapper.h"'),
        ("engine/envs/atari/games/pong.cc", '#include "engine/envs/atari/games/game.h"'),
        ("engine/envs/atari/pixels/palette.h", '#include "engine/emulators/atari2600/picture.h"'),
        ("engine/envs/atari/pixels/avx2_kernel.cc", "#include <immintrin.h>"),
        ("engine/envs/atari/games/game.h", '#include "engine/envs/atari/actions.h"'),
    ],
)
def test_an_allowed_include_is_let_through(path: str, line: str) -> None:
    assert list(include_errors(path, line)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("envpool_py/tasks/make.py", "import dm_env"),
        ("envpool_py/tasks/make.py", "def f():\n    from dm_env import specs"),
        ("envpool_py/pool/base.py", "from rich.table import Table"),
        ("envpool_py/cli/bench/run.py", "import matplotlib.pyplot"),
        ("envpool_py/pool/base.py", "import torch"),
        ("envpool_py/pool/base.py", "from . import spaces"),
        ("envpool_py/pool/base.py", "from envpool_py.cli.bench import plot"),
        ("envpool_py/pool/base.py", "from envpool_py import cli"),
        ("envpool_py/tasks/families/atari/roms.py", "import ale_py"),
        ("envpool_py/tasks/families/atari/roms.py", "from envpool_py import _atari, _atari_debug"),
        ("envpool_py/tasks/families/atari/roms.py", "from envpool_py._atari_debug import Rom"),
        ("envpool_py/cli/info_command.py", "from tools.atari import lockstep"),
        ("envpool_py/tasks/families/atari/family.py", "import envpool_py.cli.controls"),
        ("envpool_py/pool/base.py", "import benchmarks.run"),
        ("envpool_py/pool/base.py", "from stable_baselines3.common.vec_env import VecEnv"),
        ("envpool_py/integrations/pfrl.py", "import tianshou"),
        ("envpool_py/tasks/make.py", "from envpool_py.integrations import pfrl"),
        ("envpool_py/pool/base.py", "from envpool_py import _core"),
        ("envpool_py/pool/base.py", "from envpool_py.tasks import registry"),
        ("envpool_py/pool/base.py", "def f():\n    from envpool_py.tasks.make import make"),
        ("envpool_py/python_envs/make.py", "from envpool_py.tasks.discovery import split"),
        ("envpool_py/tasks/make.py", "def f():\n    from envpool_py.pool import base"),
        ("envpool_py/authoring/building.py", "from envpool_py.cli.output import make_console"),
        ("envpool_py/pool/base.py", "from envpool_py.compat.spec import EnvSpec"),
        ("envpool_py/pool/base.py", "import envpool_py"),
        ("envpool_py/jax/env.py", "import envpool_py"),
        ("envpool_py/pool/base.py", "from envpool_py import make"),
        ("envpool_py/pool/base.py", 'importlib.import_module("envpool_py.tasks.make")'),
        ("envpool_py/rollout/sources.py", "pool._core.step(0)"),
    ],
)
def test_a_forbidden_import_is_found(path: str, text: str) -> None:
    assert list(import_errors(path, f"import os\n{text}\n"))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("envpool_py/pool/dm_pool.py", "import dm_env"),
        ("envpool_py/tasks/make.py", "if TYPE_CHECKING:\n    import dm_env"),
        ("envpool_py/cli/table.py", "from rich.table import Table"),
        ("envpool_py/cli/bench.py", "from envpool_py.cli.bench import plot"),
        ("envpool_py/tasks/families/atari/roms.py", "from envpool_py import _atari"),
        ("envpool_py/tasks/families/atari/controls.py", "from envpool_py import _atari"),
        ("envpool_py/integrations/pfrl.py", "import pfrl"),
        ("envpool_py/pool/core.py", "import numpy as np\nfrom envpool_py import _core"),
        ("envpool_py/pool/base.py", "from envpool_py.compat.hints import ADVICE"),
        ("envpool_py/tasks/make.py", "def f():\n    from envpool_py.pool.dm_pool import DmPool"),
        ("envpool_py/compat/adapter.py", "def f():\n    import envpool_py.jax"),
    ],
)
def test_an_allowed_import_is_let_through(path: str, text: str) -> None:
    assert list(import_errors(path, text)) == []


def test_an_environment_named_elsewhere_is_found() -> None:
    assert names_in({"CartPole"}, "// as CartPole does") == {"CartPole"}
    assert names_in({"CartPole"}, "// CartPoles") == set()


def test_what_is_registered_is_a_name() -> None:
    lake = {
        "register.cc": 'registry.Add<toy_text::Lake>(\n    "Toy/FrozenLake-v1", {});',
        "lake.h": "struct LakeOptions {};\nclass Lake {\n",
        "actions.h": "class Action {\n",
    }
    assert names_of_family(lake) == {"Toy", "FrozenLake", "lake", "Lake", "LakeOptions"}
    assert names_of_family({path: lake[path] for path in ("lake.h", "actions.h")}) == set()
    game = 'extern constinit const Game kSpaceWar{\n    .id = "space_war",\n'
    assert names_of_family({"games/space_war.cc": game}) == {"kSpaceWar", "SpaceWar", "space_war"}


def test_the_names_are_those_of_the_environments() -> None:
    names = environment_names()
    assert {"CartPole", "cartpole", "MountainCarContinuous"} <= names["classic_control"]
    assert {"pong", "kPong", "SpaceInvaders"} <= names["atari"]
    games = {path.stem for path in ROOT.glob("engine/envs/atari/games/*.cc")} - {"game"}
    assert games <= names["atari"]
    # Everyday words that are stems of files.
    everyday = {"actions", "hardware", "controls", "game", "program", "picture", "reset_bounds"}
    assert not everyday & set().union(*names.values())
    for family in names.values():
        assert all(names_in({name}, f"// as in {name}.") for name in family)
