"""Checks the arguments of `make` and fills in defaults. Each pool is made from the result."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from gymnasium.vector import AutoresetMode

from envpool_py.envpool_hints import ADVICE
from envpool_py.errors import InputError, InputTypeError, RenderModeError, suggestion
from envpool_py.plain import plain

EnvType = Literal["gymnasium", "dm"]
_ENV_TYPES = ("gymnasium", "dm", "gym")  # "gym" is EnvPool's name
Seed = int | Sequence[int | None] | None

# Environment ids and elapsed steps are int32 everywhere.
_INT32_MAX = 2**31 - 1
_MAX_THREADS = 4096  # the engine's own limit
_MAX_CPU = 65_535  # above any kernel's limit
ThreadAffinity = str | list[list[int]] | None
AffinityArgument = str | Sequence[int | Sequence[int]] | None


@dataclass(frozen=True)
class PoolSettings:
    """The arguments of `make`, checked, with defaults filled in."""

    task: dict[str, Any]  # the engine's description of the task, with these options
    options: dict[str, Any]  # plain data
    num_envs: int
    batch_size: int
    num_threads: int  # 0: the engine chooses
    seed: Seed
    autoreset_mode: AutoresetMode
    max_episode_steps: int  # 0: no limit
    render_mode: str | None
    record_episode_statistics: bool
    max_blocks: int  # largest number of batch memory blocks per region; 0: no limit
    infos: str  # "all" or "gymnasium"
    check: bool = False  # whether the rows that environments write are checked
    thread_affinity: ThreadAffinity = None  # a list: the processors of each worker
    numa: str = "auto"

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return str(self.task["id"])

    def core_arguments(self, env_type: EnvType) -> dict[str, Any]:
        """Returns the arguments that all kinds of the engine's pools have in common."""
        return {
            "num_envs": self.num_envs,
            "batch_size": self.batch_size,
            "seed": self.seed,
            "autoreset_mode": self.autoreset_mode.value,
            "max_episode_steps": self.max_episode_steps,
            "env_type": env_type,
            "records_episodes": self.record_episode_statistics,
            "max_blocks": self.max_blocks,
            # CollectingCore needs them for "rgb_array_list" (see frames.py).
            "own_infos": self.infos == "all" or self.render_mode == "rgb_array_list",
        }

    def arguments(self) -> dict[str, Any]:
        """Returns the keyword arguments of `make` except the options, as plain data for JSON."""
        arguments: dict[str, Any] = {
            # Includes the module, because another process has to import it.
            "task_id": ":".join(filter(None, [self.task.get("module"), self.task_id])),
            "num_envs": self.num_envs,
            "autoreset_mode": self.autoreset_mode.value,
            # Explicit, because if the argument were omitted, `make` would use the task's default.
            "max_episode_steps": self.max_episode_steps or -1,
        }
        if self.batch_size != self.num_envs:
            arguments["batch_size"] = self.batch_size
        if self.num_threads != 0:
            arguments["num_threads"] = self.num_threads
        if self.render_mode is not None:
            arguments["render_mode"] = self.render_mode
        if self.record_episode_statistics:
            arguments["record_episode_statistics"] = True
        if self.max_blocks != 0:
            arguments["max_blocks"] = self.max_blocks
        if self.infos != "all":
            arguments["infos"] = self.infos
        if self.check:
            arguments["check"] = True
        if self.thread_affinity is not None:
            arguments["thread_affinity"] = self.thread_affinity
        if self.numa != "auto":
            arguments["numa"] = self.numa
        if self.seed is not None:
            arguments["seed"] = plain(self.seed)
        return arguments


def check_settings(
    task: dict[str, Any],
    *,
    num_envs: int,
    autoreset_mode: str | AutoresetMode,
    max_episode_steps: int | None,
    options: Mapping[str, Any],
    batch_size: int | None = None,
    num_threads: int | None = None,
    seed: Seed = None,
    render_mode: str | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
    check: bool = False,
    thread_affinity: Any = None,
    numa: str = "auto",
) -> PoolSettings:
    """Checks the arguments of `make` for a task from `describe`, except seeds (the engine does)."""
    envs = integer("num_envs", num_envs, 1, _INT32_MAX)
    settings = PoolSettings(
        task=task,
        options={name: plain(value) for name, value in options.items()},
        num_envs=envs,
        batch_size=(
            envs
            if batch_size is None
            else integer("batch_size", batch_size, 1, envs, "num_envs", or_none=True)
        ),
        num_threads=(
            0
            if num_threads is None
            else integer("num_threads", num_threads, 1, _MAX_THREADS, or_none=True)
        ),
        seed=seed,
        autoreset_mode=_autoreset_mode(autoreset_mode),
        max_episode_steps=_step_limit(max_episode_steps, task["max_episode_steps"]),
        render_mode=_render_mode(render_mode, task),
        record_episode_statistics=_flag("record_episode_statistics", record_episode_statistics),
        max_blocks=(
            0
            if max_blocks is None
            else integer("max_blocks", max_blocks, 1, _INT32_MAX, or_none=True)
        ),
        infos=choice("infos", infos, ["all", "gymnasium"]),
        check=_flag("check", check),
        thread_affinity=_thread_affinity(thread_affinity),
        numa=choice("numa", numa, ["auto", "off"]),
    )
    if settings.infos == "gymnasium" and settings.batch_size < envs:
        raise InputError(
            f"infos: expected 'all' with batch_size {settings.batch_size} < num_envs {envs}, "
            "where infos[\"env_id\"] says whose rows they are, got 'gymnasium'"
        )
    if settings.infos == "gymnasium" and task["players"] is not None:
        raise InputError(
            f"infos: expected 'all' for {settings.task_id}, whose infos[\"players\"] says which "
            "player each row belongs to, got 'gymnasium'"
        )
    return settings


