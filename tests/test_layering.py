"""Dependencies point one way: envpool_py -> bindings -> runtime -> {sync, env} -> base.

Reads the #include lines of engine/ and the imports of envpool_py/, and names every one that points
the wrong way. The rules themselves are tested with sources that break them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# What the C++ of each directory of engine/ may include of engine/, itself apart.
MAY_INCLUDE = {
    "base": set(),
    "sync": {"base"},
    "env": {"base"},
    "runtime": {"base", "sync", "env"},
    "envs": {"base", "env"},
    "bindings": {"base", "sync", "env", "runtime"},
}
# The one header of envs/ that others see.
FAMILY_TABLE = "engine/envs/families.h"
# Headers from outside engine/ and outside C++ itself, and the layers that may include them.
OUTSIDE = {
    "pybind11/*": {"bindings"},
    "Python.h": {"bindings"},
    "numpy/random/*": {"base"},
    "numpy/*": {"bindings"},
    # The operating system and the processor.
    "*.h": {"base", "sync", "runtime"},
}

# What envpool_py may import from outside the standard library, and where (paths below envpool_py).
MAY_IMPORT = {
    "numpy": ["*"],
    "gymnasium": ["*"],
    "dm_env": ["dm_env_api.py", "dm_env_specs.py"],
    "rich": ["cli/*", "bench/*"],
    "matplotlib": ["bench/plot.py"],
    "envpool": ["bench/*"],
    # The reference of the comparer. Its ROMs are read where they lie, without importing it.
    "ale_py": ["atari/tools/reference.py"],
}
# Parts of envpool_py that the rest must not need: `import envpool_py` stays light.
PROGRAMS = {"cli", "bench", "atari.tools"}

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def include_errors(path: str, text: str) -> Iterator[str]:
    """Yield what is wrong with the includes of `path`, a file below the repository's root."""
    layer = path.split("/")[1]
    for quoted, angled in INCLUDE.findall(text):
        include = quoted or angled
        if include.startswith(("tests/", "benchmarks/")):
            yield f"{path} includes {include}: the engine does not know who tests it"
        elif include.startswith("engine/"):
            target = include.split("/")[1]
            if include == FAMILY_TABLE:
                allowed = layer in {"bindings", "envs"}
            elif layer == target == "envs":
                allowed = path.split("/")[2] == include.split("/")[2]
            else:
                allowed = target == layer or target in MAY_INCLUDE[layer]
            if not allowed:
                yield f"{path} includes {include}: {layer} must not depend on {target}"
        elif quoted and "/" not in include:
            yield f"{path} includes {include}: write includes from the repository's root"
        else:
            for pattern, layers in OUTSIDE.items():
                if fnmatch(include, pattern):
                    if layer not in layers:
                        yield f"{path} includes {include}: only {sorted(layers)} may"
                    break


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Yield every module that `tree` imports, those for type checkers only left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            for other in node.orelse:
                yield from imported_names(other)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names if module == "envpool_py")
        else:
            yield from imported_names(node)


def program_of(module: str) -> str | None:
    """Return which of PROGRAMS the module, named from below envpool_py, is part of."""
    return next((name for name in PROGRAMS if f"{module}.".startswith(f"{name}.")), None)


def import_errors(path: str, text: str) -> Iterator[str]:
    """Yield what is wrong with the imports of `path`, a file below the repository's root."""
    inside = path.removeprefix("envpool_py/")
    is_program = program_of(inside.removesuffix(".py").replace("/", ".")) is not None
    for name in imported_names(ast.parse(text)):
        top, _, rest = name.partition(".")
        if not top:
            yield f"{path} imports {name}: write imports in full"
        elif top == "envpool_py":
            if program_of(rest) is not None and not is_program:
                yield f"{path} imports {name}: only the programs know one another"
        elif top in MAY_IMPORT:
            if not any(fnmatch(inside, pattern) for pattern in MAY_IMPORT[top]):
                yield f"{path} imports {name}: only {MAY_IMPORT[top]} may"
        elif top not in sys.stdlib_module_names:
            yield f"{path} imports {name}: it is no dependency of ours"


def environment_names() -> set[str]:
    """Return the families' directory names, their classes, and the stems of their headers."""
    names = set()
    for header in ROOT.glob("engine/envs/*/*.h"):
        names |= {header.parent.name, header.stem}
        names |= set(re.findall(r"^(?:class|struct) (\w+)", header.read_text(), re.MULTILINE))
    return names


def names_in(names: set[str], text: str) -> set[str]:
    return names & set(re.findall(r"\w+", text))


def engine_files() -> list[Path]:
    return sorted(path for path in ROOT.glob("engine/**/*") if path.suffix in {".h", ".cc", ".in"})


