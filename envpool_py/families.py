"""Families of tasks that have an extension module of their own, loaded when one of them is used.

Importing `envpool_py` loads none of these modules, and neither do listing all ids and registering
them with Gymnasium: ids and limits are in the table below, and a test compares them with what the
module registers. A module registers its tasks with the engine the way a user's plug-in does.

To add a family: one entry in `FAMILIES`, and a module of the package that loads the extension when
it is imported and has `prepare(task_id)`. Called by `make`, `make_spec` and the command line, from
any thread.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType

from envpool_py import _core
from envpool_py.atari import ids as atari_ids
from envpool_py.errors import MissingPackageError, UnknownTaskError, suggestion
from envpool_py.mujoco import ids as mujoco_ids

__all__ = ["FAMILIES", "Family", "limits_of", "load", "prepare", "task_ids"]


@dataclass(frozen=True)
class Family:
    """The tasks of one extension module.

    Attributes:
        name: what users call it.
        module: Python module whose import registers the tasks. It has `prepare(task_id)`, which
            gets what a pool of this task needs beyond the description (such as a ROM) and raises an
            EnvPoolError that says what to install if it is not there.
        extra: extra of the package with which everything it needs is installed.
        limits: the ids of the tasks, each with the steps after which an episode is truncated (None:
            never).
        reward_thresholds: the episode returns at which tasks count as solved; none of those that
            are not in it.
    """

    name: str
    module: str
    extra: str
    limits: Mapping[str, int | None]
    reward_thresholds: Mapping[str, float] = field(default_factory=dict)

    def load(self) -> ModuleType:
        """Imports the module: registers the tasks, the first time.

        Raises:
            MissingPackageError: what the module itself needs is not installed.
        """
        try:
            return importlib.import_module(self.module)
        except ImportError as error:
            raise MissingPackageError(
                f"the {self.name} tasks cannot be loaded ({error}); what they need comes with "
                f"`pip install 'envpool_py[{self.extra}]'`"
            ) from error


FAMILIES = (
    Family("Atari", "envpool_py.atari.family", extra="atari", limits=atari_ids.LIMITS),
    Family(
        "MuJoCo",
        "envpool_py.mujoco.family",
        extra="mujoco",
        limits=mujoco_ids.LIMITS,
        reward_thresholds=mujoco_ids.REWARD_THRESHOLDS,
    ),
)

_FAMILY_OF = {task_id: family for family in FAMILIES for task_id in family.limits}


def task_ids() -> list[str]:
    """Returns the ids of all tasks, loaded or not, sorted."""
    return sorted({*_core.list_tasks(), *_FAMILY_OF})


def limits_of(task_id: str) -> tuple[int | None, float | None]:
    """Returns the task's default `max_episode_steps` and its `reward_threshold`; loads nothing."""
    family = _FAMILY_OF.get(task_id)
    if family is not None:
        return family.limits[task_id], family.reward_thresholds.get(task_id)
    task = _core.describe_task(task_id, {})
    return task["max_episode_steps"], task["reward_threshold"]


def load(task_id: str) -> None:
    """Makes sure that the engine knows the task.

    Raises:
        UnknownTaskError: there is none of this id; suggests the nearest of all.
        MissingPackageError: what its family needs is not installed.
    """
    family = _FAMILY_OF.get(task_id)
    if family is not None:
        family.load()
    elif task_id not in _core.list_tasks():
        hint = suggestion(task_id, task_ids()) or "; envpool_py.list_all_envs() gives all"
        raise UnknownTaskError(f'unknown task_id "{task_id}"{hint}')


def prepare(task_id: str) -> None:
    """Gets what pools of a task that `load` has loaded need beyond its description.

    Raises:
        EnvPoolError: it is not there; the message says what to install.
    """
    family = _FAMILY_OF.get(task_id)
    if family is not None:
        family.load().prepare(task_id)
