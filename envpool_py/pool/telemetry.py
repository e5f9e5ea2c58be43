"""Detailed statistics of a pool, and recordings of the activities of its threads."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from envpool_py.errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Self

    from envpool_py.pool.base import PoolBase

__all__ = ["ACTIVITIES", "IDLE", "Profile", "detailed_stats"]

# The engine's numbers: `Activity` of engine/telemetry/timeline.h, `Measure` of recorder.h.
ACTIVITIES = (
    "step",
    "reset",
    "construct",
    "render",
    "call",
    "rows",
    "search",
    "spin",
    "sleep",
    "wait",
    "batch",
)
_MEASURES = ("step_ns", "batch_ns", "recv_delay_ns", "queued")
IDLE = ("spin", "sleep")

# (low, high, count): values in [low, high).
Bucket = tuple[float, float, int]

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
_SEARCH = ACTIVITIES.index("search")
_BATCH = ACTIVITIES.index("batch")


class Profile:
    """Records the activities of a pool's threads in a `with` block; see `PoolBase.profile`.

    Times are in nanoseconds. The results remain available after the block, and after the pool is
    closed.
    """

    def __init__(self, pool: PoolBase, events: int) -> None:
        self._pool = pool
        self._most_events = events
        self._began = 0.0
        self._since = 0  # start of the recording on the engine's clock
        self._before: dict[str, Any] | None = None
        # Set at the end of the block.
        self._after: dict[str, Any] | None = None
        self._seconds = 0.0
        self._events: list[NDArray[Any]] = []

    def __enter__(self) -> Self:
        if self._before is not None:
            raise InputError("profile: a Profile can be entered once; call profile() again")
        if not self._pool._recording.acquire(blocking=False):
            raise InputError("profile: the pool is being recorded already")
        try:
            self._since = self._pool._core.record(self._most_events)
            self._before = self._pool._core.detail()
        except BaseException:
            self._pool._recording.release()
            raise
        self._began = time.perf_counter()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._seconds = time.perf_counter() - self._began
        core = self._pool._core
        core.stop_recording()
        self._after = core.detail()
        self._events = core.events(self._since)
        self._pool._recording.release()

    def stats(self) -> dict[str, Any]:
        """Returns the statistics of the block; if it has not ended, of the time until now.

        "seconds": the length of the block.

        "threads": a dict for each thread: "name" ("worker 0", ..., "caller" of synchronous calls,
            "receiver"); nanoseconds in each activity: "step_ns", "reset_ns", "construct_ns",
            "render_ns", "call_ns", "rows_ns" (reserving, writing and committing rows of first-ready
            batches), "search_ns" (looking for work of other threads), "spin_ns" and "sleep_ns"
            (without work), "wait_ns" (waiting for results); "steps"; "stolen" (pieces of work taken
            from other threads); and "events" (the number of recorded events, of which the pool
            keeps the latest).

        "step_ns", "batch_ns", "recv_delay_ns", "queued": distributions. "step_ns": duration of a
            step. "batch_ns": time from the start of a batch (in first-ready mode: from the send
            that opened it) to its last row. "recv_delay_ns" (first-ready mode): time from a batch's
            last row to the `recv` that returns it. "queued": number of environments that wait when
            a thread takes some. A distribution has "count", "mean", "p50", "p90", "p99", "max" and
            "buckets" ((low, high, count) with values in [low, high)). Its resolution is 12.5 %.

        Raises:
            InputError: the block was not entered.
        """
        if self._before is None:
            raise InputError(
                "profile: not entered yet; call stats() inside or after the `with` block"
            )
        after = self._after or self._pool._core.detail()
        seconds = self._seconds if self._after else time.perf_counter() - self._began
        summary = _summary(after, self._before["recorded"])
        return {"seconds": seconds, **summary}

    def events(self) -> dict[str, NDArray[Any]]:
        """Returns the latest events of each thread that has any.

        Returns:
            A dict of arrays, int64 (n, 4), by the names of the threads; "batches" has one event per
            batch. The columns are the activity (an index of `ACTIVITIES`), the start (ns after the
            beginning of the block), the duration (ns), and the number of environments, rows or
            pieces of work.

        Raises:
            InputError: the block was not entered.
        """
        if self._before is None:
            raise InputError(
                "profile: not entered yet; call events() inside or after the `with` block"
            )
        rows = self._events if self._after else self._pool._core.events(self._since)
        named = zip(_names(self._before["threads"]), rows, strict=True)
        return {name: events for name, events in named if len(events)}

    def save_trace(self, path: str | Path) -> None:
        """Writes the latest events as a file for Perfetto (ui.perfetto.dev) or chrome://tracing.

        Args:
            path: the file, which is overwritten.

        Raises:
            InputError: the block was not entered.
            OSError: the file cannot be written.
        """
        title = f"{self._pool.task_id} x {self._pool.num_envs}"
        record = {
            "displayTimeUnit": "ns",
            "traceEvents": list(_trace_events(title, self.events())),
            "otherData": {"task": self._pool.task_id, "num_threads": self._pool.num_threads},
        }
        Path(path).write_text(json.dumps(record))


def detailed_stats(stats: dict[str, Any], detail: dict[str, Any]) -> dict[str, Any]:
    """Returns the result of `PoolBase.stats(detail=True)`, from the engine's stats and detail."""
    names = _names(detail["threads"])
    threads = [
        {"name": name, **{key: value for key, value in thread.items() if key != "role"}}
        for name, thread in zip(names, detail["threads"], strict=False)
    ]
    recorded = None if detail["recorded"] is None else _summary(detail, None)
    return {**stats, "queued": detail["queued"], "threads": threads, "recorded": recorded}


