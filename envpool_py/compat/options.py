"""Translates EnvPool's settings of a task to the arguments of our pools; see `decisions`."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from envpool_py.compat.decisions import decision, spec_of
from envpool_py.compat.errors import (
    ConfigError,
    ConfigNameError,
    ConfigTypeError,
    ConfigValueError,
)
from envpool_py.compat.tasks import Task
from envpool_py.errors import suggestion
from envpool_py.pool import core
from envpool_py.tasks.resolve import MAKE_ARGUMENTS
from envpool_py.tasks.spec import OptionSpec

__all__ = ["NO_LIMIT", "defaults", "engine_arguments", "settings_of"]

NO_LIMIT = 2**31 - 1  # EnvPool's max_episode_steps where there is no limit


def defaults(task: Task) -> dict[str, Any]:
    """Returns EnvPool's settings of a task, in its order, with their defaults."""
    ours = spec_of(task)
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
    ours = spec_of(task).options
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
    ours = spec_of(task).options
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
