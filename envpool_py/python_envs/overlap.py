"""Whether threads that step environments do so at the same time."""

from __future__ import annotations

import sys
import warnings

# The engine finds out how to divide work during the first batches.
_SETTLING_BATCHES = 10
_FEWEST_BATCHES = 30
_SHORTEST_SECONDS = 0.2


def overlaps(inside_seconds: float, cpu_seconds: float, elapsed_seconds: float) -> bool:
    """Returns whether threads stepped environments at the same time.

    If environments hold the GIL, one thread computes at a time: the processor time of all is about
    what has elapsed. They compute at the same time if it is more. They wait at the same time if it
    is less, although several threads were in an environment.

    Args:
        inside_seconds: in environments, summed over threads.
        cpu_seconds: of it on a processor.
        elapsed_seconds: while at least one thread was in an environment.
    """
    if cpu_seconds > 1.1 * elapsed_seconds:
        return True
    return cpu_seconds < 0.8 * elapsed_seconds and inside_seconds > 1.2 * elapsed_seconds


def may_overlap() -> bool:
    """Returns whether this Python has no GIL, so that there is nothing to find out."""
    return not getattr(sys, "_is_gil_enabled", lambda: True)()


class OverlapJudge:
    """Warns once if threads are of no use; the engine calls it after each batch."""

    def __init__(self) -> None:
        self._batches = 0
        self._before = (0.0, 0.0, 0.0)

    def __call__(self, inside_seconds: float, cpu_seconds: float, elapsed_seconds: float) -> bool:
        """Takes the times until now, as `overlaps` does; returns whether that was enough."""
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
