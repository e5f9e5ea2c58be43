"""The metrics of a stream. Needs the package prometheus_client; see `envpool_py.pool.metrics`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from envpool_py.ray.fleet.snapshot import ActorRow, Snapshot

__all__ = ["PREFIX", "StreamCollector"]

PREFIX = "envpool_fleet_"
# Inclusive upper bounds of the buckets of the staleness, without +Inf.
_BUCKETS = (0, 1, 2, 4, 8, 16, 32, 64)
_OUTCOMES = ("delivered", "stale", "lost", "failed", "abandoned")


class StreamCollector(Collector):
    """Collects the metrics of a stream.

    Args:
        snapshot: returns them.
    """

    def __init__(self, snapshot: Callable[[], Snapshot]) -> None:
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        """Yields the metrics at this point in time."""
        snapshot = self._snapshot()
        yield from _totals(snapshot)
        yield _staleness(snapshot)
        yield from _now(snapshot)
        yield from _of_actors(snapshot.actors)


def _totals(snapshot: Snapshot) -> Iterator[Metric]:
    counts = snapshot.counts
    for name, value, about in (
        ("requested", counts.requested, "Fragments that actors were asked for."),
        ("episodes", counts.episodes, "Episodes that ended in delivered fragments."),
        ("bytes", counts.nbytes, "Size of the delivered fragments."),
        ("restarts", counts.restarts, "Actors that were replaced."),
    ):
        yield CounterMetricFamily(PREFIX + name, about, value)
    by_outcome = {name: getattr(counts, name) for name in _OUTCOMES}
    about = "Fragments, by what came of the request."
    yield _labelled(
        CounterMetricFamily(f"{PREFIX}fragments", about, labels=["outcome"]), by_outcome
    )
    by_outcome = {"delivered": counts.steps, "stale": counts.steps_stale}
    about = "Steps of the policy in fragments."
    yield _labelled(CounterMetricFamily(f"{PREFIX}steps", about, labels=["outcome"]), by_outcome)


def _labelled(counter: CounterMetricFamily, values: Mapping[str, float]) -> CounterMetricFamily:
    for label, value in values.items():
        counter.add_metric([label], value)
    return counter


def _staleness(snapshot: Snapshot) -> Metric:
    seen = snapshot.counts.staleness
    below = [(bound, sum(n for value, n in seen.items() if value <= bound)) for bound in _BUCKETS]
    return HistogramMetricFamily(
        f"{PREFIX}staleness",
        "How many versions the weights that acted were behind, by delivered fragment.",
        buckets=[*((f"{bound}.0", n) for bound, n in below), ("+Inf", sum(seen.values()))],
        sum_value=sum(value * n for value, n in seen.items()),
    )


def _now(snapshot: Snapshot) -> Iterator[Metric]:
    for name, value, about in (
        ("weights_version", snapshot.version, "Version of the latest weights."),
        ("ready", snapshot.ready, "Fragments that wait for the learner."),
        ("outstanding", snapshot.outstanding, "Requests that have not ended."),
        ("steps_per_second", snapshot.rate, "Delivered steps, over the latest fragments."),
    ):
        yield GaugeMetricFamily(PREFIX + name, about, value)


def _of_actors(rows: list[ActorRow]) -> Iterator[Metric]:
    for name, family, about in (
        ("up", GaugeMetricFamily, "1 if the actor is ready for requests, otherwise 0."),
        ("given_up", GaugeMetricFamily, "1 if the actor died too often and is not replaced again."),
        ("rate", GaugeMetricFamily, "Steps per second in the actor's latest fragment."),
        ("queue", GaugeMetricFamily, "Fragments that are requested, waiting or in use."),
        ("fragments", CounterMetricFamily, "Fragments that the actor delivered."),
        ("steps", CounterMetricFamily, "Steps in these fragments."),
        ("restarts", CounterMetricFamily, "How often the actor was replaced."),
    ):
        metric = family(f"{PREFIX}actor_{name}", about, labels=["actor", "host"])
        for row in rows:
            metric.add_metric([str(row.number), row.host], _value(row, name))
        yield metric


def _value(row: ActorRow, name: str) -> float:
    if name == "up":
        return row.state == "runs"
    if name == "given_up":
        return row.state == "given up"
    value: float = getattr(row, {"restarts": "incarnation"}.get(name, name))
    return value
