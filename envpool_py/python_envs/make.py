"""Making pools of environments written in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
from gymnasium.vector import AutoresetMode

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool import Seed, integer, settings_of
from envpool_py.python_envs.pool import PythonEnvPool, Source

_MAX_WORKERS = 4096


def make_python(
    env_fns: Callable[[], gymnasium.Env[Any, Any]] | Sequence[Callable[[], gymnasium.Env[Any, Any]]],
    num_envs: int | None = None,
    batch_size: int | None = None,
    num_workers: int | None = None,
    seed: Seed = None,
    autoreset_mode: str | AutoresetMode = "NextStep",
    max_episode_steps: int | None = None,
    record_episode_statistics: bool = False,
    max_blocks: int | None = None,
    infos: str = "all",
) -> PythonEnvPool:
    """Makes a pool of environments written in Python.

    Args:
        env_fns: functions that return a new `gymnasium.Env` each, one per environment; or one
            function for all. The environments must have equal spaces.
        num_envs: number of environments; required with one function.
        batch_size, seed, autoreset_mode, record_episode_statistics, max_blocks, infos: as in
            `envpool_py.make`. Without a seed, the environments seed themselves.
        num_workers: processes that step the environments, in [0, num_envs]. 0: the calling thread
            steps them.
        max_episode_steps: steps after which the pool truncates an episode, at least 1, in addition
            to what the environments do. None or -1: never.

    Raises:
        SpaceMismatchError: the environments have different spaces.
        InputError, InputTypeError: any other argument.
        What the functions raise.
    """
    fns = _functions(env_fns, num_envs)
    workers = (
        None
        if num_workers is None
        else integer("num_workers", num_workers, 0, min(_MAX_WORKERS, len(fns)), "num_envs")
    )
    settings = settings_of(
        _task(getattr(fns[0], "__qualname__", type(fns[0]).__name__)),
        num_envs=len(fns),
        batch_size=batch_size,
        seed=seed,
        autoreset_mode=autoreset_mode,
        max_episode_steps=max_episode_steps,
        record_episode_statistics=record_episode_statistics,
        max_blocks=max_blocks,
        infos=infos,
        options={},
    )
    remake = {
        "env_fns": fns,
        "batch_size": settings.batch_size,
        "num_workers": workers,
        "seed": settings.seed,
        "autoreset_mode": settings.autoreset_mode.value,
        "max_episode_steps": settings.max_episode_steps or None,
        "record_episode_statistics": settings.record_episode_statistics,
        "max_blocks": settings.max_blocks or None,
        "infos": settings.infos,
    }
    return PythonEnvPool(settings, Source(fns, fns[0](), None, remake))


def _functions(
    env_fns: Any, num_envs: int | None
) -> list[Callable[[], gymnasium.Env[Any, Any]]]:
    if callable(env_fns):
        if num_envs is None:
            raise InputError("num_envs: expected a number with one function for all, got None")
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


def _task(name: str) -> dict[str, Any]:
    """Returns the description of a task that the engine does not know."""
    return {
        "id": name,
        "max_episode_steps": None,
        "reward_threshold": None,
        "options": [],
        "reset_options": [],
        "render": None,
    }


