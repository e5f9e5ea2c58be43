"""EnvPool's ids: our task and EnvPool's class for each of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envpool_py.compat.envpool_class import EnvPoolClass
from envpool_py.compat.errors import ConfigTypeError, ConfigValueError, UnknownIdError
from envpool_py.compat.hints import missing_task
from envpool_py.compat.robotics_tables import EARLIER_IDS
from envpool_py.compat.tables import ENVPOOL_CLASSES
from envpool_py.errors import suggestion
from envpool_py.tasks import catalog, registry
from envpool_py.tasks.families.atari.roms import game_of
from envpool_py.tasks.families.atari.tasks import TASKS as ATARI_TASKS

__all__ = ["ALIASES", "Task", "class_name_of", "task_ids", "task_of"]

# EnvPool's ids that are spelled differently here.
ALIASES = {
    "TicTacToe3d-v5": "TicTacToe3D-v5",
    "phys2d/CartPole-v0": "CartPole-v0",
    "phys2d/CartPole-v1": "CartPole-v1",
    "phys2d/Pendulum-v0": "Pendulum-v0",
    "tabular/Blackjack-v0": "Blackjack-v1",
    "tabular/CliffWalking-v0": "CliffWalking-v0",
    **EARLIER_IDS,
}

# Settings with which the suggested task equals the task of EnvPool that is missing here.
_IN_ADDITION = {
    "Ant-v3": ", with use_contact_force=True as in EnvPool",
    "Humanoid-v3": ", with use_contact_force=True as in EnvPool",
}

_KIND_NAMES = {
    task_id: name
    for name, envpool_class in ENVPOOL_CLASSES.items()
    if not envpool_class.pixels
    for task_id in envpool_class.ids
}


@dataclass(frozen=True)
class Task:
    """A task that a program names by EnvPool's id.

    Attributes:
        name: the id as it was given.
        id: our id.
        class_name: the prefix of EnvPool's classes of the task ("CartPole" of
            "CartPoleEnvSpec"). If EnvPool has no such task, the id as one word.
        envpool_class: EnvPool's settings and infos; None: EnvPool has no such task.
        settings: the task-specific settings, with their defaults.
    """

    name: str
    id: str
    class_name: str
    envpool_class: EnvPoolClass | None
    settings: Mapping[str, Any]

    @property
    def pixels(self) -> bool:
        """Whether pixels are observed."""
        return self.envpool_class is not None and self.envpool_class.pixels

    @property
    def base_class_name(self) -> str:
        """The name of the class without its suffix `Pixel`."""
        return self.class_name.removesuffix("Pixel") if self.pixels else self.class_name


def task_ids() -> list[str]:
    """Returns every id that `task_of` accepts, sorted."""
    ours = (task_id for task_id in catalog.task_ids() if _refusal_of(task_id) is None)
    return sorted({*ours, *ALIASES})


def _refusal_of(task_id: str) -> str | None:
    """Returns why this module lacks a task that the package has; None: it has it."""
    family = registry.family_of(task_id)
    return None if family is None else family.compat_exclusion


@functools.cache
def _atari_ids() -> frozenset[str]:
    # EnvPool does not have the ids with a namespace ("ALE/Pong-v5").
    return frozenset(task_id for task_id in ATARI_TASKS if "/" not in task_id)


def class_name_of(task_id: str) -> str | None:
    """Returns the name of EnvPool's classes for our task; None: EnvPool has no such task."""
    return "Atari" if task_id in _atari_ids() else _KIND_NAMES.get(task_id)


def task_of(name: str, *, pixels: bool = False) -> Task:
    """Finds a task by EnvPool's id or ours.

    Args:
        name: the id.
        pixels: whether pixels are observed.

    Raises:
        UnknownIdError: there is no such task; the message suggests the nearest id.
        ConfigValueError: `pixels` is set and the task has no pixel observations.
    """
    if not isinstance(name, str):
        raise ConfigTypeError(f"task_id: expected a str, got {type(name).__name__} {name!r}")
    task_id = ALIASES.get(name, name)
    refusal = _refusal_of(task_id)
    if refusal is not None:
        raise UnknownIdError(
            f'task_id "{name}": {refusal}; take envpool_py.make, which has the numbers of '
            "the original environments"
        )
    known = task_ids()
    if task_id not in known:
        raise UnknownIdError(
            f'unknown task_id "{name}"'
            f"{_why_missing(name) or suggestion(name, known)}; list_all_envs() gives all"
        )
    class_name = class_name_of(task_id)
    if pixels:
        class_name = f"{class_name}Pixel"
        if class_name not in ENVPOOL_CLASSES:
            raise ConfigValueError(f"{name}: from_pixels is for Gymnasium's MuJoCo tasks only")
    if class_name is None:
        return Task(name, task_id, re.sub(r"\W", "", task_id), None, {})
    envpool_class = ENVPOOL_CLASSES[class_name]
    settings = {**envpool_class.options, **envpool_class.by_id.get(task_id, {})}
    if class_name == "Atari":
        settings["task"] = game_of(task_id)
    return Task(name, task_id, class_name, envpool_class, settings)


def _why_missing(name: str) -> str:
    why = registry.missing_reason(name)
    if not why:
        absent = missing_task(name)
        return f": {absent}; take EnvPool itself for them" if absent else ""
    return f"{why}{_IN_ADDITION.get(name, '')}"
