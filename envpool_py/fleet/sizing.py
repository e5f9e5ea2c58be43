"""Predicts a fleet from measured pieces: rates, staleness and traffic for any number of actors.

    pieces = Pieces(steps=2_048, fill_s=0.08, learn_s=0.012, fragment_bytes=59_000_000)
    for actors in (10, 100, 1_000):
        print(predict(pieces, actors))

A simulation in virtual time, with the code that runs in a learner (`FragmentStream`) and a
transport that takes as long as the pieces say. It is as good as they are: measure them on your
machines, with one actor (`python -m benchmarks.fleet` does it for Pong).
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from envpool_py.errors import InputError
from envpool_py.fleet.layout import Layout, Place
from envpool_py.fleet.messages import Arrived, Event, Header, Info, Payload, Started, Ticket
from envpool_py.fleet.seeds import Entropy
from envpool_py.fleet.stream import FragmentStream

# Fragments that are not counted, for each actor: the first ones all start together.
_WARM_UP = 3
_COUNTED = 10
_LEAST = 400
# Fills differ by so much, as on real machines.
_JITTER = 0.05


@dataclass(frozen=True)
class Pieces:
    """What was measured, with one actor. Times in seconds, sizes in bytes.

    Attributes:
        steps: of a fragment, all environments together.
        fill_s: to fill a fragment with local inference.
        learn_s: of the learner, for one fragment.
        fragment_bytes: size of a fragment.
        weights_bytes: size of the weights.
        store_bytes_per_s: at which an actor copies a fragment into the object store.
        request_s: of the learner's thread, for a request and for receiving the fragment.
        actors_per_machine: the learner has a machine of its own, unless all fit beside it.
        network_bytes_per_s: of each machine, in each direction; of the learner's machine above all.
        round_trip_s: between two machines, or two processes.
        length: steps of each environment in a fragment.
        act_s: of the policy, in `fill_s`.
        observation_bytes: of the observations of one step of an actor.
        server_call_s: of central inference, for a batch of any size.
        server_actor_s: of central inference, for the observations of one actor, in addition.
    """

    steps: int
    fill_s: float
    learn_s: float
    fragment_bytes: int
    weights_bytes: int = 4_000_000
    store_bytes_per_s: float = 4e9
    request_s: float = 1e-3
    actors_per_machine: int = 16
    network_bytes_per_s: float = 1.25e9
    round_trip_s: float = 5e-4
    length: int = 32
    act_s: float = 0.0
    observation_bytes: int = 0
    server_call_s: float = 1e-3
    server_actor_s: float = 1e-4


@dataclass(frozen=True)
class Prediction:
    """A fleet of one size.

    Attributes:
        actors: their number.
        steps_per_s: that the learner gets.
        fragments_per_s: the same in fragments.
        learner_busy: part of the time that the learner learns, in [0, 1].
        actors_busy: part of the time that actors fill fragments, in [0, 1].
        staleness: versions that the weights that acted are behind, on average.
        most_stale: at most.
        in_bytes_per_s: fragments to the learner's machine.
        out_bytes_per_s: weights from it.
        inference_bytes_per_s: observations to the actor of central inference; 0 with local.
    """

    actors: int
    steps_per_s: float
    fragments_per_s: float
    learner_busy: float
    actors_busy: float
    staleness: float
    most_stale: int
    in_bytes_per_s: float
    out_bytes_per_s: float
    inference_bytes_per_s: float


def predict(
    pieces: Pieces, actors: int, *, in_flight: int = 2, inference: str = "local"
) -> Prediction:
    """Predicts a fleet.

    Args:
        pieces: what was measured.
        actors: their number, at least 1.
        in_flight: as `RolloutStream` takes it.
        inference: "local" or "central".

    Raises:
        InputError: an argument is not valid.
    """
    if inference not in ("local", "central"):
        raise InputError(f'inference: expected "local" or "central", got {inference!r}')
    central = inference == "central"
    fill_s = central_fill_s(pieces, actors) if central else pieces.fill_s
    transport = SimulatedTransport(pieces, fill_s)
    with FragmentStream(transport, actors, in_flight=in_flight) as stream:
        for _ in range(_WARM_UP * actors):
            _learn(stream, transport)
        transport.begin_counting()
        stale = [_learn(stream, transport) for _ in range(max(_COUNTED * actors, _LEAST))]
        seconds = transport.now - transport.counted_from
    fragments = len(stale)
    observed = actors * pieces.length * pieces.observation_bytes / fill_s if central else 0.0
    busy = transport.filled_s / (seconds * actors)
    return Prediction(
        actors=actors,
        steps_per_s=fragments * pieces.steps / seconds,
        fragments_per_s=fragments / seconds,
        learner_busy=fragments * pieces.learn_s / seconds,
        actors_busy=min(busy, 1.0),
        staleness=float(np.mean(stale)),
        most_stale=max(stale),
        in_bytes_per_s=transport.bytes_in / seconds,
        out_bytes_per_s=transport.bytes_out / seconds,
        inference_bytes_per_s=observed * min(busy, 1.0),
    )


def _learn(stream: FragmentStream, transport: SimulatedTransport) -> int:
    fragment = stream.take()
    transport.now += transport.pieces.learn_s + transport.pieces.request_s
    stream.publish(None)
    return fragment.staleness


def central_fill_s(pieces: Pieces, actors: int) -> float:
    """Returns the time to fill a fragment with central inference.

    Each step of an actor waits for the batch that is being computed and for its own, which has all
    requests that came meanwhile. All observations pass the network of one machine.
    """
    env_s = (pieces.fill_s - pieces.act_s) / pieces.length
    sent_s = pieces.observation_bytes / pieces.network_bytes_per_s
    together = 1.0
    for _ in range(200):  # a fixed point
        served_s = pieces.server_call_s + together * pieces.server_actor_s
        waited_s = served_s * (1.0 if actors == 1 else 1.5)
        step_s = max(env_s + pieces.round_trip_s + sent_s + waited_s, actors * sent_s)
        together += 0.5 * (min(max(actors * served_s / step_s, 1.0), actors) - together)
    return step_s * pieces.length


class SimulatedTransport:
    """A transport in virtual time; the learner's own time is added by who drives it.

    Attributes:
        now: virtual seconds.
        counted_from: when `begin_counting` was called.
        filled_s: time that actors filled fragments since then.
        bytes_in, bytes_out: over the learner's network since then.
    """

    def __init__(self, pieces: Pieces, fill_s: float) -> None:
        self.pieces = pieces
        self.now = self.counted_from = self.filled_s = 0.0
        self.bytes_in = self.bytes_out = 0
        self._fill_s = fill_s
        self._random = random.Random(0)
        self._started: deque[Entropy] = deque()
        self._free: dict[int, float] = {}
        self._events: list[tuple[float, int, Ticket, float]] = []
        self._in_free = self._out_free = 0.0
        self._has_weights: dict[int, tuple[int, float]] = {}
        self._sequences: dict[int, int] = {}

    def begin_counting(self) -> None:
        """Counts from now on."""
        self.counted_from = self.now
        self.filled_s = 0.0
        self.bytes_in = self.bytes_out = 0

    def start(self, entropy: Entropy) -> None:
        """Starts an actor in no time."""
        self._started.append(entropy)
        self._free[entropy.actor] = 0.0

    def request(self, ticket: Ticket) -> None:
        """Plans the fragment."""
        pieces = self.pieces
        machine = ticket.actor // pieces.actors_per_machine
        begin = max(self._weights_at(machine, ticket.version), self._free[ticket.actor])
        fill_s = self._fill_s * self._random.uniform(1 - _JITTER, 1 + _JITTER)
        end = begin + fill_s + pieces.fragment_bytes / pieces.store_bytes_per_s
        self._free[ticket.actor] = end
        heapq.heappush(self._events, (end, ticket.number, ticket, end - begin))

    def _weights_at(self, machine: int, version: int) -> float:
        """Returns when a machine has a request and its weights."""
        asked = self.now + self.pieces.round_trip_s / 2
        if self._is_learners(machine):
            return asked
        known, since = self._has_weights.get(machine, (-1, 0.0))
        if known != version:
            sent_s = self.pieces.weights_bytes / self.pieces.network_bytes_per_s
            self._out_free = since = max(self._out_free, asked) + sent_s
            self.bytes_out += self.pieces.weights_bytes
            self._has_weights[machine] = version, since
        return max(asked, since)

    def _is_learners(self, machine: int) -> bool:
        return len(self._free) <= self.pieces.actors_per_machine and machine == 0

    def publish(self, version: int, weights: Any) -> None:
        """Machines fetch weights with the first request that has them."""

    def wait(self, timeout: float | None) -> list[Event]:
        """Goes on to the next fragment that arrives."""
        if self._started:
            events: list[Event] = [
                Started(entropy.actor, entropy.incarnation, Info(_LAYOUT, "", 0, []))
                for entropy in self._started
            ]
            self._started.clear()
            return events
        end, _, ticket, filled_s = heapq.heappop(self._events)
        arrival = end + self.pieces.round_trip_s / 2
        if not self._is_learners(ticket.actor // self.pieces.actors_per_machine):
            moved_s = self.pieces.fragment_bytes / self.pieces.network_bytes_per_s
            self._in_free = arrival = max(self._in_free, arrival) + moved_s
            self.bytes_in += self.pieces.fragment_bytes
        self.now = max(self.now, arrival)
        self.filled_s += filled_s
        sequence = self._sequences.get(ticket.actor, 0)
        self._sequences[ticket.actor] = sequence + 1
        at = ticket.actor, ticket.incarnation, sequence, ticket.version
        size = self.pieces.fragment_bytes
        return [Arrived(ticket, Header(*at, self.pieces.steps, filled_s, size, [], []))]

    def fetch(self, ticket: Ticket) -> Payload:
        """Returns no steps."""
        return _PAYLOAD

    def drop(self, ticket: Ticket) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing runs."""


def _nothing() -> tuple[Layout, Payload]:
    names = ("observations", "actions", "rewards", "terminated", "truncated", "valid")
    places: dict[str, Any] = {name: Place(0, (1, 1), "|b1") for name in names}
    places["observations"] = Place(0, (2, 1), "|b1")
    empty = np.zeros(0, np.int64)
    return Layout({**places, "columns": {}}, 1, 1, 64, True), Payload(
        np.zeros(64, np.uint8), empty, empty
    )


_LAYOUT, _PAYLOAD = _nothing()
