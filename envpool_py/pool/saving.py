"""Saves all of a pool, and continues from it; see `PoolBase.save` and `PoolBase.load`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from envpool_py.errors import ResetNeededError, StateError
from envpool_py.pool.core import engine_core_of, version
from envpool_py.pool.saved_run import SavedRun

if TYPE_CHECKING:
    from envpool_py.pool.base import PoolBase

__all__ = ["continue_from", "saved_run"]

_PICKLE = (
    "the file has pickles of environments in Python, which may run any code: pass "
    "allow_pickle=True if you trust it"
)


def saved_run(pool: PoolBase) -> SavedRun:
    """Returns what `pool.save` writes.

    Raises:
        EnvIdError, ResetNeededError, StateError, ClosedError, ForkedError: as `pool.save`.
    """
    source = pool._pickled_source()
    arguments, options = None, None
    if source is None:
        core = engine_core_of(pool)
        options = (core.env_options(None, False), core.env_options(None, True))
        arguments = {
            **pool._arguments.plain_form(),
            **pool._task.keywords(),
            **pool._task.options,
        }
    return SavedRun(
        version=version,
        env_type=pool._env_type,
        arguments=arguments,
        settings=_settings(pool),
        options=options,
        seeds=pool._seeds,
        num_received=pool.batches_received,
        states=_states_of(pool),
        source=source,
    )


def continue_from(pool: PoolBase, run: SavedRun, allow_pickle: bool) -> Any:
    """Loads everything into a pool; returns the result of `pool.load`.

    Raises:
        StateError, InputError, EnvironmentFailedError, EnvIdError, ClosedError, ForkedError: as
            `pool.load`.
    """
    for name, own in _settings(pool).items():
        if run.settings.get(name) != own:
            raise StateError(
                f"load: {name}: the pool has {own!r}, the saved one has {run.settings.get(name)!r}"
            )
    if (run.source is not None or pool._states_are_pickles) and not allow_pickle:
        raise StateError(f"load: {_PICKLE}")
    if (run.options is None) != pool._states_are_pickles:
        raise StateError("load: options: expected those of environments in C++, and of no others")
    before = pool.batches_received
    pool._core.num_received = run.num_received  # refused while a log has other batches
    try:
        return _load_states(pool, run)
    except BaseException:
        pool._core.num_received = before
        raise


def _load_states(pool: PoolBase, run: SavedRun) -> Any:
    known = [env for env, state in enumerate(run.states) if state is not None]
    if run.options is not None:
        now = run.options[0]
        present = engine_core_of(pool).env_options(None, False)
        _set_options(pool, present, now)
        differing = [env for env in known if present[env] != now[env]]
        if differing:
            pool._core.reset(np.array(differing), None, None, None)
    states = [state for state in run.states if state is not None]
    result = pool.load_states(states, known) if known else None
    if run.options is not None:
        _set_options(pool, *run.options)
    pool._seeds = _joined_seeds(pool._seeds, run)
    return result


def _joined_seeds(own: list[int] | None, run: SavedRun) -> list[int] | None:
    """Returns the saved seeds, and its own of environments that the file has no state of."""
    if own is None and run.seeds is None:
        return None
    none = [-1] * len(run.states)
    pairs = zip(own or none, run.seeds or none, run.states, strict=True)
    return [mine if state is None else saved for mine, saved, state in pairs]


def _settings(pool: PoolBase) -> dict[str, Any]:
    """Returns what must be equal where the states of a pool are loaded."""
    arguments = pool._arguments
    return {
        "task_id": list(pool._task.ids),
        "env_type": pool._env_type,
        "num_envs": pool.num_envs,
        "autoreset_mode": arguments.autoreset_mode.value,
        "max_episode_steps": arguments.max_episode_steps,
        "record_episode_statistics": arguments.record_episode_statistics,
    }


def _states_of(pool: PoolBase) -> list[bytes | None]:
    """Returns the state of each environment; None for those that were never reset."""
    try:
        return list(pool.save_states())
    except ResetNeededError:
        return [_state_or_none(pool, env) for env in range(pool.num_envs)]


def _state_or_none(pool: PoolBase, env: int) -> bytes | None:
    try:
        return pool.save_states([env])[0]
    except ResetNeededError as error:
        if "failed" in str(error):
            raise
        return None


def _set_options(
    pool: PoolBase, present: list[dict[str, Any]], wanted: list[dict[str, Any]]
) -> None:
    """Sets the options of the environments in which they differ."""
    differing = [env for env in range(pool.num_envs) if present[env] != wanted[env]]
    if differing:
        pool.set_env_options([wanted[env] for env in differing], differing)
