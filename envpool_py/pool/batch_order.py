"""Logs of the order of batches: see `PoolBase.record_batches` and `PoolBase.replay_batches`."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import ReplayError
from envpool_py.pool.checks import integer
from envpool_py.pool.core import BatchLog, core_of

if TYPE_CHECKING:
    from envpool_py.pool.base import PoolBase

__all__ = ["Difference", "LogFile", "first_difference", "flush", "record", "replay"]

LogFile = str | os.PathLike[str]
"""The path of a log."""


def record(
    pool: PoolBase, path: LogFile, *, resume: bool, digests: bool, max_bytes: int | None
) -> None:
    """Does what `pool.record_batches` says."""
    limit = 0 if max_bytes is None else integer("max_bytes", max_bytes, 1, 2**62)
    core = core_of(pool)
    if resume and Path(path).exists():
        then = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        core.replay_batches(_open(path, then), then, limit)
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        core.record_batches(descriptor, digests, limit)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(path).unlink()
        raise


def replay(pool: PoolBase, path: LogFile) -> None:
    """Does what `pool.replay_batches` says."""
    core_of(pool).replay_batches(_open(path), -1, 0)


def flush(pool: PoolBase) -> None:
    """Writes what is recorded to the disk.

    Raises:
        OSError: this or an earlier batch could not be written.
    """
    number = core_of(pool).flush_batches()
    if number:
        raise OSError(number, f"the log of batches ends early: {os.strerror(number)}")


def _open(path: LogFile, other: int = -1) -> int:
    """Opens a file to read; if that fails, closes `other`."""
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except BaseException:
        if other >= 0:
            os.close(other)
        raise


@dataclass(frozen=True)
class Difference:
    """Where two logs differ.

    Attributes:
        batch: the number of the batch.
        row: the row in it; None: one log has no such batch.
        env_ids: the environments in that row, of each log; None: one log has no such batch.
        step: how many results of the environment the logs had before, if it is the same in both,
            and its results differ; otherwise None.
    """

    batch: int
    row: int | None = None
    env_ids: tuple[int, int] | None = None
    step: int | None = None

    def __str__(self) -> str:
        if self.env_ids is None:
            return f"one log ends before batch {self.batch}"
        if self.step is None:
            left, right = self.env_ids
            return f"batch {self.batch}, row {self.row}: environment {left} and environment {right}"
        return (
            f"batch {self.batch}, row {self.row}: the results of environment {self.env_ids[0]} "
            f"differ; it had {self.step} equal results before"
        )


def first_difference(left: LogFile, right: LogFile) -> Difference | None:
    """Returns the first difference between two logs, or None if they are equal.

    Results are compared if both logs have digests.

    Raises:
        ReplayError: a file is no log, or the logs begin with other batches or are of other numbers
            of environments.
        OSError: a file cannot be read.
    """
    logs = BatchLog(_open(left)), BatchLog(_open(right))
    for name in ("num_envs", "batch_size", "first"):
        values = [getattr(log, name) for log in logs]
        if values[0] != values[1]:
            raise ReplayError(f"{name}: the logs have {values[0]} and {values[1]}")
    counts = np.zeros(logs[0].num_envs, np.int64)
    batch = logs[0].first
    while True:
        one, other = (log.next() for log in logs)
        if one is None or other is None:
            return None if one is other else Difference(batch)
        (ids, digests), (other_ids, other_digests) = one, other
        row = _first_unequal(ids, other_ids)
        if row is not None:
            return Difference(batch, row, (int(ids[row]), int(other_ids[row])))
        if logs[0].has_digests and logs[1].has_digests:
            row = _first_unequal(digests, other_digests)
            if row is not None:
                env = int(ids[row])
                return Difference(batch, row, (env, env), int(counts[env]))
        counts[ids] += 1
        batch += 1


def _first_unequal(left: NDArray[np.uint32], right: NDArray[np.uint32]) -> int | None:
    unequal = np.flatnonzero(left != right)
    return int(unequal[0]) if len(unequal) else None
