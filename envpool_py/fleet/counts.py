"""What a stream counts, for its own decisions, for tests and for the dashboard."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from envpool_py.fleet.messages import Header, Info


@dataclass
class Counts:
    """Totals of a stream. Every requested fragment ends in exactly one of the others.

    Attributes:
        requested: fragments that actors were asked for.
        delivered: given to the learner.
        stale: dropped because their weights were too old.
        lost: their actor, machine or arrays were gone.
        failed: the policy or the environments raised an exception.
        abandoned: still outstanding or not given when the stream was closed.
        steps: valid steps of the delivered fragments.
        steps_stale: of the stale ones.
        episodes: that ended in delivered fragments.
        restarts: actors that were replaced.
        nbytes: of the delivered fragments.
        staleness: delivered fragments by their staleness.
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
        """Requested fragments that are neither outstanding nor waiting."""
        return self.delivered + self.stale + self.lost + self.failed + self.abandoned

    def as_dict(self) -> dict[str, Any]:
        """Returns the totals by name."""
        return {**vars(self), "staleness": dict(self.staleness)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Counts:
        """Returns totals that `as_dict` gave."""
        return cls(**{**values, "staleness": Counter(values["staleness"])})


@dataclass
class ActorState:
    """What a stream knows of one actor.

    Attributes:
        number: of the actor.
        incarnation: how often it was replaced.
        info: what it said when it was ready; None while it starts.
        outstanding: requests of this incarnation that have not ended.
        held: its fragments that have arrived, and that the learner has not yet given back.
        expected: the next sequence number of this incarnation.
        gaps: sequence numbers that may be missing, because their fragments were lost.
        deaths: how often it died since its latest fragment.
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
        """Counts a fragment."""
        self.fragments += 1
        self.steps += header.steps
        self.seconds += header.seconds
        self.rate = header.steps / max(header.seconds, 1e-9)
