"""The compiled engine. Private: use `envpool_py.make` and the pools that it returns."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, type_check_only

import numpy as np
from numpy.typing import NDArray

__version__: str
_os_layer: str
"""Which sources of `engine/base/os` were built: "linux" or "portable"."""
_plugin_abi: object
"""Capsule through which modules add environments: `envpool_core` of `plugin_abi.h`."""
_plugin_stamp: dict[str, Any]
"""What such a module must have been built for: `PluginStamp` of `engine/tasks/plugin_stamp.h`."""

def xla_handlers() -> dict[str, dict[str, Any]]:
    """Returns the handlers of `engine/xla` as capsules, by platform ("cpu", "cuda") and name."""

def list_tasks() -> list[str]:
    """Returns the registered ids, sorted."""

def reserve_option_names(names: Sequence[str]) -> None:
    """Sets the names that no option of a task may have. Called when the package is imported."""

def describe_task(task_id: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the specification of a task as plain data; `options` are constructor options.

    Keys: "id", "max_episode_steps" (None: no limit), "reward_threshold", "frame_skip",
    "num_players" (largest number of rows of an environment), "players" (None, or keys
    "max_players", "vary", "infos" and "each": a list of "name", "observation", "action"),
    "observation" and "action" (a space each), "action_out_of_bounds" ("reject" or
    "clip"), "infos" (list of "name", "dtype", "shape"), "render" (None, or its picture: "height",
    "width", "fps"), "scene_size" (numbers in a scene; 0: no scene), "options" and
    "reset_options" (lists of "name", "type", "default", "doc", "low", "high", "choices").

    A space has a "kind" and, by kind: "box": "dtype", "shape", "low", "high" (arrays of the full
    shape, inclusive); "discrete": "dtype", "n", "start"; "multi_discrete": "dtype", "shape",
    "nvec"; "multi_binary": "dtype", "shape"; "dict": "children" as (name, space) pairs; "tuple":
    "children" as spaces.
    """

class BatchLog:
    """Reads a log of batches; closes the descriptor."""

    def __init__(self, descriptor: int, /) -> None: ...
    @property
    def num_envs(self) -> int: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def has_digests(self) -> bool: ...
    @property
    def first(self) -> int: ...
    def next(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]] | None:
        """Returns the ids and digests of the next batch, or None at the end."""

