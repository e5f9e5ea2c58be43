"""The manifest of MetaWorld: see `envpool_py.tasks.manifest`.

The tasks are those of MetaWorld 3.1.1. Their ids are EnvPool's; the names of the reference, such as
"reach-v3", are aliases.
"""

from __future__ import annotations

import re
from typing import Any

from envpool_py.tasks.families.metaworld.tasks import TASKS
from envpool_py.tasks.manifest import WHOLE_STATES, Family

__all__ = ["FAMILY"]


def _name(task_id: str) -> str:
    """Returns the reference's name: "reach-v3" for "MetaWorld/Reach-v3"."""
    words = re.findall(r"[A-Z][a-z]*", task_id.partition("/")[2])
    return "-".join(words).lower() + "-v3"


_BENCHMARKS = "envpool_py.integrations.metaworld.benchmarks"


def _benchmarks() -> dict[str, tuple[str, dict[str, Any]]]:
    """Returns the reference's ids of vector environments, with our functions."""
    made: dict[str, tuple[str, dict[str, Any]]] = {
        "custom-mt-envs": ("make_custom_mt", {}),
        "custom-ml-envs": ("make_custom_ml", {}),
        "MT1": ("make_mt1", {}),
        "goal_hidden": ("make_goal", {"goal_observable": False}),
        "goal_observable": ("make_goal", {"goal_observable": True}),
    }
    for name in ("MT10", "MT25", "MT50"):
        made[name] = ("make_mt", {"benchmark": name})
    for split in ("train", "test"):
        made[f"ML1-{split}"] = ("make_ml1", {"split": split})
        for name in ("ML10", "ML25", "ML45"):
            made[f"{name}-{split}"] = ("make_ml", {"benchmark": name, "split": split})
    return {
        f"MetaWorld.{name}": (f"{_BENCHMARKS}:{function}", keywords)
        for name, (function, keywords) in made.items()
    }


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
    benchmarks=_benchmarks(),
    single_benchmarks={
        "MetaWorld.MT1": f"{_BENCHMARKS}:make_single",
        "MetaWorld.goal_hidden": f"{_BENCHMARKS}:make_single_goal",
        "MetaWorld.goal_observable": f"{_BENCHMARKS}:make_single_goal",
    },
    substitutes={
        "data": "observations and infos have positions and distances",
        "model": "the option `model` sets numbers of it",
        "set_task": "each goal of a seed is a task, which resets choose",
        "sample_tasks": 'reset(options={"sample_tasks": True}) goes on to the next one',
        "toggle_sample_tasks_on_reset": 'set_attr("sample_tasks_on_reset", ...) sets it',
        "toggle_terminate_on_success": 'set_attr("terminate_on_success", ...) sets it',
        "get_checkpoint": WHOLE_STATES,
        "load_checkpoint": WHOLE_STATES,
        "tasks": "the options num_goals and goals_after define them",
    },
)
