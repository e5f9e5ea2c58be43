"""EnvPool's settings of a task, and from them the arguments of our pools.

A setting of EnvPool's is one of these:

- an option of our task, under the same name or another (`ctrl_cost_weight` of Reacher-v5 is
  `reward_control_weight`);
- an end of an interval, which our task has as one option (`healthy_z_min` of `healthy_z_range`);
- neither: then our task does what EnvPool does by default, and only the default is taken.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envpool_py.compat.errors import ConfigError, ConfigNameError, ConfigTypeError
from envpool_py.compat.tasks import Task
from envpool_py.errors import suggestion
from envpool_py.spec import MAKE_ARGUMENTS, OptionSpec, make_spec

__all__ = ["NO_LIMIT", "defaults", "engine_arguments", "settings_of"]

NO_LIMIT = 2**31 - 1  # EnvPool's max_episode_steps where there is no limit

# EnvPool's names of options that our tasks have under another one.
_OTHER_NAMES = {
    "use_contact_force": "use_contact_forces",
    "ctrl_cost_weight": "reward_control_weight",
    "dist_cost_weight": "reward_dist_weight",
    "near_cost_weight": "reward_near_weight",
    "forward_reward_weight": "uph_cost_weight",
    "contact_cost_weight": "impact_cost_weight",
}
_OTHER_RANGES = {"contact_cost": "impact_cost"}
# Maps of FrozenLake by EnvPool's `size`.
_MAPS = {4: "4x4", 8: "8x8"}
_ADVICE = {
    "frame_stack": "stack the observations in the program, or with Gymnasium's "
    "FrameStackObservation",
    "version": "Pendulum-v1 is version 1",
    "size": 'for maps of other sizes give "desc"',
    "task": "the game follows from the id",
    "post_constraint": "it follows from the version in the id",
    "legacy_healthy_reward": "it follows from the version in the id",
    "reward_after_step": "it follows from the version in the id",
    "reward_if_not_terminated": "it follows from the version in the id",
    "use_contact_force": "it follows from the version in the id",
}


def defaults(task: Task) -> dict[str, Any]:
    """Returns EnvPool's settings of a task, in its order, with their defaults."""
    ours = make_spec(task.id)
    settings: dict[str, Any] = {
        "num_envs": 1,
        "batch_size": 0,
        "num_threads": 0,
        "max_num_players": 1,
        "thread_affinity_offset": -1,
        "base_path": "envpool",
        "seed": 42,
        "env_seed": [],
        "gym_reset_return_info": True,
        "max_episode_steps": ours.max_episode_steps or NO_LIMIT,
    }
    if task.kind is None or task.kind.has_threshold:
        settings["reward_threshold"] = ours.reward_threshold
    if task.kind is None:
        return {**settings, **{name: option.default for name, option in ours.options.items()}}
    return {**settings, **task.settings}


def settings_of(task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns all settings of a task: the defaults, and in their place those given.

    Options of our task that EnvPool has no name for are taken too.

    Raises:
        ConfigNameError: the task has no such setting.
        ConfigError, ConfigTypeError: one that every task has is out of range.
    """
    settings = defaults(task)
    ours = make_spec(task.id).options
    for name in given:
        if name not in settings and name not in ours:
            raise ConfigNameError(_unknown(task, name, [*settings, *ours]))
    settings.update(given)
    _check_common(settings)
    return settings


def _unknown(task: Task, name: str, known: Sequence[str]) -> str:
    if name == "from_pixels":
        return (
            f"{task.name}: from_pixels is not there yet; render_mode='rgb_array' and render() "
            "give pictures beside the observations"
        )
    if name in MAKE_ARGUMENTS:
        return (
            f'{task.name} has no setting "{name}": EnvPool has none; envpool_py.make, whose '
            "pools are Gymnasium's, takes it"
        )
    return f'{task.name} has no setting "{name}"{suggestion(name, known)}'


def _check_common(settings: dict[str, Any]) -> None:
    """Checks what every task has, and makes seeds and counts plain integers."""
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
    if not settings["gym_reset_return_info"]:
        raise ConfigError(
            "gym_reset_return_info: expected True (a reset returns observations and infos, as in "
            "EnvPool from 1.0 on), got False"
        )
    seed = settings["seed"]
    if isinstance(seed, np.ndarray) or (isinstance(seed, Sequence) and not isinstance(seed, str)):
        if len(settings["env_seed"]):
            raise ConfigError("seed: expected an integer together with env_seed, got a list")
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
    }
    ours = make_spec(task.id).options
    common = defaults(task)
    options: dict[str, Any] = {} if task.kind is None else dict(task.kind.ours)
    for name, value in settings.items():
        if name in task.settings:
            if not _equal(value, task.settings[name]):
                options.update(_engine_option(task, ours, options, name, value))
        elif name in ours and (name not in common or not _equal(value, common[name])):
            options[name] = _plain(value, ours[name])
    return {**arguments, **options}


def _engine_seed(settings: Mapping[str, Any]) -> int | list[int]:
    """Environment i gets `seed + i`, as in EnvPool; of negative ones the lower 32 bits."""
    if settings["env_seed"]:
        return [seed % 2**32 for seed in settings["env_seed"]]
    seed: int = settings["seed"]
    if seed >= 0:
        return seed
    return [(seed + i) % 2**32 for i in range(settings["num_envs"])]


def _engine_limit(steps: int) -> int:
    return -1 if steps >= NO_LIMIT else steps


def _engine_option(
    task: Task,
    ours: Mapping[str, OptionSpec],
    options: Mapping[str, Any],
    name: str,
    value: Any,
) -> dict[str, Any]:
    """Returns the option of our task, and its value, for a setting that is not the default."""
    if name in ours:
        return {name: _plain(value, ours[name])}
    other = _OTHER_NAMES.get(name, "")
    if other in ours:
        return {other: _plain(value, ours[other])}
    if name == "size" and "map_name" in ours and value in _MAPS:
        return {"map_name": _MAPS[value]}
    base, _, end = name.rpartition("_")
    if end in ("min", "max"):
        for interval in (f"{base}_range", f"{_OTHER_RANGES.get(base)}_range"):
            if interval in ours:
                both = list(options.get(interval, ours[interval].default))
                both[end == "max"] = float(value)
                return {interval: both}
    default = task.settings[name]
    advice = _ADVICE.get(name)
    raise ConfigNameError(
        f'{task.name}: "{name}" can only be {default!r} here, EnvPool\'s default; got {value!r}'
        f"{'' if advice is None else f' ({advice})'}"
    )


def _plain(value: Any, option: OptionSpec) -> Any:
    # EnvPool takes 0 and 1, and NumPy's numbers, for a bool.
    if option.type == "bool" and not isinstance(value, bool):
        return bool(value) if value in (0, 1) else value
    return value


def _equal(value: Any, default: Any) -> bool:
    if isinstance(value, float) and isinstance(default, float):
        return value == default or (math.isnan(value) and math.isnan(default))
    return bool(np.array_equal(value, default)) if type(value) is not str else value == default
