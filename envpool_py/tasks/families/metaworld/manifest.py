"""The manifest of MetaWorld: see `envpool_py.tasks.manifest`.

The tasks are those of MetaWorld 3.1.1. Their ids are EnvPool's; the names of the reference, such as
"reach-v3", are aliases.
"""

from __future__ import annotations

import re

from envpool_py.tasks.families.metaworld.tasks import TASKS
from envpool_py.tasks.manifest import Family

__all__ = ["FAMILY"]


def _name(task_id: str) -> str:
    """Returns the reference's name: "reach-v3" for "MetaWorld/Reach-v3"."""
    words = re.findall(r"[A-Z][a-z]*", task_id.partition("/")[2])
    return "-".join(words).lower() + "-v3"


FAMILY = Family(
    name="MetaWorld",
    tasks=TASKS,
    page="metaworld.md",
    module="envpool_py.tasks.families.metaworld.family",
    extra="metaworld",
    needs=("mujoco", "metaworld"),
    representatives=frozenset(
        {"MetaWorld/Reach-v3", "MetaWorld/PickPlace-v3", "MetaWorld/DoorOpen-v3"}
    ),
    aliases={_name(task_id): task_id for task_id in TASKS},
    substitutes={
        "data": "observations and infos have positions and distances",
        "model": "the option `model` sets numbers of it",
        "set_task": "each goal of a seed is a task, which resets choose",
        "tasks": "the options num_goals and goals_after define them",
    },
    compat_exclusion=(
        "EnvPool draws other goals from the same seed, so programs written for its tasks would not "
        "do the same"
    ),
)
