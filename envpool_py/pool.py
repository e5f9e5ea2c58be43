"""The part that both APIs' pools share: checked settings, send and recv, closing.

A pool is a thin object around the compiled `Pool`, and each call goes directly to it. Any thread
may call; the engine synchronises the calls.
"""

from __future__ import annotations

import atexit
import contextlib
import operator
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from envpool_py import _core, families, scenes
from envpool_py.envpool_hints import ADVICE, ATTRIBUTES, AdviceOnly, add_advice
from envpool_py.errors import (
    CloseTimeoutError,
    EnvironmentFailedError,
    InputError,
    InputTypeError,
    RenderModeError,
    ResetNeededError,
    suggestion,
)
from envpool_py.plain import plain
from envpool_py.spec import describe

if TYPE_CHECKING:
    from typing_extensions import Self

EnvType = Literal["gymnasium", "dm"]
_ENV_TYPES = ("gymnasium", "dm", "gym")  # "gym" is EnvPool's name
Seed = int | Sequence[int | None] | None
EnvIds = ArrayLike | None

# Environment ids and elapsed steps are int32 everywhere.
_INT32_MAX = 2**31 - 1
_MAX_THREADS = 4096  # the engine's own limit


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
    max_blocks: int  # of batch memory, per region; 0: no limit
    infos: str  # "all" or "gymnasium"

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return str(self.task["id"])

    def core_arguments(self, env_type: EnvType) -> dict[str, Any]:
        """Returns the arguments that the engine's pools have in common."""
        return {
            "num_envs": self.num_envs,
            "batch_size": self.batch_size,
            "seed": self.seed,
            "autoreset_mode": self.autoreset_mode.value,
            "max_episode_steps": self.max_episode_steps,
            "env_type": env_type,
            "records_episodes": self.record_episode_statistics,
            "max_blocks": self.max_blocks,
            # With "rgb_array_list" they are needed here (see frames.py).
            "own_infos": self.infos == "all" or self.render_mode == "rgb_array_list",
        }

    def arguments(self) -> dict[str, Any]:
        """Returns the keyword arguments of `make` except the options, as plain data for JSON."""
        arguments: dict[str, Any] = {
            "task_id": self.task_id,
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
        if self.seed is not None:
            arguments["seed"] = plain(self.seed)
        return arguments


def check_settings(
    task_id: str,
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
) -> PoolSettings:
    """Checks the arguments of `make`, except seeds, which the engine checks."""
    return settings_of(
        describe(task_id, options),
        num_envs=num_envs,
        autoreset_mode=autoreset_mode,
        max_episode_steps=max_episode_steps,
        options=options,
        batch_size=batch_size,
        num_threads=num_threads,
        seed=seed,
        render_mode=render_mode,
        record_episode_statistics=record_episode_statistics,
        max_blocks=max_blocks,
        infos=infos,
    )


def settings_of(
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
) -> PoolSettings:
    """Checks the same arguments for a task that is described already."""
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
    )
    if settings.infos == "gymnasium" and settings.batch_size < envs:
        raise InputError(
            f"infos: expected 'all' with batch_size {settings.batch_size} < num_envs {envs}, "
            "where infos[\"env_id\"] says whose rows they are, got 'gymnasium'"
        )
    return settings


def integer(
    name: str, value: Any, low: int, high: int, high_name: str = "", *, or_none: bool = False
) -> int:
    """Checks an argument that is an integer in [low, high]; `high_name` says what `high` is."""
    expected = f"an integer in [{low}, {high_name + ' = ' if high_name else ''}{high}]"
    if or_none:
        expected += " or None"
    number = _as_int(name, value, expected)
    if not low <= number <= high:
        # EnvPool's value for the default.
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


def split_reset_mask(
    options: Mapping[str, Any], env_id: EnvIds
) -> tuple[dict[str, Any], NDArray[np.bool_] | None]:
    """Returns the reset options without "reset_mask", and the mask; does not modify `options`.

    The engine checks the mask's dtype, shape and content.
    """
    if not isinstance(options, Mapping):
        raise InputTypeError(
            f"options: expected a mapping or None, got {type(options).__name__} {options!r}"
        )
    rest = dict(options)
    if "reset_mask" not in rest:
        return rest, None
    mask = rest.pop("reset_mask")
    if env_id is not None:
        raise InputError('options["reset_mask"]: expected none together with env_id, got both')
    if not isinstance(mask, np.ndarray):
        raise InputTypeError(
            'options["reset_mask"]: expected a bool array of shape (num_envs,), got '
            f"{type(mask).__name__} {mask!r}"
        )
    return rest, mask


