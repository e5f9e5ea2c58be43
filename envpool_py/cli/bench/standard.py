"""The cases of `envpool-py bench` without a task: what a reader knows, on all processors.

Every library has as many threads as this process may use processors, and the number of environments
that its documentation recommends for them. The last part is a scaling line: rates from one thread
to all of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from envpool_py.cli.bench import python_task
from envpool_py.cli.bench.atari import atari_case
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult
from envpool_py.cli.bench.peers import ALE, OURS
from envpool_py.cli.bench.report import format_rate, format_ratio
from envpool_py.cli.bench.scaling import thread_counts

__all__ = ["SCALED", "Line", "lines", "scaling_lines", "scaling_table", "sentence", "table"]

SCALED = ("Pong-v5", "HalfCheetah-v5")
"""The tasks of the scaling line."""

_ENVPOOL = "envpool"
_SYNC, _ASYNC, _NUMPY = "gymnasium-sync", "gymnasium-async", "gymnasium-vectorized"
_GYMNASIUMS = (_NUMPY, _ASYNC, _SYNC)
_ENVS_PER_THREAD = 8
# Gymnasium's AsyncVectorEnv has a process per environment. With more, starting takes minutes.
_MOST_PROCESSES = 32
# An episode of Pong has about 900 steps.
_LONG = 2.0


@dataclasses.dataclass(frozen=True)
class Line:
    """One line of the table.

    Attributes:
        case: the task and its configuration.
        peers: the libraries to compare with.
        length: length of a measurement, relative to the others.
    """

    case: Case
    peers: tuple[str, ...]
    length: float = 1.0

    @property
    def participants(self) -> tuple[str, ...]:
        """The participants, in the order of their turns."""
        return (OURS, *self.peers)


def lines(threads: int) -> list[Line]:
    """Returns the cases for `threads` threads, which is at least 1."""
    many = threads * _ENVS_PER_THREAD
    processes = (_ASYNC,) if many <= _MOST_PROCESSES else ()

    def both(make: Any, peers: tuple[str, ...], length: float = 1.0) -> Iterator[Line]:
        """Ordered, and first ready with twice as many environments."""
        yield Line(make(many, many), (*peers, *processes), length)
        if threads > 1:  # first ready, one thread gains nothing
            yield Line(make(2 * many, many), peers, length)

    def game(task: str) -> Any:
        return lambda envs, batch: atari_case(task, envs, batch, threads)

    def physics(task: str, frame_skip: int) -> Any:
        return lambda envs, batch: Case(task, envs, batch, threads, frame_skip=frame_skip)

    def ordered(
        task: str, envs: int, peers: tuple[str, ...], peer_tasks: Mapping[str, str] | None = None
    ) -> Line:
        return Line(Case(task, envs, envs, min(threads, envs), peer_tasks=peer_tasks or {}), peers)

    door_key = "MiniGrid-DoorKey-8x8-v0"
    return [
        *both(game("Pong-v5"), (_ENVPOOL, ALE), _LONG),
        Line(game("MontezumaRevenge-v5")(many, many), (_ENVPOOL, ALE), _LONG),
        *both(physics("HalfCheetah-v5", 5), (_ENVPOOL,)),
        Line(physics("Ant-v5", 5)(many, many), (_ENVPOOL, *processes)),
        ordered("CheetahRun-v1", many, (_ENVPOOL,)),
        ordered("LunarLander-v3", 8 * many, (_ENVPOOL, _SYNC)),
        ordered(door_key, 16 * many, (_ENVPOOL, _SYNC), {_SYNC: f"minigrid:{door_key}"}),
        ordered("CartPole-v1", 8, (_ENVPOOL, _NUMPY)),
        ordered("CartPole-v1", 1024, (_ENVPOOL, _NUMPY)),
        Line(
            Case(f"{python_task.__name__}:{python_task.ID}", many, many, threads, in_python=True),
            (*processes, _SYNC),
        ),
    ]


def scaling_lines(threads: int) -> list[Line]:
    """Returns the cases of the scaling line: 1, 2, 4, ... and all threads.

    First ready, as in `lines`, whose cases those with all threads are. With one thread, the batch
    has all environments.
    """
    found = []
    for task in SCALED:
        for count in thread_counts(threads):
            batch = count * _ENVS_PER_THREAD
            envs = batch if count == 1 else 2 * batch
            case = (
                atari_case(task, envs, batch, count)
                if task == SCALED[0]
                else Case(task, envs, batch, count, frame_skip=5)
            )
            found.append(Line(case, (_ENVPOOL,), _LONG if task == SCALED[0] else 1.0))
    return found


def table(results: Sequence[CaseResult], threads: int) -> Table:
    """One row per case, at most 100 characters wide."""
    processors = "1 thread" if threads == 1 else f"{threads} threads"
    made = Table(
        title=f"Steps per second with {processors}, and how many times the others'",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    made.add_column("", no_wrap=True)
    for column in ("steps/s", "spread", "EnvPool", "ale-py", "Gymnasium"):
        made.add_column(column, justify="right", no_wrap=True)
    for result in results:
        ours = result.find(OURS)
        if ours is None or ours.steps_per_s is None:
            made.add_row(result.case.title, "-", "", "", "", "")
            continue
        made.add_row(
            result.case.title,
            format_rate(ours.steps_per_s),
            f"{ours.spread:.0%}",
            _times(result, _ENVPOOL),
            _times(result, ALE),
            _times(result, *_GYMNASIUMS),
        )
    return made


def _times(result: CaseResult, *names: str) -> str:
    """Our rate divided by the best one of these peers, or why there is none."""
    ratios = [ratio for name in names if (ratio := result.ratio(name)) is not None]
    if ratios:
        return format_ratio(min(ratios))
    found = [entry for name in names if (entry := result.find(name)) is not None]
    return "-" if found else ""


def scaling_table(results: Sequence[CaseResult]) -> Table:
    """One row per task and library, one column per number of threads."""
    counts = sorted({result.case.num_threads for result in results})
    made = Table(
        title="First ready, batches of 8 per thread: steps per second by number of threads",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    made.add_column("", no_wrap=True)
    for count in counts:
        made.add_column(str(count), justify="right", no_wrap=True)
    for task in dict.fromkeys(result.case.task for result in results):
        own = {result.case.num_threads: result for result in results if result.case.task == task}
        for name, title in ((OURS, "envpool_py"), (_ENVPOOL, "EnvPool")):
            rates = []
            for count in counts:
                entry = own[count].find(name) if count in own else None
                rate = None if entry is None else entry.steps_per_s
                rates.append("-" if rate is None else format_rate(rate))
            made.add_row(f"{task}, {title}", *rates)
    return made


def sentence(results: Sequence[CaseResult], cpu: str, processors: int) -> str | None:
    """Returns the result in one sentence; None if the first game was not measured.

    Frames are counted as EnvPool does: steps times the frames of a step.
    """
    games = [result for result in results if result.case.task == SCALED[0]]
    best, rate = None, 0.0
    for result in games:
        ours = result.find(OURS)
        if ours is not None and (ours.steps_per_s or 0.0) > rate:
            best, rate = result, ours.steps_per_s or 0.0
    if best is None:
        return None
    count = "1 processor" if processors == 1 else f"{processors} processors"
    text = (
        f"This machine ({cpu}, {count}) steps {best.case.task.partition('-')[0]} at "
        f"{rate * best.case.frame_skip:,.0f} frames a second"
    )
    others = [
        f"{format_ratio(max(ratios))[:-1]} times {title}"
        for names, title in (((_ENVPOOL,), "EnvPool"), (_GYMNASIUMS, "Gymnasium"))
        if (ratios := [r for result in games for name in names if (r := result.ratio(name))])
    ]
    return text + (f": {' and '.join(others)}." if others else ".")
