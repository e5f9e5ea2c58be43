"""What the environments of a pool do, and log lines about those that fail or are slow.

`PoolBase.health` is public. The lines go to the logger `envpool_py`.
"""

from __future__ import annotations

import contextlib
import logging
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.pool.core import core_of

if TYPE_CHECKING:
    from envpool_py.pool.base import PoolBase

__all__ = ["FIRST_LINE_AFTER", "STATES", "Watcher", "health"]

STATES = ("never reset", "idle", "in flight", "stepping", "episode over", "failed")
"""What an environment can be doing."""
FIRST_LINE_AFTER = 30.0
"""Seconds that a call waits until a line is logged; the next lines follow after twice the time."""

_logger = logging.getLogger("envpool_py")
_MOST_NAMED = 10  # environments in a line
_MOST_LINES, _PER_SECONDS = 10, 60.0  # about failures, per pool


def health(pool: PoolBase) -> dict[str, NDArray[Any]]:
    """Returns what `pool.health` says."""
    columns: dict[str, NDArray[Any]] = core_of(pool).health()
    return {**columns, "state": np.array(STATES)[columns["state"]]}


class Watcher:
    """Logs that environments have failed, or that a call waits for long.

    The engine calls it, on the thread of the call. It does not keep the pool alive.
    """

    def __init__(self, pool: PoolBase) -> None:
        self._pool = weakref.ref(pool)
        self._lines: deque[float] = deque()  # when the latest lines about failures were logged
        self._left_out = 0

    def __call__(self, event: str, *values: Any) -> float | None:
        """`_core.pyi` describes the arguments."""
        if event == "waits":
            return self._waits(*values)
        self._failed(values[0], values[1])
        return None

    def _name(self) -> str:
        pool = self._pool()
        return "a pool" if pool is None else pool.task_id

    def _waits(self, seconds: float, env_ids: Sequence[int], longest: float) -> float:
        if seconds < FIRST_LINE_AFTER:
            return FIRST_LINE_AFTER
        named = ", ".join(map(str, env_ids[:_MOST_NAMED]))
        if len(env_ids) > _MOST_NAMED:
            named += f" and {len(env_ids) - _MOST_NAMED} more"
        _logger.warning(
            "%s: a call has waited %.0f s for environment%s %s, for up to %.0f s",
            self._name(),
            seconds,
            "" if len(env_ids) == 1 else "s",
            named,
            longest,
        )
        return 2 * seconds

    def _failed(self, env_ids: Sequence[int], causes: Sequence[bytes]) -> None:
        pool = self._pool()
        seeds = None if pool is None else pool._seeds
        for env, cause in zip(env_ids, causes, strict=True):
            now = time.monotonic()
            with contextlib.suppress(IndexError):  # another thread takes them out, too
                while self._lines and now - self._lines[0] > _PER_SECONDS:
                    self._lines.popleft()
            if len(self._lines) >= _MOST_LINES:
                self._left_out += 1
                continue
            self._lines.append(now)
            seed = "" if seeds is None else f" (seed {seeds[env]})"
            more = f"; {self._left_out} failures before it were not logged"
            _logger.warning(
                "%s: environment %d%s failed: %s%s",
                self._name(),
                env,
                seed,
                cause.decode(errors="backslashreplace"),
                more if self._left_out else "",
            )
            self._left_out = 0
