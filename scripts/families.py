"""Writes `envpool_py/<family>/tasks.py`: the ids of each family, with their limits.

    python -m scripts.families           rewrite what is out of date, and name it (`make docs`)
    python -m scripts.families --check   name it, and exit with 1

The C++ of a family is the only place where its ids and limits are typed: this program asks the
engine what each family in `engine/envs` registers. With these tables `import envpool_py` lists the
ids of a family with an extension module of its own without loading it, and the guide knows which
tasks belong together.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ENVS = ROOT / "engine" / "envs"
PACKAGE = ROOT / "envpool_py"

# A line of a family that is part of `_core`: registry.Add<CartPole>("CartPole-v1", ...
_REGISTRATION = re.compile(r'\bAdd<[\w:]+>\(\s*"([^"]+)"')

# What the import of a module registers, in a process in which nothing of it is loaded.
_SCRIPT = """
import importlib, json, sys
from envpool_py import _core
before = {*_core.list_tasks()}
importlib.import_module(sys.argv[1])
tasks = [_core.describe_task(task_id, {}) for task_id in _core.list_tasks()]
print(json.dumps([
    (task["id"], task["max_episode_steps"], task["reward_threshold"])
    for task in tasks if task["id"] not in before
]))
"""

Row = tuple[str, "int | None", "float | None"]


class FamilyError(Exception):
    """A family's sources do not fit together; the message says what to do."""


def family_names() -> list[str]:
    """Returns the names of the families of this repository: the directories with a register.cc.

    Each is in engine/envs, or in the family that it shares a module with.
    """
    return sorted(path.parent.name for path in ENVS.rglob("register.cc"))


def registered_by(module: str) -> list[Row]:
    """Returns id, step limit and reward threshold of what a module registers, sorted by id.

    Raises:
        FamilyError: it cannot be imported.
    """
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, module], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise FamilyError(f"{module} cannot be imported:\n{done.stderr}")
    return [(name, limit, threshold) for name, limit, threshold in json.loads(done.stdout)]


def spelt_in(register: str) -> list[str]:
    """Returns the ids that the text of a `register.cc` adds, in its order."""
    return _REGISTRATION.findall(register)


def source_of(rows: Iterable[Row]) -> str:
    """Returns the source of a `tasks.py`."""
    lines = []
    for task_id, limit, threshold in rows:
        values = [] if limit is None and threshold is None else [repr(limit)]
        if threshold is not None:
            values.append(repr(threshold))
        lines.append(f'    "{task_id}": Limits({", ".join(values)}),\n')
    table = "{\n" + "".join(lines) + "}" if lines else "{}"
    return (
        '"""The tasks of this family: written by `make docs` from what it registers."""\n\n'
        "from envpool_py.manifest import Limits\n\n"
        f"TASKS: dict[str, Limits] = {table}\n"
    )


def core_rows(texts: Mapping[str, str], engine: Any) -> dict[str, list[Row]]:
    """Returns what each of the families registers that are part of `_core`.

    Args:
        texts: the `register.cc` of each of them.
        engine: the module `_core`, in which no other family is registered.

    Raises:
        FamilyError: the sources and the engine disagree.
    """
    spelt = {name: spelt_in(text) for name, text in texts.items()}
    everything = [task_id for ids in spelt.values() for task_id in ids]
    registered = engine.list_tasks()
    if sorted(everything) != sorted(registered):
        apart = sorted({*everything} ^ {*registered})
        raise FamilyError(
            f"{', '.join(apart)}: spelt in a register.cc or registered with the engine, but not "
            "both. Build anew; in register.cc, write each id as one string."
        )
    return {
        name: [
            (task_id, task["max_episode_steps"], task["reward_threshold"])
            for task_id in ids
            for task in [engine.describe_task(task_id, {})]
        ]
        for name, ids in spelt.items()
    }


def tables() -> dict[Path, str]:
    """Returns the files as they should be.

    Raises:
        FamilyError: a family has no manifest, or the sources do not fit together.
    """
    names = family_names()
    for name in names:
        if not (PACKAGE / name / "manifest.py").exists():
            raise FamilyError(
                f"the family {name} has no envpool_py/{name}/manifest.py; CONTRIBUTING.md, "
                '"Adding a family", says what stands there'
            )
        table = PACKAGE / name / "tasks.py"
        if not table.exists():  # the manifest of a new family imports it
            table.write_text(source_of([]))
    engine = importlib.import_module("envpool_py._core")
    families = importlib.import_module("envpool_py.families").all_families()
    in_core = {name: (ENVS / name / "register.cc").read_text() for name in names
               if families[name].module is None}  # fmt: skip
    rows = core_rows(in_core, engine)
    for name in names:
        if families[name].module is not None:
            rows[name] = registered_by(families[name].module)
    return {PACKAGE / name / "tasks.py": source_of(rows[name]) for name in names}


def main() -> int:
    """Rewrites or checks the tables; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m scripts.families")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 instead")
    check = parser.parse_args().check
    try:
        contents = tables()
    except FamilyError as error:
        print(error)
        return 1
    stale = [path for path, new in contents.items() if path.read_text() != new]
    for path in stale:
        name = path.relative_to(ROOT).as_posix()
        if check:
            print(f"{name} is out of date: `make docs` writes it anew")
        else:
            path.write_text(contents[path])
            print(f"{name}: written anew")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
