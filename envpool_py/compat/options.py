"""Translates EnvPool's settings of a task to the arguments of our pools.

A setting of EnvPool corresponds to one of these:

- an option of our task, with the same name or another (`ctrl_cost_weight` of Reacher-v5 is
  `reward_control_weight`);
- a bound of an interval that is one option here (`healthy_z_min`: the lower bound of
  `healthy_z_range`);
- a choice, each value of which sets other options here (`size` of FrozenLake);
- nothing: our task behaves like EnvPool's default, and only the default is accepted.

`decision` determines which. The table in docs/coming-from-envpool.md is generated from it.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from envpool_py.compat.errors import (
    ConfigError,
    ConfigNameError,
    ConfigTypeError,
    ConfigValueError,
)
from envpool_py.compat.robotics_tables import ROBOTICS_CLASSES
from envpool_py.compat.tasks import Task
from envpool_py.errors import suggestion
from envpool_py.pool import core
from envpool_py.tasks.resolve import MAKE_ARGUMENTS
from envpool_py.tasks.spec import OptionSpec, TaskSpec, make_spec

__all__ = [
    "FOLLOWS",
    "NO_LIMIT",
    "Decision",
    "decision",
    "defaults",
    "engine_arguments",
    "settings_of",
]

FOLLOWS = "it follows from the id"
"""Why most settings of Gymnasium-Robotics and MetaWorld only have their default."""

NO_LIMIT = 2**31 - 1  # EnvPool's max_episode_steps where there is no limit

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
# Settings that EnvPool 1.2.5 accepts and ignores.
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


def _spec_of(task: Task) -> TaskSpec:
    """Returns the spec of our task with its default options."""
    # The task of a plug-in may be registered again, with other options.
    return make_spec(task.id) if task.envpool_class is None else _built_in_spec(task.id)


@functools.cache
def _built_in_spec(task_id: str) -> TaskSpec:
    return make_spec(task_id)


def decision(task: Task, name: str) -> Decision:
    """Returns how a setting that EnvPool has for this kind of task is translated."""
    ours = _spec_of(task).options
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


def defaults(task: Task) -> dict[str, Any]:
    """Returns EnvPool's settings of a task, in its order, with their defaults."""
    ours = _spec_of(task)
    limits = {} if task.envpool_class is None else task.envpool_class.step_limits
    settings: dict[str, Any] = {
        "num_envs": 1,
        "batch_size": 0,
        "num_threads": 0,
        "max_num_players": ours.num_players,
        "thread_affinity_offset": -1,
        "base_path": "envpool",
        "seed": 42,
        "env_seed": [],
        "gym_reset_return_info": True,
        "max_episode_steps": ours.max_episode_steps or limits.get(task.id, NO_LIMIT),
    }
    if task.envpool_class is None or task.envpool_class.has_threshold:
        own = None if task.envpool_class is None else task.envpool_class.threshold
        settings["reward_threshold"] = ours.reward_threshold if own is None else own
    if task.envpool_class is None:
        return {**settings, **{name: option.default for name, option in ours.options.items()}}
    return {**settings, **task.settings}


