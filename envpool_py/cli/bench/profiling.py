"""The activities of the threads of a pool while a case is measured: a table and a picture."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table

from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.drivers import make_consumer
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.plot import COLOURS, PlotError, figure_class
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.bench.sample import Sample
from envpool_py.cli.bench.worker import measure, sample_actions
from envpool_py.pool.telemetry import ACTIVITIES, Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["distribution_table", "draw", "format_ns", "run", "thread_table"]

# The columns of the table: a heading, and the activities whose times the column adds up.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "stepping": ("step", "reset"),
    "rows": ("rows",),
    "stealing": ("search",),
    "spinning": ("spin",),
    "asleep": ("sleep",),
    "waiting": ("wait",),
}
_DISTRIBUTIONS = {
    "a step": "step_ns",
    "a batch": "batch_ns",
    "a full batch waits for recv": "recv_delay_ns",
    "environments in the queue": "queued",
}
# The picture shows the end of the recording, for at most this many batches.
_BATCHES_SHOWN = 12
_TURNS = 3
_COLOURS = (*COLOURS, "#999999", "#dddddd", "#bbbbbb", "#555555")  # one for each activity


@dataclasses.dataclass
class Profiled:
    """A profile, and the rates that were measured alternately without and with recording."""

    profile: Profile
    plain: list[Sample]
    recorded: list[Sample]

    @property
    def cost(self) -> float:
        """The fraction of the step rate that recording costs, from the medians of the turns."""
        plain, recorded = (
            statistics.median(sample.steps_per_s for sample in samples)
            for samples in (self.plain, self.recorded)
        )
        return 1.0 - recorded / plain


def run(case: Case, seconds: float, warmup_seconds: float) -> Profiled:
    """Measures the case in this process, alternately without and with recording.

    The profile is that of the last turn. Raises the errors of making the pool.
    """
    ours = PARTICIPANTS[OURS]
    pool = ours.make(case)
    try:
        driver = ours.drive(pool, case)
        actions = sample_actions(driver.action_space(), driver.num_actions, case.seed)
        consume = make_consumer(case.consumer_us, case.consumer_waits)
        part = seconds / _TURNS
        plain, recorded = [], []
        for turn in range(_TURNS):
            warmup = warmup_seconds if turn == 0 else 0.0
            plain.append(measure(driver, actions, part, warmup, consume=consume))
            with pool.profile() as profile:
                recorded.append(measure(driver, actions, part, 0.0, consume=consume))
        return Profiled(profile, plain, recorded)
    finally:
        pool.close()


def thread_table(title: str, stats: Mapping[str, Any]) -> Table:
    """One row per thread that did anything, with the fraction of the time in each activity."""
    made = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    made.add_column("thread", no_wrap=True)
    for heading in ("steps/s", *_COLUMNS, "other", "stolen"):
        made.add_column(heading, justify="right", no_wrap=True)
    whole_ns = stats["seconds"] * 1e9
    for thread in stats["threads"]:
        if thread["events"] == 0:
            continue
        shares = [sum(thread[f"{a}_ns"] for a in group) / whole_ns for group in _COLUMNS.values()]
        made.add_row(
            thread["name"],
            format_rate(thread["steps"] / stats["seconds"]) if thread["steps"] else "",
            *(_percent(share) for share in shares),
            _percent(max(1.0 - sum(shares), 0.0)),
            str(thread["stolen"]),
        )
    return made


def _percent(share: float) -> str:
    return "" if share < 0.0005 else f"{share:.1%}"


def distribution_table(stats: Mapping[str, Any]) -> Table:
    """One row per distribution: median, percentiles and largest value."""
    made = Table(box=box.SIMPLE_HEAD)
    made.add_column("", no_wrap=True)
    for heading in ("count", "mean", "median", "90 %", "99 %", "largest"):
        made.add_column(heading, justify="right", no_wrap=True)
    for heading, name in _DISTRIBUTIONS.items():
        values = stats[name]
        if values["count"] == 0:
            continue
        shown = (values[key] for key in ("mean", "p50", "p90", "p99", "max"))
        text = [format_ns(v) if name.endswith("_ns") else f"{v:,.0f}" for v in shown]
        made.add_row(heading, f"{values['count']:,}", *text)
    return made


def format_ns(ns: float) -> str:
    """A duration in three digits: "310 ns", "4.62 us", "12.9 ms"."""
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= 0.9995 * scale:
            return f"{ns / scale:.3g} {unit}"
    return f"{ns:.3g} ns"


def draw(profile: Profile, title: str, path: Path) -> None:
    """Writes a picture of the last batches: a row per thread, a colour per activity.

    Raises:
        PlotError: if matplotlib is missing or nothing was recorded.
        OSError: if the file cannot be written.
    """
    figure_of = figure_class()
    tracks = profile.events()
    first, last = _span(tracks)
    figure = figure_of(figsize=(11, 1.4 + 0.32 * len(tracks)), dpi=120, layout="constrained")
    axes = figure.subplots()
    _draw_tracks(axes, tracks, first, last)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("microseconds")
    axes.set_xlim(0, (last - first) / 1e3)
    figure.legend(loc="outside right upper", fontsize=8)
    figure.savefig(path)


def _span(tracks: Mapping[str, Any]) -> tuple[int, int]:
    """Returns the first and last time, ns, of the last batches; without batches, of all events."""
    batches = tracks.get("batches")
    if batches is not None and len(batches):
        shown = batches[-_BATCHES_SHOWN:]
        return int(shown[:, 1].min()), int((shown[:, 1] + shown[:, 2]).max())
    if not tracks:
        raise PlotError("nothing was recorded")
    starts = [int(events[:, 1].min()) for events in tracks.values()]
    return max(starts), max(int((e[:, 1] + e[:, 2]).max()) for e in tracks.values())


def _draw_tracks(axes: Axes, tracks: Mapping[str, Any], first: int, last: int) -> None:
    colours = dict(zip(ACTIVITIES, _COLOURS, strict=True))
    seen: set[str] = set()
    names: Sequence[str] = list(tracks)
    for row, name in enumerate(names):
        events = tracks[name]
        shown = events[(events[:, 1] < last) & (events[:, 1] + events[:, 2] > first)]
        for number, activity in enumerate(ACTIVITIES):
            spans = shown[shown[:, 0] == number]
            if len(spans) == 0:
                continue
            axes.broken_barh(
                [((start - first) / 1e3, length / 1e3) for _, start, length, _ in spans.tolist()],
                (row - 0.4, 0.8),
                facecolors=colours[activity],
                edgecolor="white",
                linewidth=0.2,
                label=None if activity in seen else activity,
            )
            seen.add(activity)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
