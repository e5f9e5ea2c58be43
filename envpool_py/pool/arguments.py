"""The arguments of a pool: `PoolArguments` is the only list of their names.

To add an argument, add a field with its default and its check here, read it in
`engine/bindings/pool_arguments.cc`, and describe it in `envpool_py.make`, whose signature a test
compares with the fields. Everything else follows from the fields: `make_dm`, `make_python`,
Gymnasium's specs, pickles, and the suggestions for misspelt names.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from gymnasium.vector import AutoresetMode

from envpool_py.compat.hints import ADVICE
from envpool_py.errors import InputError, InputTypeError, RenderModeError, suggestion
from envpool_py.pool.checks import as_int, choice, flag, integer, seconds_or_none
from envpool_py.pool.env_options import EnvOptions, per_env
from envpool_py.pool.plain import to_plain
from envpool_py.pool.task import ResolvedTask

__all__ = [
    "ARGUMENT_NAMES",
    "PYTHON_ARGUMENT_NAMES",
    "EnvType",
    "PoolArguments",
    "Seed",
    "check_env_type",
    "is_default",
    "render_modes",
    "show_arguments",
    "take_arguments",
]

EnvType = Literal["gymnasium", "dm"]
Seed = int | Sequence[int | None] | None
ThreadAffinity = str | list[list[int]] | None

_ENV_TYPES = ("gymnasium", "dm", "gym")  # "gym" is EnvPool's name
# Environment ids and elapsed steps are int32 everywhere.
_INT32_MAX = 2**31 - 1
_MAX_THREADS = 4096  # the engine's own limit
_MAX_CPU = 65_535  # above any kernel's limit

# A check gets the value, the arguments that are checked already, by name, and the task.
Check = Callable[[Any, Mapping[str, Any], ResolvedTask], Any]


def _engine(check: Check) -> dict[str, Any]:
    """Returns the metadata of an argument that only pools of environments in C++ have."""
    return {"check": check, "python": False}


def _all(check: Check) -> dict[str, Any]:
    """Returns the metadata of an argument that all pools have."""
    return {"check": check, "python": True}


def _flag(name: str) -> Check:
    return lambda value, checked, task: flag(name, value)


def _num_envs(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> int:
    return integer("num_envs", value, 1, _INT32_MAX)


def _batch_size(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> int | None:
    if value is None:
        return None
    # In EnvPool, 0 means the default.
    envs: int = checked["num_envs"]
    return integer("batch_size", value, 1, envs, "num_envs", or_none=True, advice=ADVICE)


def _num_threads(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> int | None:
    if value is None:
        return None
    return integer("num_threads", value, 1, _MAX_THREADS, or_none=True, advice=ADVICE)


def _max_live_batches(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> int | None:
    return (
        None if value is None else integer("max_live_batches", value, 1, _INT32_MAX, or_none=True)
    )


def _numa(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> str:
    return choice("numa", value, ["auto", "off"])


def _on_error(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> str:
    return choice("on_error", value, ["raise", "reset"])


def _max_failures(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> int:
    return integer("max_failures", value, 0, _INT32_MAX)


def _step_timeout(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> float | None:
    return seconds_or_none("step_timeout", value)


def _seed(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> Any:
    return value  # the engine checks seeds


def _autoreset_mode(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> AutoresetMode:
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


def _max_episode_steps(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> int | None:
    if value is None:
        return None if task.parts else task.description["max_episode_steps"] or -1
    expected = f"None (the task's default), -1 (no limit) or an integer in [1, {_INT32_MAX}]"
    number = as_int("max_episode_steps", value, expected)
    if number != -1 and not 1 <= number <= _INT32_MAX:
        raise InputError(f"max_episode_steps: expected {expected}, got {number}")
    return number


def _render_mode(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> str | None:
    if value is None:
        return None
    modes = render_modes(task.description)
    expected = " or ".join(["None", *map(repr, modes)])
    if not isinstance(value, str):
        raise InputTypeError(
            f"render_mode: expected {expected}, got {type(value).__name__} {value!r}"
        )
    if value in modes:
        return value
    if not modes:
        raise RenderModeError(
            f"render_mode: expected None ({task.id} does not render), got {value!r}"
        )
    hint = (
        " (pools open no window; gymnasium.wrappers.vector.HumanRendering shows 'rgb_array' in one)"
        if value == "human"
        else suggestion(value, modes)
    )
    raise RenderModeError(f"render_mode: expected {expected}, got {value!r}{hint}")


def _extra_infos(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> bool:
    if flag("extra_infos", value):
        return True
    envs, rows = checked["num_envs"], checked["batch_size"] or checked["num_envs"]
    if rows < envs:
        raise InputError(
            f"extra_infos: expected True with batch_size {rows} < num_envs {envs}, where "
            'infos["env_id"] says whose rows they are, got False'
        )
    if task.description["players"] is not None:
        raise InputError(
            f'extra_infos: expected True for {task.id}, whose infos["players"] says which player '
            "each row belongs to, got False"
        )
    return False


def _env_options(
    value: Any, checked: Mapping[str, Any], task: ResolvedTask
) -> list[dict[str, Any]] | None:
    """Checks the form; the engine checks the options."""
    if value is None:
        return None
    return per_env("env_options", value, checked["num_envs"], ARGUMENT_NAMES)


def _thread_affinity(value: Any, checked: Mapping[str, Any], task: ResolvedTask) -> ThreadAffinity:
    """Checks the argument; the engine checks that the processors exist."""
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
        workers.append([as_int("thread_affinity", cpu, "processors") for cpu in cpus])
        for cpu in workers[-1]:
            if not 0 <= cpu <= _MAX_CPU:
                raise InputError(f"{expected}processor {cpu}")
    return workers


@dataclass(frozen=True)
class PoolArguments:
    """The arguments of a pool, checked. `envpool_py.make` describes them.

    `check` makes it. None means the default that the engine chooses, or no limit;
    `max_episode_steps` is -1 if there is no limit; None for several tasks that have their own.
    """

    num_envs: int = field(default=1, metadata=_all(_num_envs))
    batch_size: int | None = field(default=None, metadata=_all(_batch_size))
    num_threads: int | None = field(default=None, metadata=_engine(_num_threads))
    seed: Seed = field(default=None, metadata=_all(_seed))
    autoreset_mode: AutoresetMode = field(  # type: ignore[assignment]
        default="NextStep", metadata=_all(_autoreset_mode) | {"given_as": "str | AutoresetMode"}
    )
    max_episode_steps: int | None = field(default=None, metadata=_all(_max_episode_steps))
    render_mode: str | None = field(default=None, metadata=_engine(_render_mode))
    record_episode_statistics: bool = field(
        default=False, metadata=_all(_flag("record_episode_statistics"))
    )
    max_live_batches: int | None = field(default=None, metadata=_all(_max_live_batches))
    on_error: str = field(default="raise", metadata=_all(_on_error))
    max_failures: int = field(default=10, metadata=_all(_max_failures))
    step_timeout: float | None = field(default=None, metadata=_all(_step_timeout))
    extra_infos: bool = field(default=True, metadata=_all(_extra_infos))
    check_outputs: bool = field(default=False, metadata=_engine(_flag("check_outputs")))
    thread_affinity: ThreadAffinity = field(default=None, metadata=_engine(_thread_affinity))
    numa: str = field(default="auto", metadata=_engine(_numa))
    env_options: EnvOptions | None = field(default=None, metadata=_engine(_env_options))

    @classmethod
    def checked(cls, task: ResolvedTask, arguments: Mapping[str, Any]) -> PoolArguments:
        """Checks the arguments given for a task, except seeds, which the engine checks.

        Raises:
            InputError, InputTypeError, RenderModeError: the message names the argument.
        """
        values: dict[str, Any] = {}
        for each in dataclasses.fields(cls):
            given = arguments.get(each.name, each.default)
            values[each.name] = each.metadata["check"](given, values, task)
        return cls(**values)

    @property
    def rows(self) -> int:
        """Rows that `recv` returns."""
        return self.batch_size or self.num_envs

    @property
    def step_limit(self) -> int | None:
        """Steps after which an episode is truncated; None: never."""
        return None if self.max_episode_steps == -1 else self.max_episode_steps

    def plain_form(self) -> dict[str, Any]:
        """Returns the keyword arguments of `make` with which an equal pool is made, for JSON.

        Omits those that have their default. `max_episode_steps` is explicit, because `make` would
        use the task's default.
        """
        keywords = {
            each.name: to_plain(getattr(self, each.name))
            for each in dataclasses.fields(self)
            if each.name in _ALWAYS_GIVEN or not is_default(each.name, getattr(self, each.name))
        }
        if keywords.get("batch_size") == self.num_envs:
            del keywords["batch_size"]
        return keywords

    def core_form(self, env_type: EnvType) -> dict[str, Any]:
        """Returns the arguments for the engine, which reads them by these names."""
        values = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        return {
            **values,
            "batch_size": self.rows,
            "autoreset_mode": self.autoreset_mode.value,
            "env_type": env_type,
        }


def is_default(name: str, value: Any) -> bool:
    """Returns whether an argument has its default; the value, such as a seed, may be an array."""
    default = getattr(PoolArguments, name)
    return type(value) is type(default) and bool(value == default)


_ALWAYS_GIVEN = ("num_envs", "autoreset_mode", "max_episode_steps")
ARGUMENT_NAMES = tuple(each.name for each in dataclasses.fields(PoolArguments))
"""Names of the arguments of pools in C++."""
PYTHON_ARGUMENT_NAMES = tuple(
    each.name for each in dataclasses.fields(PoolArguments) if each.metadata["python"]
)
"""Names of those that pools of environments in Python have too."""


def take_arguments(keywords: dict[str, Any]) -> dict[str, Any]:
    """Removes the arguments of a pool from keywords and returns them; options are left."""
    return {name: keywords.pop(name) for name in ARGUMENT_NAMES if name in keywords}


def show_arguments(function: Any, names: Sequence[str] = ARGUMENT_NAMES) -> None:
    """Shows the arguments of a pool in the signature of a function that takes `**arguments`.

    `help` and editors then list them with their defaults. A TypedDict could not do it, because a
    task's options are arbitrary keywords.

    Args:
        function: takes `**arguments` or `**options`.
        names: the arguments to show, unless the function names them itself.
    """
    own = inspect.signature(function)
    defaults = {each.name: each for each in dataclasses.fields(PoolArguments)}
    shown = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name].default,
            annotation=defaults[name].metadata.get("given_as", defaults[name].type),
        )
        for name in names
        if name not in own.parameters
    ]
    *first, last = own.parameters.values()
    function.__signature__ = own.replace(parameters=[*first, *shown, last])


def check_env_type(value: Any) -> EnvType:
    """Checks the name of an API."""
    expected = "env_type: expected 'gymnasium' or 'dm', got "
    if not isinstance(value, str):
        raise InputTypeError(f"{expected}{type(value).__name__} {value!r}")
    if value not in _ENV_TYPES:
        raise InputError(f"{expected}{value!r}{suggestion(value, _ENV_TYPES)}")
    return "dm" if value == "dm" else "gymnasium"


def render_modes(description: Mapping[str, Any]) -> list[str]:
    """Returns the values of `render_mode`, other than None, for a task that is described."""
    return [] if description["render"] is None else ["rgb_array", "rgb_array_list"]