def draw_pictures(
    core: Any, painter: scenes.Painter | None, env_ids: EnvIds
) -> tuple[NDArray[np.uint8], ...]:
    """Returns the pictures of idle environments, by the engine or a painter."""
    return _painted(painter, core.render(env_ids))


def _painted(painter: scenes.Painter | None, drawn: NDArray[Any]) -> tuple[NDArray[np.uint8], ...]:
    return tuple(drawn) if painter is None else tuple(map(painter.paint, drawn))


# Pools that are not closed yet. Worker threads should not outlive the interpreter, so pools that
# are open at exit are closed then. A step that is stuck for longer ends with the process.
_EXIT_SECONDS = 5.0
_live: weakref.WeakSet[PoolBase] = weakref.WeakSet()


@atexit.register
def _close_live_pools() -> None:
    deadline = time.monotonic() + _EXIT_SECONDS
    pools: list[PoolBase] = []
    while True:
        try:
            pools = list(_live)
            break
        except RuntimeError:  # a daemon thread added one meanwhile
            continue
    for pool in pools:
        with contextlib.suppress(CloseTimeoutError):
            pool._core.close(max(deadline - time.monotonic(), 0.0))


class PoolBase:
    """A batch of environments: the part of a pool that does not depend on the form of its results.

    Pickling and copying keep the settings, not the environments. The copy is a new pool, as `make`
    returns it, with its own threads, generators and episodes, even if the original is closed.

    Attributes:
        num_envs: number of environments.
        batch_size: rows that `recv` returns; if below `num_envs`, those of the first that are
            ready.
        num_threads: threads that step environments, including the calling one.
        autoreset_mode: when an environment whose episode ended is reset.
        render_mode: "rgb_array" or "rgb_array_list" if `render` may be called, otherwise None.
    """

    num_envs: int
    batch_size: int
    num_threads: int
    autoreset_mode: AutoresetMode
    render_mode: str | None

    def __init__(self, settings: PoolSettings, env_type: EnvType) -> None:
        # None if the engine draws by itself, or rendering is off.
        self._painter: scenes.Painter | None = None
        self._core = self._make_core(settings, env_type)
        # Looked up once, because an attribute lookup is measurable in a short `step`.
        self._step = self._core.step
        self._task_id = settings.task_id
        self.num_envs = self._core.num_envs
        self.batch_size = self._core.batch_size
        self.num_threads = self._core.num_threads
        self.autoreset_mode = settings.autoreset_mode
        self.render_mode = settings.render_mode
        self._settings = settings
        _live.add(self)

    def _make_core(self, settings: PoolSettings, env_type: EnvType) -> _core.Pool:
        """Makes the engine's pool, and the painter if there is one."""
        families.prepare(settings.task_id)
        if settings.render_mode is not None:
            self._painter = scenes.painter_of(settings.task, settings.options)
        if self._painter is not None:
            self._painter.prepare()
        return _core.Pool(
            settings.task_id,
            settings.options,
            num_threads=settings.num_threads,
            renders=settings.render_mode is not None,
            **settings.core_arguments(env_type),
        )

    @property
    def task_id(self) -> str:
        """Id of the task."""
        return self._task_id

    @property
    def config(self) -> dict[str, Any]:
        """The settings of the pool and the options of its environments, with EnvPool's names.

        "max_episode_steps" is None if there is no limit; "num_threads" is the number in use.
        """
        settings = self._settings
        options = {option["name"]: option["default"] for option in settings.task["options"]}
        return {
            "num_envs": self.num_envs,
            "batch_size": self.batch_size,
            "num_threads": self.num_threads,
            "seed": settings.seed,
            "max_episode_steps": settings.max_episode_steps or None,
            "reward_threshold": settings.task["reward_threshold"],
            **options,
            **settings.options,
        }

    @property
    def is_async(self) -> bool:
        """Whether `recv` returns the first `batch_size` environments that are ready."""
        return self.batch_size < self.num_envs

    @property
    def all_env_ids(self) -> NDArray[np.int32]:
        """Ids of all environments: int32 (num_envs,), a new array for every access."""
        return np.arange(self.num_envs, dtype=np.int32)

    def send(self, actions: Any, env_id: EnvIds = None) -> None:
        """Starts a step of some environments and returns at once; `recv` collects the results.

        Args:
            actions: one row per environment, as in the action space; for a dict or tuple space, one
                array per part.
            env_id: distinct ids of the environments, integers (n,), in the order of the rows; none
                may be in flight. None: all of them.

        Raises:
            BatchMemoryError: `max_blocks` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, ResetNeededError, ClosedError, ForkedError.
        """
        try:
            self._core.send(actions, env_id)
        except (InputTypeError, ResetNeededError) as error:
            add_advice(error, actions)
            raise

    def async_reset(self, env_id: EnvIds = None, seed: Seed = None) -> None:
        """Starts a reset of some environments and returns at once; `recv` collects the results.

        Args:
            env_id: ids of the environments, integers (n,), none in flight. None: all of them.
            seed: as in `reset`.

        Raises:
            BatchMemoryError: `max_blocks` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, ClosedError, ForkedError.
        """
        self._core.async_reset(env_id, seed)

    def drain(self) -> None:
        """Waits until nothing is in flight and discards the results.

        This includes what other threads send meanwhile. Then all environments are idle.

        Raises:
            ReentryError: called from a signal handler inside another call of this pool.
            ClosedError, ForkedError.
        """
        self._core.drain()

    def render(self, env_ids: EnvIds = None) -> tuple[NDArray[np.uint8], ...]:
        """Draws the given environments in their present state; steps nothing.

        A picture shows the state of the latest observation. After an episode ends, this is its last
        state; in SameStep mode the environment has been reset, and it is the first state of the
        next episode.

        Args:
            env_ids: distinct ids of the environments, integers (n,), none in flight. None: all of
                them.

        Returns:
            One picture per environment, in the order of the ids: uint8 (height, width, 3), RGB,
            writable. `make_spec(task_id).render` gives height and width.

        Raises:
            RenderModeError: the pool was made without `render_mode="rgb_array"`.
            EnvIdError: an id is out of range, given twice, or in flight; the message names those.
            ResetNeededError: an environment has not been reset yet, or failed.
            EnvironmentFailedError: an environment could not be drawn; `batch` has all pictures,
                black for the failed environments.
            InputError, InputTypeError, ClosedError, ForkedError.
        """
        try:
            return self._pictures(self._core.render(env_ids))
        except EnvironmentFailedError as error:
            ids = range(self.num_envs) if env_ids is None else np.asarray(env_ids)
            error.batch = self._pictures(error.batch, np.isin(ids, error.env_ids))
            raise

    def _pictures(
        self, drawn: NDArray[Any], failed: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.uint8], ...]:
        """Returns pictures by the engine or a painter; those of failed environments are black."""
        painter = self._painter
        if painter is None or failed is None:
            return _painted(painter, drawn)
        return tuple(
            np.zeros((*painter.size, 3), np.uint8) if fails else painter.paint(scene)
            for scene, fails in zip(drawn, failed, strict=True)
        )

    def stats(self) -> dict[str, int]:
        """Returns counts and times since the pool was made; times are in nanoseconds.

        "steps", "episodes" (ended), "resets", "failures"; "step_ns" (in environments, summed over
        threads), "idle_ns" (idle worker threads, summed), "recv_wait_ns" (waiting callers);
        "threads_started".

        Present batch memory: "blocks" and "block_bytes" count all of it; "leased_blocks" and
            "leased_bytes" the part that arrays of earlier results keep alive, also after `close`.
            Blocks that are not needed for a while are freed; after `close`, each is freed when its
            last array is dropped.
        """
        return self._core.stats()

    def __dir__(self) -> list[str]:
        absent = {name for name in ATTRIBUTES if isinstance(vars(PoolBase)[name], AdviceOnly)}
        return sorted(set(super().__dir__()) - absent)

    def __reduce__(self) -> tuple[Any, ...]:
        # Threads and memory cannot leave the process, so pickle, copy and deepcopy carry only the
        # settings.
        return _make_again, (type(self), self._settings.arguments(), self._settings.options)

    def __len__(self) -> int:
        return self.num_envs

    def __repr__(self) -> str:
        batch = f", batch_size={self.batch_size}" if self.is_async else ""
        return f"{type(self).__name__}({self._task_id}, num_envs={self.num_envs}{batch})"

    def close(self, timeout: float | None = None) -> None:
        """Closes the pool: stops the threads and frees the environments.

        Calls that wait in other threads raise ClosedError, as does every later call. Queued steps
        are discarded; running steps are awaited. Arrays already returned stay valid. A signal
        handler may call this, even inside a call of this pool. Closing again only waits.

        Args:
            timeout: seconds to wait for running steps. None: no limit.

        Raises:
            CloseTimeoutError: steps still run after `timeout` seconds. The pool is closed, and its
                environments are freed when the last step ends.
            InputError, InputTypeError: `timeout` is not a number of seconds, at least 0.
        """
        self._core.close(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


for _name in ATTRIBUTES - vars(PoolBase).keys():  # specs have no "config", pools have
    setattr(PoolBase, _name, AdviceOnly(_name))


def _make_again(
    pool_class: Callable[[PoolSettings], PoolBase],
    arguments: dict[str, Any],
    options: dict[str, Any],
) -> PoolBase:
    """Makes the pool that a pickle or a copy describes; called by pickle."""
    return pool_class(check_settings(**arguments, options=options))