def settings_of(task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all settings of a task: the defaults, overridden by the given settings.

    Options of our task that EnvPool does not have are accepted too.

    Raises:
        ConfigNameError: the task has no such setting.
        ConfigError, ConfigTypeError: a setting that every task has is out of range.
    """
    settings = defaults(task)
    ours = _spec_of(task).options
    for name in given:
        if name not in settings and name not in ours:
            raise ConfigNameError(_unknown(task, name, [*settings, *ours]))
    players = settings["max_num_players"]
    settings.update(given)
    if players > 1 and settings["max_num_players"] != players:
        raise ConfigError(
            f"max_num_players: expected {players}, as many as {task.name} has, got "
            f"{settings['max_num_players']!r}"
        )
    _check_common(settings, pixels=task.pixels)
    return settings


def _unknown(task: Task, name: str, known: Sequence[str]) -> str:
    if name in MAKE_ARGUMENTS:
        return (
            f'{task.name} has no setting "{name}": EnvPool has none; envpool_py.make, whose '
            "pools are Gymnasium's, takes it"
        )
    return f'{task.name} has no setting "{name}"{suggestion(name, known)}'


def _check_common(settings: dict[str, Any], *, pixels: bool) -> None:
    """Checks the settings that every task has, and converts seeds and counts to int."""
    num_envs = settings["num_envs"] = _integer(settings, "num_envs", 1)
    settings["batch_size"] = _integer(settings, "batch_size", 0)
    if settings["batch_size"] > num_envs:
        raise ConfigError(
            f"batch_size: expected an integer in [0, num_envs = {num_envs}], "
            f"got {settings['batch_size']}"
        )
    settings["batch_size"] = settings["batch_size"] or num_envs
    settings["num_threads"] = _integer(settings, "num_threads", 0)
    settings["max_num_players"] = _integer(settings, "max_num_players", 1)
    settings["thread_affinity_offset"] = _integer(settings, "thread_affinity_offset", None)
    settings["max_episode_steps"] = _integer(settings, "max_episode_steps", 1)
    for name in ("render_width", "render_height") if pixels else ():
        settings[name] = _integer(settings, name, None)
        if settings[name] < 1:
            raise ConfigValueError(f"{name}: expected a positive integer, got {settings[name]}")
    if not settings["gym_reset_return_info"]:
        raise ConfigError(
            "gym_reset_return_info: expected True (a reset returns observations and infos, as in "
            "EnvPool from 1.0 on), got False"
        )
    seed = settings["seed"]
    if isinstance(seed, np.ndarray) or (isinstance(seed, Sequence) and not isinstance(seed, str)):
        if len(settings["env_seed"]):
            raise ConfigError("seed: a list of seeds cannot be combined with env_seed")
        settings["env_seed"] = seed
        settings["seed"] = 0
    else:
        settings["seed"] = _seed("seed", seed)
    seeds = [_seed("env_seed", item) for item in settings["env_seed"]]
    if seeds and len(seeds) != num_envs:
        raise ConfigError(
            f"seed: expected one for each of {num_envs} environments, got {len(seeds)}"
        )
    settings["env_seed"] = seeds


def _integer(settings: Mapping[str, Any], name: str, low: int | None) -> int:
    value = settings[name]
    expected = "an integer" if low is None else f"an integer from {low} on"
    try:
        number = operator.index(value)
    except TypeError:
        raise ConfigTypeError(
            f"{name}: expected {expected}, got {type(value).__name__} {value!r}"
        ) from None
    if low is not None and number < low:
        raise ConfigError(f"{name}: expected {expected}, got {number}")
    return number


def _seed(name: str, value: Any) -> int:
    number = _integer({name: value}, name, None)
    if not -(2**31) <= number < 2**31:
        raise ConfigError(f"{name}: expected an int32, got {number}")
    return number


def engine_arguments(task: Task, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the arguments of our pools, options among them, for these settings.

    Raises:
        ConfigNameError: our task has no option for a setting that is not the default.
    """
    arguments: dict[str, Any] = {
        "num_envs": settings["num_envs"],
        "batch_size": settings["batch_size"],
        "num_threads": settings["num_threads"] or None,
        "seed": _engine_seed(settings),
        "autoreset_mode": "NextStep",
        "max_episode_steps": _engine_limit(settings["max_episode_steps"]),
        "thread_affinity": _engine_affinity(settings["thread_affinity_offset"]),
    }
    ours = _spec_of(task).options
    common = defaults(task)
    options: dict[str, Any] = {} if task.envpool_class is None else dict(task.envpool_class.ours)
    for name, value in settings.items():
        if name in task.settings:
            if name.startswith("render_") or not _equal(value, task.settings[name]):
                options.update(_engine_option(task, ours, options, name, value))
        elif name in ours and (name not in common or not _equal(value, common[name])):
            options[name] = _plain(value, ours[name])
    # Choices set several options and override other settings.
    for name in task.settings:
        values = decision(task, name).values
        if values is not None and not _equal(settings[name], task.settings[name]):
            options.update(values[settings[name]])
    if task.pixels:
        options.update(from_pixels=True, channels_first=True)
    return {**arguments, **options}


def _engine_seed(settings: Mapping[str, Any]) -> int | list[int]:
    """Returns `seed + i` for environment i, as in EnvPool; negative seeds modulo 2**32."""
    if settings["env_seed"]:
        return [seed % 2**32 for seed in settings["env_seed"]]
    seed: int = settings["seed"]
    if seed >= 0:
        return seed
    return [(seed + i) % 2**32 for i in range(settings["num_envs"])]


def _engine_limit(steps: int) -> int:
    return -1 if steps >= NO_LIMIT else steps


def _engine_affinity(offset: int) -> list[int] | None:
    """Returns the processors of the worker threads: from the given one on, as in EnvPool.

    EnvPool counts all processors of the system. This function counts only the processors that the
    process may use.
    """
    if offset < 0:
        return None
    cpus: list[int] = core.system_info()["cpus"]
    first = offset % len(cpus)
    return [*cpus[first:], *cpus[:first]]


def _engine_option(
    task: Task,
    ours: Mapping[str, OptionSpec],
    options: Mapping[str, Any],
    name: str,
    value: Any,
) -> dict[str, Any]:
    """Returns the options of our task for a setting that differs from its default."""
    what = decision(task, name)
    if what.values is not None:
        # 0 and 1 are False and True.
        if isinstance(value, (str, int, np.integer, np.bool_)) and value in what.values:
            return dict(what.values[value])
    elif what.end is not None:
        both = list(options.get(what.option, ours[what.option].default))
        both[what.end] = float(value)
        return {what.option: both}
    elif not what.only:
        return {what.option: _plain(value, ours[what.option])} if what.option else {}
    if what.values is None:
        expected = f"{task.settings[name]!r} here, EnvPool's default"
    else:
        expected = f"{' or '.join(map(repr, what.values))} here"
    advice = f" ({what.advice})" if what.advice else ""
    raise ConfigNameError(f'{task.name}: "{name}" can only be {expected}; got {value!r}{advice}')


def _plain(value: Any, option: OptionSpec) -> Any:
    # EnvPool accepts 0, 1 and NumPy numbers for a bool.
    if option.type == "bool" and not isinstance(value, bool):
        return bool(value) if value in (0, 1) else value
    return value


def _equal(value: Any, default: Any) -> bool:
    if isinstance(value, float) and isinstance(default, float):
        return value == default or (math.isnan(value) and math.isnan(default))
    return bool(np.array_equal(value, default)) if type(value) is not str else value == default
