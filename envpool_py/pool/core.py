"""The seam between Python and the compiled engine.

The only module that imports `envpool_py._core`. The rest of the package uses the functions here,
and the engine's pool of a `PoolBase` through `core_of`, after asking the pool's `capabilities`.
"""

# ruff: noqa: D102

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

from envpool_py import _core

if TYPE_CHECKING:
    from envpool_py.pool.base import PoolBase

__all__ = [
    "BatchLog",
    "Capabilities",
    "Core",
    "EngineCore",
    "PythonCore",
    "RowTarget",
    "Worker",
    "compiled_directory",
    "core_of",
    "describe_task",
    "engine_core_of",
    "list_tasks",
    "make_engine_core",
    "os_layer",
    "plugin_stamp",
    "reserve_option_names",
    "system_info",
    "version",
    "xla_handlers",
]

version = _core.__version__
describe_task = _core.describe_task
list_tasks = _core.list_tasks
reserve_option_names = _core.reserve_option_names
system_info = _core.system_info
xla_handlers = _core.xla_handlers
os_layer = _core._os_layer
plugin_stamp: Mapping[str, Any] = _core._plugin_stamp
# The directory of the compiled parts. An editable installation has its Python sources elsewhere.
compiled_directory = os.path.dirname(os.path.abspath(_core.__file__ or ""))  # noqa: PTH100, PTH120

EngineCore = _core.Pool
"""The engine's pool of environments in C++."""
PythonCore = _core.PythonPool
"""The engine's pool of environments in Python."""
RowTarget = _core.RowTarget
BatchLog = _core.BatchLog
Worker = _core.Worker


class Core(Protocol):
    """What the engine's pools of both kinds have. `_core.pyi` describes the methods."""

    @property
    def num_envs(self) -> int: ...
    @property
    def batch_size(self) -> int: ...
    @property
    def num_threads(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    @property
    def num_opened(self) -> int: ...

    num_received: int

    def step(self, actions: Any, env_id: Any = None, /) -> tuple[Any, ...]: ...
    def send(self, actions: Any, env_id: Any = None, /) -> None: ...
    def recv(self, timeout: float | None = None, /) -> tuple[Any, ...]: ...
    def reset(self, env_id: Any, seed: Any, mask: Any, options: Any, /) -> tuple[Any, ...]: ...
    def async_reset(self, env_id: Any, seed: Any, /) -> None: ...
    def drain(self) -> None: ...
    def record_batches(self, descriptor: int, digests: bool, max_bytes: int, /) -> None: ...
    def stop_recording_batches(self) -> None: ...
    def replay_batches(self, descriptor: int, then: int, max_bytes: int, /) -> None: ...
    def flush_batches(self) -> int: ...
    def make_target(self, arrays: Mapping[str, NDArray[Any]], /) -> RowTarget: ...
    def step_into(
        self, actions: Any, env_id: Any, target: RowTarget, first_row: int, /
    ) -> tuple[Any, ...]: ...
    def reset_into(
        self,
        env_id: Any,
        seed: Any,
        mask: Any,
        options: Any,
        target: RowTarget,
        first_row: int,
        /,
    ) -> tuple[Any, ...]: ...
    def recv_into(
        self, timeout: float | None, target: RowTarget, first_row: int, /
    ) -> tuple[Any, ...]: ...
    def add_targets(self, target: RowTarget, first_row: int, batches: int, /) -> None: ...
    def clear_targets(self) -> None: ...
    def stats(self) -> dict[str, int]: ...
    def health(self) -> dict[str, NDArray[Any]]: ...
    def set_watcher(self, watcher: Any, /) -> None: ...
    def detail(self) -> dict[str, Any]: ...
    def record(self, events_per_thread: int, /) -> int: ...
    def stop_recording(self) -> None: ...
    def events(self, since: int, /) -> list[NDArray[Any]]: ...
    def close(self, timeout: float | None = None, /) -> bool: ...


@dataclass(frozen=True)
class Capabilities:
    """What the engine's pool of a `PoolBase` may be used for, besides the pool's own methods.

    Attributes:
        can_step_into: whether `step_into`, `recv_into` and `make_target` may be called. A pool that
            collects pictures needs every call to go through its own methods.
        can_save_states: whether `save_states` and `load_states` work.
        can_share_with_xla: whether compiled programs of JAX may step it (`EngineCore`).
    """

    can_step_into: bool
    can_save_states: bool
    can_share_with_xla: bool


def core_of(pool: PoolBase) -> Core:
    """Returns the engine's pool of a pool; `pool.capabilities` says what it may be used for."""
    return pool._core


def engine_core_of(pool: PoolBase) -> EngineCore:
    """Returns the engine's pool of a pool of environments in C++."""
    core = pool._core
    assert isinstance(core, EngineCore)
    return core


def make_engine_core(
    tasks: str | list[tuple[str, int, int]],
    options: Mapping[str, Any],
    arguments: Mapping[str, Any],
) -> EngineCore:
    """Makes the engine's pool of environments in C++.

    Args:
        tasks: `ResolvedTask.engine_form` of tasks that are loaded.
        options: constructor options of the environments.
        arguments: `PoolArguments.core_form`.
    """
    return _core.Pool(tasks, options, **arguments)
