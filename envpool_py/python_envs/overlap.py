"""Determines whether several threads step environments at the same time."""

from __future__ import annotations

import sys
import warnings

__all__ = ["OverlapJudge", "gil_is_disabled", "overlaps"]

# The first batches are not counted, because the engine still measures how to divide the work.
_SETTLING_BATCHES = 10
_FEWEST_BATCHES = 30
_SHORTEST_SECONDS = 0.2


def overlaps(inside_seconds: float, cpu_seconds: float, elapsed_seconds: float) -> bool:
    """Returns whether threads stepped environments at the same time.

    If environments hold the GIL, only one thread computes at a time, so the processor time of all
    threads about equals the elapsed time. If the processor time is greater, several threads
    computed at the same time. If it is less although several threads were in environments at once,
    they waited at the same time.

    Args:
        inside_seconds: time that threads spent in environments, summed over threads.
        cpu_seconds: processor time that threads used in environments, summed over threads.
        elapsed_seconds: time during which at least one thread was in an environment.
    """
    if cpu_seconds > 1.1 * elapsed_seconds:
        return True
    return cpu_seconds < 0.8 * elapsed_seconds and inside_seconds > 1.2 * elapsed_seconds


def gil_is_disabled() -> bool:
    """Returns whether this Python runs without a GIL, so that threads need not be measured."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


class OverlapJudge:
    """Warns once if the threads do not overlap; the engine calls it after each batch."""

    def __init__(self) -> None:
        self._batches = 0
        self._before = (0.0, 0.0, 0.0)

    def __call__(self, inside_seconds: float, cpu_seconds: float, elapsed_seconds: float) -> bool:
        """Takes the arguments of `overlaps`, totals so far; returns whether to stop measuring."""
        now = (inside_seconds, cpu_seconds, elapsed_seconds)
        self._batches += 1
        if self._batches <= _SETTLING_BATCHES:
            self._before = now
        inside, cpu, elapsed = (late - early for late, early in zip(now, self._before, strict=True))
        if self._batches < _SETTLING_BATCHES + _FEWEST_BATCHES or elapsed < _SHORTEST_SECONDS:
            return False
        if not overlaps(inside, cpu, elapsed):
            warnings.warn(
                "the threads of this pool step one after the other, because its environments hold "
                'the GIL: make it with workers="processes", or with num_workers=0',
                RuntimeWarning,
                stacklevel=3,
            )
        return True
