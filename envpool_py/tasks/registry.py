"""The families of tasks, found by their manifests (`envpool_py.tasks.manifest`).

Every package in `envpool_py.tasks.families` is a family; `add` adds packages from elsewhere. A
family with its own extension module is loaded only when one of its tasks is described or made. It
then registers its tasks with the engine like a user's plug-in. Importing `envpool_py`, listing all
ids and registering them with Gymnasium only read the manifests.

This module has the tasks that are known so far. `catalog` also has those of plug-ins that are
installed and not loaded. CONTRIBUTING.md says how to add a family. Called from any thread.
"""

# Importing pathlib would add 20 % to the time of `import envpool_py`, Gymnasium not counted.
# ruff: noqa: PTH110, PTH112, PTH118, PTH208

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from envpool_py.errors import InputError
from envpool_py.pool import core
from envpool_py.tasks import families
from envpool_py.tasks.importing import import_module
from envpool_py.tasks.manifest import Family, base_name, resolve

__all__ = [
    "add",
    "all_families",
    "canonical_id",
    "conflict_of",
    "family_of",
    "find_packages",
    "is_known",
    "is_of_plugin",
    "known_ids",
    "limits_of",
    "method_of",
    "missing_reason",
    "packages",
    "painter_of",
    "prepare",
    "seed_only_options",
    "substitute_of",
    "warnings_of",
]

# Packages by the last part of their name, families by this part, families by id, ids by aliases.
# Readers take no lock, so these are never modified. A thread that holds `_adding` replaces them.
_packages: Mapping[str, str] = MappingProxyType({})
_families: Mapping[str, Family] = MappingProxyType({})
_family_of: Mapping[str, Family] = MappingProxyType({})
_aliases: Mapping[str, str] = MappingProxyType({})
_adding = threading.Lock()


def _renew_lock() -> None:
    global _adding
    _adding = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)  # another thread of the parent may hold it


def all_families() -> Mapping[str, Family]:
    """Returns all families by the name of their package ("toy_text"), in alphabetical order."""
    return _families


def packages() -> list[str]:
    """Returns the full names of the packages of all families, as `add` takes them."""
    return list(_packages.values())


def add(package: str) -> Family:
    """Adds the family of a package and returns it; adding it again changes nothing.

    `envpool_py.register_tasks` registers its tasks with Gymnasium.

    Args:
        package: full name of a package with a module `manifest` that defines `FAMILY`.

    Raises:
        ImportError: there is no such module.
        InputError: one of the ids, or the last part of the package's name, is another family's.
    """
    global _packages, _families, _family_of, _aliases
    family: Family = import_module(f"{package}.manifest").FAMILY
    key = package.rpartition(".")[2]
    with _adding:
        if _packages.get(key) == package:
            return _families[key]
        if key in _packages:
            raise InputError(f"{package}: {_packages[key]} is a family of the same name")
        taken = sorted(_family_of.keys() & family.tasks.keys())
        if taken:
            raise InputError(f"{package}: {taken[0]} is a task of {_family_of[taken[0]].name}")
        _packages = MappingProxyType({**_packages, key: package})
        _families = MappingProxyType(dict(sorted({**_families, key: family}.items())))
        _family_of = MappingProxyType({**_family_of, **dict.fromkeys(family.tasks, family)})
        _aliases = MappingProxyType({**_aliases, **family.aliases})
    return family


def find_packages(package: str, directories: Sequence[str]) -> list[str]:
    """Returns the full names of the families among the packages in a package, sorted.

    Imports nothing, because most packages are not families.

    Args:
        package: full name of the package.
        directories: its `__path__`.
    """
    # An editable installation has separate directories for sources and compiled modules.
    found = {
        name
        for directory in directories
        if os.path.isdir(directory)
        for name in os.listdir(directory)
        if os.path.exists(os.path.join(directory, name, "manifest.py"))
        and os.path.exists(os.path.join(directory, name, "__init__.py"))
    }
    return [f"{package}.{name}" for name in sorted(found)]