def _names(threads: Sequence[dict[str, Any]]) -> list[str]:
    """Returns the names of all tracks: the threads and, last, the batches."""
    names = []
    workers = 0
    for thread in threads:
        if thread["role"] == "worker":
            names.append(f"worker {workers}")
            workers += 1
        else:
            names.append(thread["role"])
    return [*names, "batches"]


def _summary(after: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the statistics between two details; if `before` is None, since the pool was made."""
    recorded = after["recorded"]
    old_threads = [None] * len(recorded["threads"]) if before is None else before["threads"]
    threads = []
    pairs = zip(recorded["threads"], old_threads, strict=True)
    for name, (new, old) in zip(_names(after["threads"]), pairs, strict=True):
        if name == "batches":
            continue
        ns = _difference(new["ns"], old and old["ns"])
        counts = _difference(new["counts"], old and old["counts"])
        threads.append(
            {
                "name": name,
                **{f"{ACTIVITIES[a]}_ns": ns[a] for a in range(_BATCH)},
                "steps": counts[0],
                "stolen": counts[_SEARCH],
                "events": new["events"] - (old["events"] if old else 0),
            }
        )
    old_histograms = [[]] * len(_MEASURES) if before is None else before["histograms"]
    distributions = {
        name: _distribution(_subtract(new, old))
        for name, new, old in zip(_MEASURES, recorded["histograms"], old_histograms, strict=True)
    }
    return {"threads": threads, **distributions}


def _difference(new: Sequence[int], old: Sequence[int] | None) -> list[int]:
    if old is None:
        return list(new)
    return [b - a for a, b in zip(old, new, strict=True)]


def _subtract(new: Iterable[Bucket], old: Iterable[Bucket]) -> list[Bucket]:
    earlier = {low: count for low, _, count in old}
    buckets = [(low, high, count - earlier.get(low, 0)) for low, high, count in new]
    return [bucket for bucket in buckets if bucket[2] > 0]


def _distribution(buckets: list[Bucket]) -> dict[str, Any]:
    count = sum(bucket[2] for bucket in buckets)
    if count == 0:
        return {"count": 0, "buckets": [], "mean": None, "max": None} | dict.fromkeys(_QUANTILES)
    mean = sum((low + high) / 2 * number for low, high, number in buckets) / count
    return {
        "count": count,
        "mean": mean,
        **{name: _quantile(buckets, share * count) for name, share in _QUANTILES.items()},
        "max": buckets[-1][1],
        "buckets": buckets,
    }


def _quantile(buckets: Sequence[Bucket], rank: float) -> float:
    """Returns the value below which `rank` values lie, as if each bucket were evenly filled."""
    seen = 0
    for low, high, count in buckets:
        if seen + count >= rank:
            return low + (high - low) * (rank - seen) / count
        seen += count
    return buckets[-1][1]


def _trace_events(title: str, tracks: dict[str, NDArray[Any]]) -> Iterable[dict[str, Any]]:
    """Yields Chrome's trace events, whose times are in microseconds."""
    yield {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": title}}
    for tid, (name, events) in enumerate(tracks.items(), 1):
        common = {"pid": 1, "tid": tid}
        yield {"ph": "M", "name": "thread_name", **common, "args": {"name": name}}
        yield {"ph": "M", "name": "thread_sort_index", **common, "args": {"sort_index": tid}}
        for activity, start, duration, count in events.tolist():
            yield {
                "ph": "X",
                "name": ACTIVITIES[activity],
                "cat": "idle" if ACTIVITIES[activity] in IDLE else "work",
                **common,
                "ts": start / 1e3,
                "dur": duration / 1e3,
                "args": {"count": count},
            }
