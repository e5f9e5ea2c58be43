"""Making a pool again from a file of `pool.save`."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, TypeGuard

from envpool_py.errors import InputError, StateError
from envpool_py.pool.saved_run import RunFile, read_run
from envpool_py.pool.saving import continue_from
from envpool_py.tasks.make import make

if TYPE_CHECKING:
    from envpool_py.pool.dm_pool import DmPool
    from envpool_py.pool.gymnasium_pool import GymnasiumPool

__all__ = ["load"]

_OTHER = ("num_threads", "thread_affinity", "numa", "max_live_batches", "check_outputs")


def load(
    path: RunFile, *, allow_pickle: bool = False, **arguments: Any
) -> tuple[GymnasiumPool | DmPool, Any]:
    """Makes a pool as it was when `pool.save` wrote a file, and continues from there.

    With the same actions, results are bit-equal to those of the pool that was saved, with the same
    versions of this package and of the libraries of its tasks, on a processor of the same kind.

    Args:
        path: the file, or a binary file that is open.
        allow_pickle: whether pickles may be read, which may run any code. Only environments in
            Python need them.
        **arguments: arguments of `make` that do not affect results and may differ on another
            machine: `num_threads`, `thread_affinity`, `numa`, `max_live_batches`, `check_outputs`.

    Returns:
        The pool, and the latest observations and infos in the form of `pool.reset`; None in their
        place if no environment had been reset.

    Raises:
        StateError: the file is damaged, was not written by `pool.save`, or has pickles.
        InputError: another argument.
        OSError: the file cannot be read.
        The errors of `make`.
    """
    for name in arguments:
        if name not in _OTHER:
            raise InputError(f"{name}: expected one of {', '.join(_OTHER)}")
    run = read_run(path)
    pool: Any
    if run.source is not None:
        if not allow_pickle:
            raise StateError(
                "load: the environments are written in Python, so the file has "
                "pickles, which may run any code: pass allow_pickle=True if you trust it"
            )
        if arguments:
            raise InputError(f"{next(iter(arguments))}: the environments are written in Python")
        pool = pickle.loads(run.source)
    elif not _are_keywords(run.arguments):
        raise StateError("load: the file does not say how the pool was made")
    else:
        pool = make(env_type=run.env_type, **{**run.arguments, **arguments})
    try:
        return pool, continue_from(pool, run, allow_pickle)
    except BaseException:
        pool.close()
        raise


def _are_keywords(arguments: Any) -> TypeGuard[dict[str, Any]]:
    return (
        isinstance(arguments, dict)
        and all(isinstance(name, str) for name in arguments)
        and "task_id" in arguments
        and "env_type" not in arguments
    )