def family_of(task_id: str) -> Family | None:
    """Returns the family of a task; None for a task of a plug-in that is not a family."""
    return _family_of.get(task_id)


def canonical_id(task_id: str) -> str:
    """Returns our id for a task's id in another library; returns other ids unchanged."""
    return _aliases.get(task_id, task_id)


def known_ids() -> list[str]:
    """Returns the ids of the tasks that are known so far, sorted; does not look for plug-ins."""
    return sorted({*core.list_tasks(), *_ids_of_modules()})


def is_of_plugin(task_id: str) -> bool:
    """Returns whether a task that is known so far comes from outside this package."""
    if not is_known(task_id):
        return False
    family = _family_of.get(task_id)
    if family is None:
        return True
    own = f"{families.__name__}."
    return any(
        known is family and not _packages[name].startswith(own) for name, known in _families.items()
    )


def limits_of(task_id: str) -> tuple[int | None, float | None]:
    """Returns the task's default `max_episode_steps` and its `reward_threshold`; loads nothing."""
    family = _family_of.get(task_id)
    if family is not None and family.module is not None:
        return family.tasks[task_id]
    task = core.describe_task(task_id, {})
    return task["max_episode_steps"], task["reward_threshold"]


def conflict_of(ids: Sequence[str]) -> str:
    """Returns why a plug-in must not add tasks of these ids; "" if it may. The engine calls it.

    The engine itself refuses ids that are already registered. This function also refuses the ids of
    a family whose module has not been imported. It does not refuse the family's own module, because
    that is in `sys.modules` while it registers its tasks.
    """
    for task_id in ids:
        family = _family_of.get(task_id)
        if family is not None and family.module is not None and family.module not in sys.modules:
            return f"{task_id}: the family {family.name} has a task of this id"
    return ""


def missing_reason(task_id: str) -> str:
    """Returns ": " and the reason why an id of other libraries is missing; "" for other ids."""
    for family in all_families().values():
        if task_id in family.absent:
            return f": {family.absent[task_id]}"
    return ""


def prepare(task_id: str) -> None:
    """Provides what pools of a loaded task need beyond its description, such as a ROM.

    Raises:
        EnvPoolError: something is missing; the message says what to install.
    """
    family = _family_of.get(task_id)
    if family is not None:
        family.prepare(task_id)


def painter_of(task_id: str) -> str | None:
    """Returns the class that draws the task's scenes, as "module:class", or None."""
    family = _family_of.get(task_id)
    return None if family is None else family.painters.get(base_name(task_id))


def warnings_of(task_id: str, options: Mapping[str, Any]) -> Sequence[str]:
    """Returns the texts of warnings about the options given for a task."""
    family = _family_of.get(task_id)
    if family is None or family.warnings is None:
        return ()
    texts: Sequence[str] = resolve(family.warnings)(task_id, options)
    return texts


def seed_only_options(task_id: str) -> Mapping[str, Any]:
    """Returns the options with which each episode of the task depends only on its seed."""
    family = _family_of.get(task_id)
    return {} if family is None else family.seed_only_options.get(base_name(task_id), {})


def method_of(task_id: str, name: str) -> Callable[..., Any] | None:
    """Returns the function for a method that the task's environments have in Gymnasium, or None."""
    family = _family_of.get(task_id)
    reference = None if family is None else family.methods_of(task_id).get(name)
    return None if reference is None else resolve(reference)


def substitute_of(task_id: str, name: str) -> str | None:
    """Returns what to use in place of an attribute that the task's environments lack, or None."""
    family = _family_of.get(task_id)
    return None if family is None else family.substitutes.get(name)


def is_known(task_id: str) -> bool:
    """Returns whether the task is known so far; does not look for plug-ins."""
    family = _family_of.get(task_id)
    return (family is not None and family.module is not None) or task_id in core.list_tasks()


def _ids_of_modules() -> set[str]:
    return {task_id for task_id, family in _family_of.items() if family.module is not None}


for _package in find_packages(families.__name__, families.__path__):
    add(_package)
