"""The numbers of a stream at one moment."""

from __future__ import annotations

from dataclasses import dataclass, field

from envpool_py.fleet.accounts import Accounts
from envpool_py.fleet.counts import Counts


@dataclass(frozen=True)
class ActorRow:
    """One actor.

    Attributes:
        number: of the actor.
        incarnation: how often it was replaced.
        state: "starts" or "runs".
        host: name of its machine; empty while it starts.
        rate: steps per second in its latest fragment.
        queue: its fragments that are requested, waiting or in use.
        fragments: that it delivered.
        steps: in these.
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
        version: of the latest weights.
        ready: fragments that wait for the learner.
        outstanding: requests that have not ended, those that wait included.
        rate: delivered steps per second, over the latest fragments.
        actors: in their order.
    """

    counts: Counts
    version: int
    ready: int
    outstanding: int
    rate: float
    actors: list[ActorRow] = field(default_factory=list)


def snapshot_of(
    accounts: Accounts, version: int, ready: int, recent: list[tuple[float, int]]
) -> Snapshot:
    """Returns the numbers of a stream.

    Args:
        accounts: its accounts, which the caller has locked.
        version: of the latest weights.
        ready: fragments that wait for the learner.
        recent: when the latest fragments were delivered, in seconds, and their steps.
    """
    rows = [
        ActorRow(
            actor.number,
            actor.incarnation,
            "starts" if actor.info is None else "runs",
            "" if actor.info is None else actor.info.host,
            actor.rate,
            actor.outstanding + actor.held,
            actor.fragments,
            actor.steps,
        )
        for actor in accounts.actors
    ]
    counts = Counts.from_dict(accounts.counts.as_dict())
    return Snapshot(counts, version, ready, len(accounts.tickets), _rate(recent), rows)


def _rate(recent: list[tuple[float, int]]) -> float:
    if len(recent) < 2:
        return 0.0
    seconds = recent[-1][0] - recent[0][0]
    return sum(steps for _, steps in recent[1:]) / max(seconds, 1e-9)
