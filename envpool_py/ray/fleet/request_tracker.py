"""The requests of a stream, their outcomes, and the replacement of actors.

A state machine that is separate from the transport, so that tests can give it events in any order.
"""

from __future__ import annotations

from collections.abc import Iterable

from envpool_py.errors import ActorLostError, EnvironmentFailedError, InternalError
from envpool_py.ray.fleet.counts import ActorState, Counts
from envpool_py.ray.fleet.layout import Layout
from envpool_py.ray.fleet.messages import (
    Arrived,
    Died,
    Event,
    Failed,
    Header,
    Lost,
    Started,
    Ticket,
    Transport,
)
from envpool_py.ray.fleet.seeds import SeedKey

__all__ = ["RequestTracker"]


class RequestTracker:
    """Makes the requests and follows them to their ends. Not thread-safe: the caller holds a lock.

    Attributes:
        counts: the totals.
        actors: the actors, by number.
        tickets: the requests that have not ended, oldest first.
        layouts: layouts of fragments, by actor and incarnation.
        resumes: how often the learner was resumed.
        round_is_over: in synchronous mode, whether no round is open.
    """

    def __init__(
        self,
        transport: Transport,
        num_actors: int,
        seed: int,
        resumes: int,
        in_flight: int,
        max_failures: int,
    ) -> None:
        self.counts = Counts()
        self.actors = [ActorState(number) for number in range(num_actors)]
        self.tickets: dict[Ticket, None] = {}
        self.layouts: dict[tuple[int, int], Layout] = {}
        self.resumes = resumes
        self.round_is_over = True
        self._transport = transport
        self._seed = seed
        self._in_flight = in_flight
        self._max_failures = max_failures
        self._given_up: set[int] = set()
        self._round: dict[int, tuple[Ticket, Header]] = {}
        self._error: BaseException | None = None

    def start_all(self) -> None:
        """Begins to start all actors."""
        for actor in self.actors:
            self._start(actor)

    def _start(self, actor: ActorState) -> None:
        self._transport.start(SeedKey(self._seed, self.resumes, actor.number, actor.incarnation))

    # --- Requests

    def request(self, version: int, starved: bool) -> None:
        """Requests fragments from all actors, up to the limit of each.

        Args:
            version: version of the weights.
            starved: whether no fragment waits for the learner. If none is outstanding either, each
                actor gets one request beyond its limit, because the learner needs more fragments at
                once than the limits allow.
        """
        for actor in self.actors:
            while actor.info is not None and actor.outstanding + actor.held < self._in_flight:
                self._ask(actor, version)
        if starved and not self.tickets:
            for actor in self.actors:
                if actor.info is not None:
                    self._ask(actor, version)

    def open_round(self) -> None:
        """Synchronous: begins a round, in which every actor fills one fragment."""
        self.round_is_over = False
        self._round = {}

    def request_round(self, version: int) -> None:
        """Synchronous: requests the fragments that the round still lacks."""
        if self.round_is_over:
            return
        for actor in self.actors:
            if actor.info is not None and not actor.outstanding and actor.number not in self._round:
                self._ask(actor, version)

    def finished_round(self) -> list[tuple[Ticket, Header]]:
        """Synchronous: returns the round's fragments once they have all arrived, else []."""
        wanted = {actor.number for actor in self.actors} - self._given_up
        if self.round_is_over or not wanted or wanted - self._round.keys():
            return []
        return [self._round[number] for number in sorted(self._round)]

    def close_round(self) -> None:
        """Synchronous: ends a finished round, of which all arrays were fetched."""
        self.round_is_over = True

    def state_of(self, actor: ActorState) -> str:
        """Returns "starts", "runs" or "given up"."""
        if actor.number in self._given_up:
            return "given up"
        return "starts" if actor.info is None else "runs"

    @property
    def is_empty(self) -> bool:
        """Whether every actor was given up."""
        return len(self._given_up) == len(self.actors)

    def _ask(self, actor: ActorState, version: int) -> None:
        ticket = Ticket(self.counts.requested, actor.number, actor.incarnation, version)
        self._transport.request(ticket)
        self.tickets[ticket] = None
        self.counts.requested += 1
        actor.outstanding += 1

    # --- Events

    def note(self, event: Event) -> tuple[Ticket, Header] | None:
        """Updates the state with an event.

        Returns:
            The fragment, if the event is `Arrived`; otherwise None.

        Raises:
            InternalError: the fragment came twice, or was never requested.
        """
        match event:
            case Started(number, incarnation, info):
                self.layouts[number, incarnation] = info.layout
                self.actors[number].info = info
            case Died():
                self._note_death(event)
            case Arrived(ticket, header):
                return self._note_arrival(ticket, header)
            case Lost(ticket, _):
                self._end(ticket)
                self.counts.lost += 1
                self._note_gap(ticket)
            case Failed(ticket, error):
                self._note_failure(self._end(ticket), error)
        return None

    def raise_error(self) -> None:
        """Raises the first error that events have reported since the last call, if any."""
        error, self._error = self._error, None
        if error is not None:
            raise error

    def _note_failure(self, actor: ActorState, error: BaseException) -> None:
        self.counts.failed += 1
        actor.deaths += 1
        # The rollout resets failed environments. The learner gets the error only if they keep
        # failing.
        if not isinstance(error, EnvironmentFailedError) or actor.deaths > self._max_failures:
            self._error = self._error or error

    def _note_arrival(self, ticket: Ticket, header: Header) -> tuple[Ticket, Header]:
        if ticket not in self.tickets:
            raise InternalError(f"a fragment came twice, or was never requested: {ticket}")
        if (header.actor, header.incarnation) != (ticket.actor, ticket.incarnation):
            raise InternalError(f"expected a fragment for {ticket}, got {header}")
        actor = self.actors[ticket.actor]
        if ticket.incarnation == actor.incarnation:
            missing = header.sequence - actor.expected
            if not 0 <= missing <= actor.gaps:
                raise InternalError(
                    f"actor {actor.number}.{actor.incarnation}: expected fragment "
                    f"{actor.expected}, got {header.sequence}"
                )
            actor.expected = header.sequence + 1
            actor.gaps -= missing
            actor.outstanding -= 1
            actor.deaths = 0
        actor.held += 1
        if not self.round_is_over:
            self._round[ticket.actor] = ticket, header
        return ticket, header

    def _note_death(self, event: Died) -> None:
        actor = self.actors[event.actor]
        if event.incarnation != actor.incarnation or actor.number in self._given_up:
            return
        if event.error is not None or actor.deaths >= self._max_failures:
            self._given_up.add(actor.number)
            actor.info = None
            self._error = (
                self._error
                or event.error
                or ActorLostError(
                    f"actor {actor.number} died or failed {actor.deaths + 1} times in a row "
                    f"without making a fragment; the latest reason: {event.reason}"
                )
            )
            return
        self.counts.restarts += 1
        before = actor.incarnation
        actor.replaced()
        self._forget_layout(actor.number, before)
        self._start(actor)

    def _end(self, ticket: Ticket) -> ActorState:
        """Ends an outstanding request, and returns its actor."""
        if ticket not in self.tickets:
            raise InternalError(f"a request ended twice: {ticket}")
        self._remove(ticket)
        actor = self.actors[ticket.actor]
        if ticket.incarnation == actor.incarnation:
            actor.outstanding -= 1
        return actor

    def _remove(self, ticket: Ticket) -> None:
        del self.tickets[ticket]
        if ticket.incarnation != self.actors[ticket.actor].incarnation:
            self._forget_layout(ticket.actor, ticket.incarnation)

    def _forget_layout(self, number: int, incarnation: int) -> None:
        """Removes the layout of an incarnation that is gone, unless some of its requests remain."""
        if not any(
            (each.actor, each.incarnation) == (number, incarnation) for each in self.tickets
        ):
            self.layouts.pop((number, incarnation), None)

    def _note_gap(self, ticket: Ticket) -> None:
        actor = self.actors[ticket.actor]
        if ticket.incarnation == actor.incarnation:
            actor.gaps += 1

    # --- Fragments that have arrived

    def stale(self, ticket: Ticket, header: Header) -> None:
        """Counts a fragment that the stream drops because its weights are too old."""
        self.counts.stale += 1
        self.counts.steps_stale += header.steps
        self._drop_held(ticket)

    def lost_arrays(self, ticket: Ticket) -> None:
        """Counts a fragment whose arrays are gone. Its actor fills another one for the round."""
        self.counts.lost += 1
        self._drop_held(ticket)
        self._round.pop(ticket.actor, None)

    def _drop_held(self, ticket: Ticket) -> None:
        self._remove(ticket)
        self.actors[ticket.actor].held -= 1

    def delivered(self, ticket: Ticket, header: Header, staleness: int) -> None:
        """Counts a fragment that the stream returns to the learner."""
        self._remove(ticket)
        counts = self.counts
        counts.delivered += 1
        counts.steps += header.steps
        counts.episodes += len(header.episode_returns)
        counts.nbytes += header.nbytes
        counts.staleness[staleness] += 1
        self.actors[ticket.actor].delivered(header)

    def give_back(self, tickets: Iterable[Ticket]) -> None:
        """Ends the learner's use of delivered fragments."""
        for ticket in tickets:
            self.actors[ticket.actor].held -= 1

    def abandon(self) -> None:
        """Counts the requests that have not ended when the stream is closed."""
        self.counts.abandoned += len(self.tickets)
        self.tickets.clear()

    def describe(self) -> str:
        """Returns the state in words, for messages."""
        running = sum(actor.info is not None for actor in self.actors)
        return (
            f"{running} of {len(self.actors)} actors run, {len(self.tickets)} fragments are "
            f"outstanding, {self.counts.restarts} actors were replaced"
        )
