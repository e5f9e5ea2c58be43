"""The counters of a stream, for its own decisions, for tests and for the dashboard."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from envpool_py.ray.fleet.messages import Header, Info

__all__ = ["ActorState", "Counts"]


@dataclass
class Counts:
    """Totals of a stream.

    Each requested fragment ends as exactly one of delivered, stale, lost, failed and abandoned.

    Attributes:
        requested: fragments requested from actors.
        delivered: fragments returned to the learner.
        stale: fragments dropped because their weights were too old.
        lost: fragments whose actor, machine or arrays were gone.
        failed: fragments for which the policy or the environments raised an exception.
        abandoned: fragments that were outstanding or undelivered when the stream was closed.
        steps: valid steps of the delivered fragments.
        steps_stale: valid steps of the stale fragments.
        episodes: episodes that ended in delivered fragments.
        restarts: number of times that an actor was replaced.
        nbytes: bytes of the delivered fragments.
        staleness: number of delivered fragments by their staleness, in versions.
    """

    requested: int = 0
    delivered: int = 0
    stale: int = 0
    lost: int = 0
    failed: int = 0
    abandoned: int = 0
    steps: int = 0
    steps_stale: int = 0
    episodes: int = 0
    restarts: int = 0
    nbytes: int = 0
    staleness: Counter[int] = field(default_factory=Counter)

    @property
    def ended(self) -> int:
        """Requested fragments that are neither outstanding nor waiting for the learner."""
        return self.delivered + self.stale + self.lost + self.failed + self.abandoned

    def as_dict(self) -> dict[str, Any]:
        """Returns the totals by name."""
        return {**vars(self), "staleness": dict(self.staleness)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Counts:
        """Returns the totals of a dict from `as_dict`."""
        return cls(**{**values, "staleness": Counter(values["staleness"])})


@dataclass
class ActorState:
    """The state of one actor, as the stream sees it.

    Attributes:
        number: number of the actor.
        incarnation: how often the actor was replaced.
        info: the actor's report when it was ready; None while it starts.
        outstanding: requests to this incarnation that have not ended.
        held: fragments of the actor that have arrived and are not yet released by the learner.
        expected: the next sequence number of this incarnation.
        gaps: how many sequence numbers may be missing, because their fragments were lost.
        deaths: how often the actor died or failed since its latest fragment.
        fragments, steps, seconds: totals of its delivered fragments, over all incarnations.
        rate: steps per second in the latest fragment.
    """

    number: int
    incarnation: int = 0
    info: Info | None = None
    outstanding: int = 0
    held: int = 0
    expected: int = 0
    gaps: int = 0
    deaths: int = 0
    fragments: int = 0
    steps: int = 0
    seconds: float = 0.0
    rate: float = 0.0

    def replaced(self) -> None:
        """Begins the next incarnation."""
        self.incarnation += 1
        self.info = None
        self.outstanding = self.expected = self.gaps = 0
        self.deaths += 1

    def delivered(self, header: Header) -> None:
        """Counts a delivered fragment."""
        self.fragments += 1
        self.steps += header.steps
        self.seconds += header.seconds
        self.rate = header.steps / max(header.seconds, 1e-9)
