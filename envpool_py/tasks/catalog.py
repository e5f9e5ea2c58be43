"""All tasks: those that are known, and those of plug-ins that are installed and not loaded yet.

Functions that need all tasks, or a task that is not known, load the installed plug-ins first.
Called by `resolve` and the command line, from any thread.
"""

from __future__ import annotations

from collections.abc import Sequence

from envpool_py.compat.hints import missing_task
from envpool_py.errors import UnknownTaskError
from envpool_py.tasks import discovery, gymnasium_ids, python_tasks, registry
from envpool_py.tasks.manifest import base_name, resolve

__all__ = [
    "exists",
    "has_migration_hint",
    "list_all_envs",
    "load",
    "register_tasks",
    "suggestion_of_id",
    "task_ids",
]

# The lowest similarity, in [0, 1], at which a task is suggested for an unknown name: "Cheetah" and
# "HalfCheetah" have 0.78, "BipedalWalker" and "Walker2d" 0.57.
_ALIKE = 0.7
# Longer ids are no misspelt ones. Comparing them with all ids would take seconds.
_LONGEST_ID = 200


def list_all_envs(python: bool = False) -> list[str]:
    """Returns the sorted ids of all tasks, including those of plug-ins and unloaded families.

    Args:
        python: whether to include the ids that only Gymnasium's registry has, whose environments
            are written in Python.
    """
    ids = task_ids()
    if not python:
        return ids
    return sorted({*ids, *python_tasks.registered_ids()})


def register_tasks(python: bool = False) -> None:
    """Registers every task for Gymnasium's `make` and `make_vec`, unless it is registered already.

    The import of `envpool_py` registers its own tasks. This function also loads the installed
    plug-ins and registers their tasks. Call it again after importing a module that adds tasks. It
    does not load the extension modules of families. A plug-in that cannot be loaded is named in a
    PluginWarning.

    Args:
        python: whether to register also, for `make_vec` only, the ids that currently only
            Gymnasium's registry has. The new id is "EnvPool/" followed by the old one, with "." in
            place of each "/".
    """
    if python:
        python_tasks.register_python()
    discovery.load_all()
    gymnasium_ids.register_known()


def task_ids() -> list[str]:
    """Returns the ids of all tasks, loaded or not, sorted; loads the installed plug-ins."""
    discovery.load_all()
    return registry.known_ids()


def exists(task_id: str) -> bool:
    """Returns whether the task exists; loads the installed plug-ins if the id is not known yet."""
    task_id = registry.canonical_id(task_id)
    return registry.is_known(task_id) or (discovery.load_all() and registry.is_known(task_id))


def load(task_id: str) -> None:
    """Ensures that the task is registered with the engine.

    Raises:
        UnknownTaskError: no such id; the message suggests the nearest one.
        MissingPackageError: a package that its family needs is not installed.
    """
    if not exists(task_id):
        hint = registry.missing_reason(task_id) or f"; {_advice(task_id)}"
        lost = "".join(f" ({problem})" for problem in discovery.problems())
        shown = task_id if len(task_id) <= _LONGEST_ID else f"{task_id[:_LONGEST_ID]}..."
        raise UnknownTaskError(f'unknown task_id "{shown}"{hint}{lost}')
    family = registry.family_of(task_id)
    if family is not None and family.module is not None:
        family.load()


def has_migration_hint(task_id: str) -> bool:
    """Returns whether the error message for an unknown id names a task to use instead."""
    return bool(registry.missing_reason(task_id)) or any(
        family.earlier_ids is not None and resolve(family.earlier_ids)(task_id) is not None
        for family in registry.all_families().values()
    )


def _advice(task_id: str) -> str:
    """Returns the advice in the error message for an unknown id."""
    for family in registry.all_families().values():
        advice = None if family.earlier_ids is None else resolve(family.earlier_ids)(task_id)
        if advice is not None:
            return str(advice)
    hint = missing_task(task_id) or suggestion_of_id(task_id, task_ids())
    return hint or "envpool_py.list_all_envs() gives all"


def suggestion_of_id(task_id: str, known: Sequence[str]) -> str:
    """Returns `did you mean "x"?` for the task with the nearest name, or `""` if none is near.

    Namespaces are compared only between tasks of the same name. The version decides between tasks
    whose names are about equally near.
    """
    import difflib  # needed only for an exception

    if len(task_id) > _LONGEST_ID:
        return ""

    def bare(name: str) -> str:
        return base_name(name).rpartition("/")[2].lower()

    def likeness(name: str) -> float:
        return difflib.SequenceMatcher(None, bare(task_id), bare(name)).ratio()

    def version(name: str) -> int:
        digits = name.removeprefix(base_name(name)).removeprefix("-v")
        return int(digits) if digits.isdigit() else 0

    def nearness(name: str) -> tuple[float, float]:
        same_version = 0.1 if version(name) == version(task_id) else 0.0
        whole = difflib.SequenceMatcher(None, task_id.lower(), name.lower()).ratio()
        return likeness(name) + same_version, whole

    nearest = max(known, key=nearness)
    # Suggests the newest version of the task.
    versions = [name for name in known if base_name(name) == base_name(nearest)]
    nearest = max(versions, key=version)
    return f'did you mean "{nearest}"?' if likeness(nearest) >= _ALIKE else ""