def test_engine_includes_point_one_way() -> None:
    files = [path for path in engine_files() if path.suffix != ".in"]
    assert len(files) > 20, "the engine's sources were not found"
    errors = [
        error
        for path in files
        for error in include_errors(path.relative_to(ROOT).as_posix(), path.read_text())
    ]
    assert not errors, "\n".join(errors)


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


def test_runtime_and_sync_name_no_environment() -> None:
    names = environment_names()
    assert names, "the environments were not found"
    found = {
        f"{path.relative_to(ROOT)}: {sorted(hits)}"
        for path in engine_files()
        if path.relative_to(ROOT).parts[1] in {"runtime", "sync"}
        and (hits := names_in(names, path.read_text()))
    }
    assert not found


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/base/rng.h", '#include "engine/env/spec.h"'),
        ("engine/sync/queue.h", '#include "engine/env/spec.h"'),
        ("engine/env/spec.h", '#include "engine/runtime/pool.h"'),
        ("engine/env/spec.h", '#include "engine/envs/families.h"'),
        ("engine/runtime/pool.cc", '#include "engine/bindings/module.h"'),
        ("engine/runtime/pool.cc", '# include  "engine/envs/classic_control/cartpole.h"'),
        ("engine/bindings/pool.cc", '#include "engine/envs/classic_control/cartpole.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/runtime/pool.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/envs/classic_control/cartpole.h"'),
        ("engine/runtime/pool.cc", "#include <pybind11/pybind11.h>"),
        ("engine/runtime/pool.cc", "#include <Python.h>"),
        ("engine/envs/toy_text/lake.h", '#include "numpy/random/distributions.h"'),
        ("engine/envs/toy_text/lake.h", "#include <unistd.h>"),
        ("engine/runtime/pool.cc", '#include "worker.h"'),
        ("engine/runtime/pool.cc", '#include "tests/engine/harness.h"'),
    ],
)
def test_a_forbidden_include_is_found(path: str, line: str) -> None:
    assert len(list(include_errors(path, f"// A file.\n{line}\n#include <vector>\n"))) == 1


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("engine/base/rng.cc", '#include "numpy/random/distributions.h"'),
        ("engine/runtime/pool.cc", '#include "engine/sync/parker.h"'),
        ("engine/bindings/module.cc", '#include "engine/envs/families.h"'),
        ("engine/bindings/module.cc", "#include <pybind11/numpy.h>"),
        ("engine/envs/toy_text/register.cc", '#include "engine/envs/toy_text/lake.h"'),
        ("engine/envs/toy_text/lake.h", '#include "engine/env/environment.h"'),
        ("engine/sync/futex.cc", "#include <linux/futex.h>"),
        ("engine/env/spec.cc", "#include <cmath>"),
    ],
)
def test_an_allowed_include_is_let_through(path: str, line: str) -> None:
    assert list(include_errors(path, line)) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("envpool_py/make.py", "import dm_env"),
        ("envpool_py/make.py", "def f():\n    from dm_env import specs"),
        ("envpool_py/pool.py", "from rich.table import Table"),
        ("envpool_py/bench/run.py", "import matplotlib.pyplot"),
        ("envpool_py/pool.py", "import torch"),
        ("envpool_py/pool.py", "from . import spaces"),
        ("envpool_py/pool.py", "from envpool_py.bench import plot"),
        ("envpool_py/pool.py", "from envpool_py import cli"),
        ("envpool_py/atari/roms.py", "import ale_py"),
        ("envpool_py/atari/tools/lockstep.py", "from ale_py import roms"),
        ("envpool_py/atari/roms.py", "from envpool_py.atari.tools import lockstep"),
        ("envpool_py/pool.py", "import benchmarks.run"),
    ],
)
def test_a_forbidden_import_is_found(path: str, text: str) -> None:
    assert list(import_errors(path, f"import os\n{text}\n"))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("envpool_py/dm_env_api.py", "import dm_env"),
        ("envpool_py/make.py", "if TYPE_CHECKING:\n    import dm_env"),
        ("envpool_py/cli/table.py", "from rich.table import Table"),
        ("envpool_py/cli/bench.py", "from envpool_py.bench import plot"),
        ("envpool_py/atari/tools/reference.py", "import ale_py"),
        ("envpool_py/atari/tools/lockstep.py", "from envpool_py.atari.tools import reference"),
        ("envpool_py/pool.py", "import numpy as np\nfrom envpool_py import _core"),
    ],
)
def test_an_allowed_import_is_let_through(path: str, text: str) -> None:
    assert list(import_errors(path, text)) == []


def test_an_environment_named_elsewhere_is_found() -> None:
    assert names_in({"CartPole"}, "// as CartPole does") == {"CartPole"}
    assert names_in({"CartPole"}, "// CartPoles") == set()