@type_check_only
class _Calls:
    """The methods that both classes of pools have."""

    @property
    def num_envs(self) -> int: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def num_threads(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def step(self, actions: Any, env_id: Any = None, /) -> tuple[Any, ...]: ...
    def send(self, actions: Any, env_id: Any = None, /) -> None: ...
    def recv(self, timeout: float | None = None, /) -> tuple[Any, ...]: ...
    def reset(
        self, env_id: Any, seed: Any, mask: Any, options: Mapping[str, Any] | None, /
    ) -> tuple[Any, ...]: ...
    def async_reset(self, env_id: Any, seed: Any, /) -> None: ...
    def drain(self) -> None: ...
    num_received: int
    """The number of batches that `recv` and the `step` of a first-ready pool have returned."""
    def record_batches(self, descriptor: int, digests: bool, max_bytes: int, /) -> None:
        """Records the order of batches in an empty file, and closes it at the end.

        `max_bytes` 0: no limit.
        """
    def stop_recording_batches(self) -> None: ...
    def replay_batches(self, descriptor: int, then: int, max_bytes: int, /) -> None:
        """Repeats a log; `then`: a descriptor of the same file for what follows, or -1."""
    def flush_batches(self) -> int:
        """Writes what is recorded to the disk; returns an error number, or 0."""
    def make_target(self, arrays: Mapping[str, NDArray[Any]], /) -> RowTarget:
        """Returns a target with which this pool writes rows of batches to the arrays.

        The keys of `arrays` are fields of a batch, such as "obs" (the only leaf of the observation)
        or "obs/camera/0". Each array is C-contiguous, of the field's dtype, with a row for each row
        of batches.
        """
    def step_into(
        self, actions: Any, env_id: Any, target: RowTarget, first_row: int, /
    ) -> tuple[Any, ...]:
        """As `step`, but the target's fields go to its rows [first_row, first_row + rows).

        In an ordered pool that steps its environments in this process, the environments write
        there; other pools copy the rows. In the result, the arrays of these fields are views of the
        target's arrays.
        """
    def reset_into(
        self,
        env_id: Any,
        seed: Any,
        mask: Any,
        options: Mapping[str, Any] | None,
        target: RowTarget,
        first_row: int,
        /,
    ) -> tuple[Any, ...]:
        """As `reset`, with the target's fields as in `step_into`."""
    def recv_into(
        self, timeout: float | None, target: RowTarget, first_row: int, /
    ) -> tuple[Any, ...]:
        """As `recv`, with the target's fields as in `step_into`.

        The rows are copied unless the batch was opened with these rows as its target.
        """
    def add_targets(self, target: RowTarget, first_row: int, batches: int, /) -> None:
        """Assigns rows of the target, from `first_row` on, to the next `batches` opened batches.

        `send` and `async_reset` open a batch when the rows in flight need another one.
        """
    def clear_targets(self) -> None:
        """Discards the targets of batches that are not open yet."""
    @property
    def num_opened(self) -> int:
        """The number of batches with memory or a target, from the next one that `recv` returns."""
    def stats(self) -> dict[str, int]: ...
    def health(self) -> dict[str, NDArray[Any]]:
        """Returns arrays of num_envs rows; "state" is an index into `pool.health.STATES`."""
    def set_watcher(self, watcher: Callable[..., float | None], /) -> None:
        """Sets a function that the engine calls on the thread of a call.

        While the call waits: `watcher("waits", seconds, env_ids, longest_seconds)`, the time since
        it began to wait, the environments it waits for, and for how long at most. The result is the
        number of seconds at which it is called next. For failures that
        raise no error: `watcher("failed", env_ids, causes, None)`; causes are bytes. Its exceptions
        are printed.
        """
    def detail(self) -> dict[str, Any]:
        """As plain data; `engine/bindings/pool_telemetry.h` describes it."""
    def record(self, events_per_thread: int, /) -> int:
        """Begins to record; returns the present time on the engine's clock."""
    def stop_recording(self) -> None: ...
    def events(self, since: int, /) -> list[NDArray[Any]]:
        """The recent events of each thread; `engine/bindings/pool_telemetry.h` describes them."""
    def close(self, timeout: float | None = None, /) -> bool:
        """Returns whether the caller may close the environments.

        Not from within a call of the pool, and not in a forked child.
        """

class Pool(_Calls):
    """A pool of environments and the threads that step them."""

    def __init__(
        self,
        tasks: str | list[tuple[str, int, int]],
        options: Mapping[str, Any],
        **arguments: Any,
    ) -> None:
        """Makes a pool.

        Args:
            tasks: an id, or for environments of several tasks a list of (id, number of
                environments, largest number of steps of an episode or -1).
            options: constructor options of all environments.
            arguments: what `PoolArguments.core_form` returns; those omitted have defaults.
        """
    @property
    def can_save_states(self) -> bool: ...
    def render(self, env_id: Any = None, /) -> NDArray[Any]:
        """Returns the pictures of idle environments, uint8 (n, height, width, 3).

        For a task with scenes: float64 (n, scene_size); rows of failed environments are zero.
        """
    @property
    def spaces(self) -> dict[str, Any]:
        """The "observation" and "action" of the description, with the widest bounds."""
    @property
    def has_env_options(self) -> bool:
        """Whether environments may have other options, or another task, than others."""
    def env_options(self, env_id: Any, after_reset: bool, /) -> list[dict[str, Any]]: ...
    def set_env_options(self, dicts: Sequence[Mapping[str, Any]], env_id: Any, /) -> None: ...
    @property
    def attributes(self) -> list[dict[str, Any]]:
        """The attributes that can be set, in the engine's order.

        Each has "name", "type" ("float", "int", "bool" or "str"), "elements" (of a tuple; 0: the
        value is not a tuple), "low" and "high" (inclusive), "choices" (of a str) and "value" (of
        environments with the pool's own options, until it is changed).
        """
    def get_attribute(self, name: str, env_id: Any, /) -> tuple[Any, ...]: ...
    def set_attribute(self, name: str, values: list[Any], env_id: Any, /) -> None:
        """`values`: one for each environment. A refused call changes nothing."""
    def save_states(self, env_id: Any = None, /) -> list[bytes]: ...
    def load_states(self, states: Sequence[bytes], env_id: Any = None, /) -> tuple[Any, ...]: ...
    def share_with_xla(self, reset_options: Mapping[str, Any], /) -> dict[str, Any]:
        """Lets compiled programs step the pool; they reset it with `reset_options`.

        Returns "restart" (a state with which a reset may begin at any time), "max_seed" (the task's
        largest seed), "stamp" (of the layout) and "fields" (the arrays of a batch: name, dtype,
        shape of a row).
        """
    def xla_state(self) -> tuple[int, int, int, int]:
        """Returns the state that the next call from a compiled program expects."""
    def allow_xla_restart(self) -> None:
        """Lets the next call from a compiled program begin with the state "restart"."""

class RowTarget:
    """Arrays to which a pool writes rows of batches; see `Pool.make_target`."""

    @property
    def rows(self) -> int: ...

class PythonPool(_Calls):
    """A pool of environments written in Python."""

    def __init__(
        self,
        observation_tree: tuple[Any, ...],
        action_tree: tuple[Any, ...] | None,
        functions: Any,
        *,
        num_workers: int,
        processes: bool = False,
        on_dead_workers: Callable[[PythonPool], object] | None = None,
        **arguments: Any,
    ) -> None:
        """`engine/bindings/python_envs/python_pool_binding.h` describes the arguments."""
    @property
    def memory_fd(self) -> int:
        """The file with the memory that the pool and its worker processes share."""
    def status_offset(self, worker: int, /) -> int:
        """The offset in that file at which the exit status of the worker's process is written."""
    def dead_workers(self) -> list[int]:
        """The workers that have no process yet, or whose process has died.

        Prepares their memory for the next process.
        """
    def attach(self, worker: int, process_id: int, fd: int, /) -> None:
        """Makes a process that was started for `worker` that worker.

        fd: the descriptor of its `ProcessHandle`, which the pool owns from now on.
        """
    def kill_hanging(self, limit: float, /) -> None:
        """After `close`: kills workers whose step takes longer than `step_timeout` or `limit` s.

        0: only `step_timeout` counts. Call it at intervals until the workers have ended.
        """
    def construct(self, seed: int | Sequence[int | None] | None, /) -> None:
        """Makes the environments; call it once, first, and after each worker has a process."""
    def call(self, call: Any, env_id: Any = None, /) -> list[Any]: ...
    def observe(self, env_id: Any, /) -> tuple[Any, ...]:
        """The latest observations of environments, in the form of a reset's result."""

class HostedEnv:
    """One environment during a call; `python_envs/hosted_env.h` describes it."""

    @property
    def number(self) -> int: ...
    @property
    def environment(self) -> Any: ...
    @property
    def observation(self) -> Any: ...
    @property
    def info(self) -> Any: ...
    def save_episode(self) -> bytes: ...
    def check_episode(self, episode: bytes, /) -> None: ...
    def restore(self, environment: Any, episode: bytes, observation: Any, info: Any, /) -> None: ...

class Worker:
    """The environments of one worker process; `python_envs/worker_binding.h` describes it."""

    def __init__(
        self,
        fd: int,
        worker: int,
        observation_tree: tuple[Any, ...],
        action_tree: tuple[Any, ...] | None,
        functions: Any,
        settings: Mapping[str, Any],
    ) -> None: ...
    def construct(self) -> bool: ...
    def run(self, spin_ns: float) -> None: ...
    @staticmethod
    def end_with(fd: int) -> None: ...

def system_info() -> dict[str, Any]:
    """Returns the processor, the cpus of this process, its NUMA nodes and how this was built.

    Keys: "cpu" (str), "cpus" (list of int), "numa_nodes" (list of "id", "cpus", "cores" and
    "fast_cores", which are numbers of physical cores), "default_num_threads" (int), "compiler"
    (str), "build_type" (str).
    """
