"""How each setting of EnvPool is translated to an option of our task: `decision`.

A setting of EnvPool corresponds to one of these:

- an option of our task, with the same name or another (`ctrl_cost_weight` of Reacher-v5 is
  `reward_control_weight`);
- a bound of an interval that is one option here (`healthy_z_min`: the lower bound of
  `healthy_z_range`);
- a choice, each value of which sets other options here (`size` of FrozenLake);
- nothing: our task behaves like EnvPool's default, and only the default is accepted.

The table in docs/coming-from-envpool.md is generated from it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envpool_py.compat.robotics_tables import ROBOTICS_CLASSES
from envpool_py.compat.tasks import Task
from envpool_py.tasks.spec import TaskSpec, make_spec

__all__ = ["FOLLOWS", "Decision", "decision", "spec_of"]


FOLLOWS = "it follows from the id"
"""Why most settings of Gymnasium-Robotics and MetaWorld only have their default."""

# Our option names by EnvPool's, where they differ.
_OTHER_NAMES = {
    "use_contact_force": "use_contact_forces",
    "ctrl_cost_weight": "reward_control_weight",
    "dist_cost_weight": "reward_dist_weight",
    "near_cost_weight": "reward_near_weight",
    "contact_cost_weight": "impact_cost_weight",
    "channel_first": "channels_first",
    "render_width": "width",
    "render_height": "height",
    "render_camera_id": "camera_id",
}
# Our names of intervals, where they differ from EnvPool's names of the bounds.
_OTHER_RANGES = {
    "contact_cost": ("impact_cost_range",),
    "healthy_z": ("healthy_angle_range",),  # for InvertedPendulum, where it bounds an angle
}
# Bounds that EnvPool names like the opposite bound: a tip below `healthy_z_max` has fallen.
_OTHER_ENDS = {("GymInvertedDoublePendulum", "healthy_z_max"): ("healthy_z_range", 0)}
# Settings that EnvPool accepts and ignores.
_UNUSED = {("GymInvertedPendulum", "healthy_reward"), ("Procgen", "use_easy_jump")}
# Our options that leave out contact forces, in tasks that count them by default.
_WITHOUT_CONTACTS: dict[str, dict[str, Any]] = {
    "Ant-v5": {"include_cfrc_ext_in_observation": False, "contact_cost_weight": 0.0},
    "Humanoid-v5": {"contact_cost_weight": 0.0},
}
# Maps of FrozenLake by EnvPool's `size`.
_MAPS = {4: "4x4", 8: "8x8"}
# Modes of Procgen's games by EnvPool's numbers.
_PROCGEN_MODES = {0: "easy", 1: "hard", 2: "extreme", 10: "memory", 20: "exploration"}
_ADVICE = {
    "env_name": "the game follows from the id",
    "size": 'EnvPool has maps of 4 and 8; give other maps as "desc"',
    "task": "the game follows from the id",
    "tasks_to_complete": "EnvPool observes all goals, our task those of what is to be done",
    "frame_stack": "observations are not stacked; Gymnasium's FrameStackObservation does it",
    "weighted_reward_info": "infos are weighted, like the rewards",
}
_VERSIONED = (
    "constraint_obs_dim",
    "exclude_root_actuator_forces",
    "exclude_worldbody_contact_forces",
    "exclude_worldbody_observations",
    "gymnasium_v5_render_camera",
    "legacy_healthy_reward",
    "obs_include_z_distance",
    "post_constraint",
    "reward_after_step",
    "reward_if_not_terminated",
)


@dataclass(frozen=True)
class Decision:
    """How a setting of EnvPool is translated.

    Attributes:
        option: our option that it sets, wholly or in part; "": none.
        end: 0 or 1 if it is the lower or upper bound of that option; otherwise None.
        values: for a choice: our options for each of its values; otherwise None.
        only: whether only EnvPool's default is accepted.
        of_version: the value for each id, if the version in the id determines it; with `only`.
        advice: the reason, and what to do instead; with `only`, or if the setting has no effect.
        summary: what the table says in place of all `values`.
    """

    option: str = ""
    end: int | None = None
    values: Mapping[Any, Mapping[str, Any]] | None = None
    only: bool = False
    of_version: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""
    summary: str = ""


def spec_of(task: Task) -> TaskSpec:
    """Returns the spec of our task with its default options."""
    # The task of a plug-in may be registered again, with other options.
    return make_spec(task.id) if task.envpool_class is None else _built_in_spec(task.id)


@functools.cache
def _built_in_spec(task_id: str) -> TaskSpec:
    return make_spec(task_id)


def decision(task: Task, name: str) -> Decision:
    """Returns how a setting that EnvPool has for this kind of task is translated."""
    ours = spec_of(task).options
    base, _, end = name.rpartition("_")
    which = {"min": 0, "max": 1}.get(end)
    if (task.base_class_name, name) in _OTHER_ENDS:
        interval, which = _OTHER_ENDS[task.base_class_name, name]
        return Decision(interval, which)
    if (task.base_class_name, name) in _UNUSED:
        return Decision(advice="has no effect, as in EnvPool")
    if name == "distribution_mode" and name in ours:
        values = {number: {name: mode} for number, mode in _PROCGEN_MODES.items()}
        return Decision(name, values=values)
    if name == "use_generated_assets" and name in ours:
        # Games with generated pictures save no states, which `seeding="procgen"` needs.
        generated: dict[Any, Mapping[str, Any]] = {
            False: {},
            True: {name: True, "seeding": "single"},
        }
        return Decision(name, values=generated)
    if name == "maze_map":
        summary = "the rows of the maze of that name; each of EnvPool's names is accepted"
        return Decision(name, values=_mazes(task), summary=summary)
    if name == "partially_observable":
        hidden: dict[Any, Mapping[str, Any]] = {
            value: {"goal_observable": not value} for value in (True, False)
        }
        return Decision("goal_observable", values=hidden)
    if name in ours and name != "tasks_to_complete":
        return Decision(name)
    if _OTHER_NAMES.get(name) in ours:
        return Decision(_OTHER_NAMES[name])
    if which is not None:
        for interval in (f"{base}_range", *_OTHER_RANGES.get(base, ())):
            if interval in ours:
                return Decision(interval, which)
    if name == "size" and "map_name" in ours:
        values = {size: {"map_name": map_name} for size, map_name in _MAPS.items()}
        return Decision("map_name", values=values, advice=_ADVICE[name])
    if name == "use_contact_force" and task.id in _WITHOUT_CONTACTS:
        values = {False: _WITHOUT_CONTACTS[task.id], True: {}}
        return Decision(values=values)
    if name in _VERSIONED and task.envpool_class is not None:
        of_version = {
            task_id: task.envpool_class.by_id.get(task_id, {}).get(
                name, task.envpool_class.options[name]
            )
            for task_id in task.envpool_class.ids
        }
        listed = ", ".join(f"{value!r} in {task_id}" for task_id, value in of_version.items())
        advice = f"it follows from the version in the id: {listed}"
        return Decision(only=True, of_version=of_version, advice=advice)
    advice = FOLLOWS if task.envpool_class in ROBOTICS_CLASSES.values() else ""
    return Decision(only=True, advice=_ADVICE.get(name, advice))


def _mazes(task: Task) -> dict[Any, Mapping[str, Any]]:
    """Returns our option for each of EnvPool's names of a maze."""
    by_id = {} if task.envpool_class is None else task.envpool_class.by_id
    return {
        settings["maze_map"]: {"maze_map": _built_in_spec(task_id).options["maze_map"].default}
        for task_id, settings in by_id.items()
    }
