"""The metrics of a stream at one point in time."""

from __future__ import annotations

from dataclasses import dataclass, field

from envpool_py.ray.fleet.counts import Counts
from envpool_py.ray.fleet.request_tracker import RequestTracker

__all__ = ["ActorRow", "Snapshot", "snapshot_of"]


@dataclass(frozen=True)
class ActorRow:
    """One actor.

    Attributes:
        number: number of the actor.
        incarnation: how often the actor was replaced.
        state: "starts", "runs", or "given up": it died too often and is not replaced again.
        host: host name of its machine; empty unless it runs.
        rate: steps per second in its latest fragment.
        queue: number of its fragments that are requested, waiting or in use.
        fragments: number of its delivered fragments.
        steps: steps in these fragments.
    """

    number: int
    incarnation: int
    state: str
    host: str
    rate: float
    queue: int
    fragments: int
    steps: int


@dataclass(frozen=True)
class Snapshot:
    """A stream and its actors.

    Attributes:
        counts: the totals.
        version: version of the latest weights.
        ready: number of fragments that wait for the learner.
        outstanding: number of requests that have not ended, including the waiting fragments.
        rate: delivered steps per second, over the latest fragments.
        actors: the actors, by number.
    """

    counts: Counts
    version: int
    ready: int
    outstanding: int
    rate: float
    actors: list[ActorRow] = field(default_factory=list)


def snapshot_of(
    requests: RequestTracker, version: int, ready: int, recent: list[tuple[float, int]]
) -> Snapshot:
    """Returns the metrics of a stream.

    Args:
        requests: of the stream; the caller holds its lock.
        version: version of the latest weights.
        ready: number of fragments that wait for the learner.
        recent: for each of the latest fragments, the time of its delivery in seconds, and its
            number of steps.
    """
    rows = [
        ActorRow(
            actor.number,
            actor.incarnation,
            requests.state_of(actor),
            "" if actor.info is None else actor.info.host,
            actor.rate,
            actor.outstanding + actor.held,
            actor.fragments,
            actor.steps,
        )
        for actor in requests.actors
    ]
    counts = Counts.from_dict(requests.counts.as_dict())
    return Snapshot(counts, version, ready, len(requests.tickets), _rate(recent), rows)


def _rate(recent: list[tuple[float, int]]) -> float:
    if len(recent) < 2:
        return 0.0
    seconds = recent[-1][0] - recent[0][0]
    return sum(steps for _, steps in recent[1:]) / max(seconds, 1e-9)
