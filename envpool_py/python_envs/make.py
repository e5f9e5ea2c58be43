"""Making pools of environments written in Python."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import gymnasium
from gymnasium.envs.registration import EnvSpec

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.arguments import (
    PYTHON_ARGUMENT_NAMES,
    PoolArguments,
    check_env_type,
    show_arguments,
)
from envpool_py.pool.checks import choice, integer
from envpool_py.pool.task import ResolvedTask
from envpool_py.python_envs.choosing import choose_num_workers
from envpool_py.python_envs.hosting import EnvFn, check_env
from envpool_py.python_envs.launching import START_METHODS, prepare
from envpool_py.python_envs.pool import EnvSource, Pickled, PythonEnvPool
from envpool_py.python_envs.program import stop_loading
from envpool_py.python_envs.workers import Workers, WorkerSettings

if TYPE_CHECKING:
    from envpool_py.python_envs.dm_pool import PythonDmPool

__all__ = ["make_pool", "make_python"]

_MAX_WORKERS = 4096


EnvFns = EnvFn | Sequence[EnvFn]


@overload
def make_python(
    env_fns: EnvFns, num_envs: int | None = None, *, env_type: Literal["dm"], **arguments: Any
) -> PythonDmPool: ...


@overload
def make_python(
    env_fns: EnvFns,
    num_envs: int | None = None,
    *,
    num_workers: int | None = None,
    workers: str = "processes",
    start_method: str = "forkserver",
    on_worker_death: str = "restart",
    env_type: Literal["gymnasium", "gym"] = "gymnasium",
    **arguments: Any,
) -> PythonEnvPool: ...


@overload
def make_python(
    env_fns: EnvFns, num_envs: int | None = None, *, env_type: str, **arguments: Any
) -> PythonEnvPool | PythonDmPool: ...


def make_python(
    env_fns: EnvFns,
    num_envs: int | None = None,
    *,
    num_workers: int | None = None,
    workers: str = "processes",
    start_method: str = "forkserver",
    on_worker_death: str = "restart",
    env_type: str = "gymnasium",
    **arguments: Any,
) -> PythonEnvPool | PythonDmPool:
    """Makes a pool of environments written in Python.

    Args:
        env_fns: functions that return a new `gymnasium.Env` each, one per environment; or one
            function for all. The environments must have equal action spaces, and observation spaces
            that differ in bounds at most.
        num_envs: number of environments; required with one function.
        num_workers: number of processes (with `workers="threads"`, of threads) that step the
            environments, in [0, num_envs]. 0: the calling thread steps them. None: environment 0
            is stepped for some milliseconds, with random actions, to decide whether workers are
            worthwhile. If steps compute, there are as many workers as processors; if they mostly
            wait, up to 32 per processor.
        workers: "processes", or "threads" of this process, for environments that release the GIL
            while they compute or wait. `start_method`, `on_worker_death` and `step_timeout` apply
            to processes only.
        start_method: how worker processes are started. "forkserver": forked from a process that has
            no threads (about 1 ms each); "spawn": as new interpreters; "fork": forked from this
            process, which is only safe if it has no threads and uses no GPU. The functions are sent
            to the workers by cloudpickle, except with "fork". Programs need no
            `if __name__ == "__main__"`.
        on_worker_death: what happens after a worker process has died. Its environments count as
            failed: the call that waits for them raises EnvironmentFailedError, and they must be
            reset. "restart": the next call starts a new process with new environments. "raise":
            resets fail as well.
        env_type: "gymnasium" for a `gymnasium.vector.VectorEnv`, or "dm" for a
            `dm_env.Environment`, which needs spaces that consist of arrays of fixed shape.
        **arguments: "batch_size", "seed", "autoreset_mode", "max_episode_steps",
            "record_episode_statistics", "max_live_batches", "on_error", "max_failures",
            "step_timeout" and "extra_infos", as in `envpool_py.make`; after an exception, the
            environment's own `reset` is called, and after the death of a worker, there are new
            environments. A worker process in which a step, a reset or another call of an
            environment takes longer than `step_timeout` is killed. But without a seed, the
            environments seed themselves; and `max_episode_steps` is in addition to limits of the
            environments, and None means never.

    Raises:
        SpaceMismatchError: the spaces of two environments differ, and not only in the bounds of
            observations.
        InputError, InputTypeError: another argument is not valid.
        The exceptions that the functions raise in the calling thread.
    """
    return make_pool(
        env_fns,
        num_envs=num_envs,
        num_workers=num_workers,
        workers=workers,
        start_method=start_method,
        on_worker_death=on_worker_death,
        env_type=env_type,
        **arguments,
    )


show_arguments(make_python, PYTHON_ARGUMENT_NAMES)


def make_pool(
    env_fns: Any,
    *,
    num_envs: int | None,
    num_workers: int | None,
    workers: str,
    start_method: str,
    on_worker_death: str,
    env_type: str = "gymnasium",
    name: str | None = None,
    reward_threshold: float | None = None,
    spec: EnvSpec | None = None,
    **arguments: Any,
) -> PythonEnvPool | PythonDmPool:
    """Makes a pool; arguments as in `make_python`.

    `name` is the name of the task (None: the function's name), `reward_threshold` is that of the
    task, and `spec` is the value of the pool's `spec`.
    """
    stop_loading()
    env_type = check_env_type(env_type)
    fns = _functions(env_fns, num_envs)
    if num_workers is not None:
        limit = min(_MAX_WORKERS, len(fns))
        num_workers = integer("num_workers", num_workers, 0, limit, "num_envs", or_none=True)
    workers = choice("workers", workers, ["processes", "threads"])
    start_method = choice("start_method", start_method, START_METHODS)
    on_worker_death = choice("on_worker_death", on_worker_death, ["restart", "raise"])
    if name is None:
        name = getattr(fns[0], "__qualname__", type(fns[0]).__name__)
    unknown = [each for each in arguments if each not in PYTHON_ARGUMENT_NAMES]
    if unknown:
        raise TypeError(f"make_python() got an unexpected keyword argument {unknown[0]!r}")
    task = ResolvedTask(_description(name, reward_threshold), name=name)
    checked = PoolArguments.checked(task, {**arguments, "num_envs": len(fns)})
    remake = {
        "env_fns": fns,
        "name": name,
        "reward_threshold": reward_threshold,
        "spec": spec,
        "num_workers": num_workers,
        "workers": workers,
        "start_method": start_method,
        "on_worker_death": on_worker_death,
        "env_type": env_type,
        **checked.plain_form(),
    }
    if num_workers and workers == "processes":
        prepare(start_method)  # the server imports modules while the first environment is made
    if num_workers is None:
        num_workers = _choose_num_workers(fns)
    first = fns[0]()
    check_env(first, 0)
    processes = None
    if num_workers > 0 and workers == "processes":
        processes = Workers(
            fns,
            first.observation_space,
            first.action_space,
            WorkerSettings(num_workers, start_method, on_worker_death),
        )
        _close_unused(first)
    source = EnvSource(fns, first, num_workers, processes, _make_again, remake, spec)
    if env_type == "gymnasium":
        return PythonEnvPool(task, checked, source)
    from envpool_py.python_envs.dm_pool import PythonDmPool

    return PythonDmPool(task, checked, source)


def _make_again(pickled: Pickled) -> PythonEnvPool | PythonDmPool:
    """Makes the pool that a pickle or a copy describes; called by pickle."""
    return make_pool(**pickled.arguments)


def _choose_num_workers(fns: Sequence[EnvFn]) -> int:
    """Chooses by measuring an environment that the pool does not use.

    It is the last one, because the first one may have a window, whose drawing takes time.
    """
    if len(fns) == 1:
        return 0
    env = fns[-1]()
    try:
        check_env(env, len(fns) - 1)
        return choose_num_workers(env, len(fns))
    finally:
        _close_unused(env)


def _close_unused(env: gymnasium.Env[Any, Any]) -> None:
    """Closes an environment that no pool has. Those of the pool show it if `close` fails."""
    with contextlib.suppress(Exception):
        env.close()


def _functions(env_fns: Any, num_envs: int | None) -> list[EnvFn]:
    if callable(env_fns):
        if num_envs is None:
            raise InputError("num_envs: expected a number if env_fns is one function, got None")
        return [env_fns] * integer("num_envs", num_envs, 1, 2**31 - 1)
    try:
        fns = list(env_fns)
    except TypeError:
        raise InputTypeError(
            "env_fns: expected a function or a sequence of functions, got "
            f"{type(env_fns).__name__} {env_fns!r}"
        ) from None
    for index, function in enumerate(fns):
        if not callable(function):
            raise InputTypeError(
                f"env_fns[{index}]: expected a function that makes an environment, got "
                f"{type(function).__name__} {function!r}"
            )
    if not fns:
        raise InputError("env_fns: expected at least one function, got none")
    if num_envs is not None and integer("num_envs", num_envs, 1, 2**31 - 1) != len(fns):
        raise InputError(
            f"num_envs: expected None or the number of functions, {len(fns)}, got {num_envs}"
        )
    return fns


def _description(name: str, reward_threshold: float | None) -> dict[str, Any]:
    """Returns the description of a task that is not registered with the engine."""
    return {
        "id": name,
        "max_episode_steps": None,
        "reward_threshold": reward_threshold,
        "options": [],
        "reset_options": [],
        "render": None,
        "num_players": 1,
        "players": None,
    }