def integer(
    name: str, value: Any, low: int, high: int, high_name: str = "", *, or_none: bool = False
) -> int:
    """Checks that an argument is an integer in [low, high], and returns it.

    Args:
        name: name of the argument.
        value: its value; not None.
        low: lowest valid value.
        high: highest valid value.
        high_name: what messages call `high`, such as "num_envs".
        or_none: whether messages say that None is valid too.

    Raises:
        InputError: the value is out of range.
        InputTypeError: it is not an integer.
    """
    expected = f"an integer in [{low}, {high_name + ' = ' if high_name else ''}{high}]"
    if or_none:
        expected += " or None"
    number = _as_int(name, value, expected)
    if not low <= number <= high:
        # In EnvPool, 0 means the default.
        advice = f" ({ADVICE})" if or_none and number == 0 and name != "max_blocks" else ""
        raise InputError(f"{name}: expected {expected}, got {number}{advice}")
    return number


def _as_int(name: str, value: Any, expected: str) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{name}: expected {expected}, got bool {value}")
    try:
        return operator.index(value)
    except TypeError:
        raise InputTypeError(
            f"{name}: expected {expected}, got {type(value).__name__} {value!r}"
        ) from None


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise InputTypeError(f"{name}: expected a bool, got {type(value).__name__} {value!r}")


def _thread_affinity(value: Any) -> ThreadAffinity:
    """Checks the argument `thread_affinity`; the engine checks that the processors exist."""
    if value is None:
        return None
    if isinstance(value, str):
        return choice("thread_affinity", value, ["cores", "nodes"])
    expected = (
        "thread_affinity: expected None, 'cores', 'nodes' or a list with a processor, or a list of "
        "processors, for each worker thread, got "
    )
    if not isinstance(value, (Sequence, np.ndarray)) or len(value) == 0:
        raise InputTypeError(f"{expected}{type(value).__name__} {value!r}")
    workers: list[list[int]] = []
    for item in value:
        cpus = item if isinstance(item, (Sequence, np.ndarray)) else [item]
        if len(cpus) == 0 or isinstance(cpus, str):
            raise InputTypeError(f"{expected}an item {item!r}")
        workers.append([_as_int("thread_affinity", cpu, "processors") for cpu in cpus])
        for cpu in workers[-1]:
            if not 0 <= cpu <= _MAX_CPU:
                raise InputError(f"{expected}processor {cpu}")
    return workers


def choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Checks an argument that is one of some names."""
    expected = " or ".join(map(repr, choices))
    if not isinstance(value, str):
        raise InputTypeError(f"{name}: expected {expected}, got {type(value).__name__} {value!r}")
    if value not in choices:
        raise InputError(f"{name}: expected {expected}, got {value!r}{suggestion(value, choices)}")
    return value


def check_env_type(value: Any) -> EnvType:
    """Checks the name of an API."""
    expected = "env_type: expected 'gymnasium' or 'dm', got "
    if not isinstance(value, str):
        raise InputTypeError(f"{expected}{type(value).__name__} {value!r}")
    if value not in _ENV_TYPES:
        raise InputError(f"{expected}{value!r}{suggestion(value, _ENV_TYPES)}")
    return "dm" if value == "dm" else "gymnasium"


def _step_limit(value: int | None, default: int | None) -> int:
    if value is None:
        return default or 0
    expected = f"None (the task's default), -1 (no limit) or an integer in [1, {_INT32_MAX}]"
    number = _as_int("max_episode_steps", value, expected)
    if number == -1:
        return 0
    if not 1 <= number <= _INT32_MAX:
        raise InputError(f"max_episode_steps: expected {expected}, got {number}")
    return number


def _autoreset_mode(value: str | AutoresetMode) -> AutoresetMode:
    if isinstance(value, AutoresetMode):
        return value
    names = [mode.value for mode in AutoresetMode]
    expected = "one of " + ", ".join(map(repr, names)) + " or a gymnasium.vector.AutoresetMode"
    if not isinstance(value, str):
        raise InputTypeError(
            f"autoreset_mode: expected {expected}, got {type(value).__name__} {value!r}"
        )
    if value not in names:
        raise InputError(
            f"autoreset_mode: expected {expected}, got {value!r}{suggestion(value, names)}"
        )
    return AutoresetMode(value)


def _render_mode(value: str | None, task: Mapping[str, Any]) -> str | None:
    if value is None:
        return None
    expected = " or ".join(["None", *map(repr, render_modes(task))])
    if not isinstance(value, str):
        raise InputTypeError(
            f"render_mode: expected {expected}, got {type(value).__name__} {value!r}"
        )
    if value in render_modes(task):
        return value
    if task["render"] is None:
        raise RenderModeError(
            f"render_mode: expected None ({task['id']} does not render), got {value!r}"
        )
    hint = (
        " (pools open no window; gymnasium.wrappers.vector.HumanRendering shows 'rgb_array' in one)"
        if value == "human"
        else suggestion(value, render_modes(task))
    )
    raise RenderModeError(f"render_mode: expected {expected}, got {value!r}{hint}")


def render_modes(task: Mapping[str, Any]) -> list[str]:
    """Returns the values of `render_mode`, other than None, for a task from `describe`."""
    return [] if task["render"] is None else ["rgb_array", "rgb_array_list"]
