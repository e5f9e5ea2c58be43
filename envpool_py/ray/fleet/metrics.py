"""Converts the metrics of a stream to OpenMetrics text, and parses such text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from envpool_py.errors import InputError
from envpool_py.ray.fleet.snapshot import ActorRow, Snapshot

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PREFIX = "envpool_fleet_"
# Inclusive upper bounds of the buckets of the staleness, without +Inf.
_BUCKETS = (0, 1, 2, 4, 8, 16, 32, 64)

_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)(?: [^ ]+)?$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"(?:,|$)')


class Sample(NamedTuple):
    """One number.

    Attributes:
        name: name with the suffix of its type, such as "_total".
        labels: values of the labels by name.
        value: the number.
    """

    name: str
    labels: Mapping[str, str]
    value: float


def text_of(snapshot: Snapshot) -> str:
    """Returns the metrics of a stream as OpenMetrics text."""
    lines = [*_totals(snapshot), *_staleness(snapshot), *_now(snapshot)]
    lines += _of_actors(snapshot.actors)
    return "\n".join([*lines, "# EOF", ""])


def _family(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# TYPE {PREFIX}{name} {kind}"
    yield f"# HELP {PREFIX}{name} {about}"


def _line(name: str, value: float, **labels: object) -> str:
    given = ",".join(f'{label}="{_escaped(str(text))}"' for label, text in labels.items())
    labelled = f"{{{given}}}" if given else ""
    return f"{PREFIX}{name}{labelled} {_number(value)}"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _totals(snapshot: Snapshot) -> Iterator[str]:
    counts = snapshot.counts
    yield from _family("requested", "counter", "Fragments that actors were asked for.")
    yield _line("requested_total", counts.requested)
    yield from _family("fragments", "counter", "Fragments, by what came of the request.")
    for outcome in ("delivered", "stale", "lost", "failed", "abandoned"):
        yield _line("fragments_total", getattr(counts, outcome), outcome=outcome)
    yield from _family("steps", "counter", "Steps of the policy in fragments.")
    yield _line("steps_total", counts.steps, outcome="delivered")
    yield _line("steps_total", counts.steps_stale, outcome="stale")
    yield from _family("episodes", "counter", "Episodes that ended in delivered fragments.")
    yield _line("episodes_total", counts.episodes)
    yield from _family("bytes", "counter", "Size of the delivered fragments.")
    yield _line("bytes_total", counts.nbytes)
    yield from _family("restarts", "counter", "Actors that were replaced.")
    yield _line("restarts_total", counts.restarts)


def _staleness(snapshot: Snapshot) -> Iterator[str]:
    about = "How many versions the weights that acted were behind, by delivered fragment."
    yield from _family("staleness", "histogram", about)
    seen = snapshot.counts.staleness
    for bound in _BUCKETS:
        below = sum(count for value, count in seen.items() if value <= bound)
        yield _line("staleness_bucket", below, le=f"{bound}.0")
    yield _line("staleness_bucket", sum(seen.values()), le="+Inf")
    yield _line("staleness_count", sum(seen.values()))
    yield _line("staleness_sum", sum(value * count for value, count in seen.items()))


def _now(snapshot: Snapshot) -> Iterator[str]:
    for name, value, about in (
        ("weights_version", snapshot.version, "Version of the latest weights."),
        ("ready", snapshot.ready, "Fragments that wait for the learner."),
        ("outstanding", snapshot.outstanding, "Requests that have not ended."),
        ("steps_per_second", snapshot.rate, "Delivered steps, over the latest fragments."),
    ):
        yield from _family(name, "gauge", about)
        yield _line(name, value)


def _of_actors(rows: Iterable[ActorRow]) -> Iterator[str]:
    rows = list(rows)
    for name, kind, about in (
        ("up", "gauge", "1 if the actor is ready for requests; 0 while it starts, or if given up."),
        ("given_up", "gauge", "1 if the actor died too often and is not replaced again."),
        ("rate", "gauge", "Steps per second in the actor's latest fragment."),
        ("queue", "gauge", "Fragments of the actor that are requested, waiting or in use."),
        ("fragments", "counter", "Fragments that the actor delivered."),
        ("steps", "counter", "Steps in these fragments."),
        ("restarts", "counter", "How often the actor was replaced."),
    ):
        yield from _family(f"actor_{name}", kind, about)
        suffix = "_total" if kind == "counter" else ""
        for row in rows:
            value = _value(row, name)
            yield _line(f"actor_{name}{suffix}", value, actor=row.number, host=row.host)


def _value(row: ActorRow, name: str) -> float:
    if name == "up":
        return int(row.state == "runs")
    if name == "given_up":
        return int(row.state == "given up")
    value: float = getattr(row, {"restarts": "incarnation"}.get(name, name))
    return value


def parse(text: str) -> list[Sample]:
    """Returns the samples of OpenMetrics text.

    Raises:
        InputError: the text is not valid OpenMetrics.
    """
    lines = text.splitlines()
    if not lines or lines[-1] != "# EOF":
        raise InputError('OpenMetrics: expected the last line "# EOF"')
    return [_parsed(line) for line in lines if line and not line.startswith("#")]


def _parsed(line: str) -> Sample:
    match = _SAMPLE.match(line)
    if match is None:
        raise InputError(f"OpenMetrics: expected a sample, got {line!r}")
    name, labels, value = match.groups()
    pairs = {label: _unescaped(text) for label, text in _LABEL.findall(labels or "")}
    try:
        return Sample(name, pairs, float(value))
    except ValueError as error:
        raise InputError(f"OpenMetrics: expected a number, got {value!r}") from error


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), text)
