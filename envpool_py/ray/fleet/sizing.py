"""Predicts rates, staleness and traffic of a fleet of any size from measurements of its parts.

    measured = Measurements(steps=2_048, fill_s=0.08, learn_s=0.012, fragment_bytes=59_000_000)
    for actors in (10, 100, 1_000):
        print(predict(measured, actors))

A simulation in virtual time. It runs the learner's code (`FragmentStream`) on a simulated transport
whose delays follow from the measurements. The prediction is only as good as these: measure on your
machines, with one actor (`python -m benchmarks.fleet` does this for Pong).
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

from envpool_py.errors import InputError
from envpool_py.ray.fleet.layout import ArrayLayout, Layout
from envpool_py.ray.fleet.messages import Arrived, Event, Header, Info, Payload, Started, Ticket
from envpool_py.ray.fleet.seeds import SeedKey
from envpool_py.ray.fleet.stream import FragmentStream

__all__ = ["Measurements", "central_fill_s", "predict"]

# Fragments per actor that are not counted, because all actors start at the same time.
_WARM_UP = 3
# Fragments per actor that are counted; at least `_LEAST` of all actors together.
_COUNTED = 10
_LEAST = 400
# Relative variation of the time to fill a fragment, as on real machines.
_JITTER = 0.05


@dataclass(frozen=True)
class Measurements:
    """Measurements with one actor. Times in seconds, sizes in bytes.

    Attributes:
        steps: steps of a fragment, over all environments.
        fill_s: time to fill a fragment with local inference.
        learn_s: the learner's time for one fragment.
        fragment_bytes: size of a fragment.
        weights_bytes: size of the weights.
        store_bytes_per_s: rate at which an actor copies a fragment into the object store.
        request_s: time of the learner's thread to request a fragment and to receive it.
        actors_per_machine: largest number of actors on one machine. The learner has a machine of
            its own, unless all actors fit on one machine.
        network_bytes_per_s: rate of each machine's network in each direction. The learner's machine
            matters most.
        round_trip_s: round-trip time between two machines, or two processes.
        length: steps of each environment in a fragment.
        act_s: the part of `fill_s` that the policy takes.
        observation_bytes: size of the observations of one step of an actor.
        server_call_s: time of central inference for a batch, whatever its size.
        server_actor_s: additional time of central inference for the observations of each actor.
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
    """The prediction for a fleet of one size.

    Attributes:
        actors: number of actors.
        steps_per_s: steps that the learner gets.
        fragments_per_s: fragments that the learner gets.
        learner_busy: fraction of the time in which the learner learns, in [0, 1].
        actors_busy: fraction of the time in which actors fill fragments, in [0, 1].
        staleness: mean staleness of fragments, in versions of the weights.
        most_stale: largest staleness of a fragment.
        in_bytes_per_s: traffic of fragments to the learner's machine.
        out_bytes_per_s: traffic of weights from the learner's machine.
        inference_bytes_per_s: traffic of observations to the actor of central inference; 0 with
            local inference.
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
    measured: Measurements, actors: int, *, in_flight: int = 2, inference: str = "local"
) -> Prediction:
    """Predicts a fleet.

    Args:
        measured: the measurements.
        actors: number of actors, at least 1.
        in_flight: as in `FragmentStream`, at least 1.
        inference: "local" or "central".

    Raises:
        InputError: an argument is not valid.
    """
    if inference not in ("local", "central"):
        raise InputError(f'inference: expected "local" or "central", got {inference!r}')
    central = inference == "central"
    fill_s = central_fill_s(measured, actors) if central else measured.fill_s
    transport = SimulatedTransport(measured, fill_s)
    with FragmentStream(transport, actors, in_flight=in_flight) as stream:
        for _ in range(_WARM_UP * actors):
            _learn(stream, transport)
        transport.begin_counting()
        stale = [_learn(stream, transport) for _ in range(max(_COUNTED * actors, _LEAST))]
        seconds = transport.now - transport.counted_from
    fragments = len(stale)
    observed = actors * measured.length * measured.observation_bytes / fill_s if central else 0.0
    busy = transport.filled_s / (seconds * actors)
    return Prediction(
        actors=actors,
        steps_per_s=fragments * measured.steps / seconds,
        fragments_per_s=fragments / seconds,
        learner_busy=fragments * measured.learn_s / seconds,
        actors_busy=min(busy, 1.0),
        staleness=float(np.mean(stale)),
        most_stale=max(stale),
        in_bytes_per_s=transport.bytes_in / seconds,
        out_bytes_per_s=transport.bytes_out / seconds,
        inference_bytes_per_s=observed * min(busy, 1.0),
    )


def _learn(stream: FragmentStream, transport: SimulatedTransport) -> int:
    fragment = stream.take()
    transport.now += transport.measured.learn_s + transport.measured.request_s
    stream.publish(None)
    return fragment.staleness


def central_fill_s(measured: Measurements, actors: int) -> float:
    """Returns the time to fill a fragment with central inference.

    Each step of an actor waits for the batch that is being computed and for its own batch, which
    contains all requests that came in that time. All observations pass the network of one machine.
    """
    env_s = (measured.fill_s - measured.act_s) / measured.length
    sent_s = measured.observation_bytes / measured.network_bytes_per_s
    together = 1.0
    for _ in range(200):  # iterates to a fixed point
        served_s = measured.server_call_s + together * measured.server_actor_s
        waited_s = served_s * (1.0 if actors == 1 else 1.5)
        step_s = max(env_s + measured.round_trip_s + sent_s + waited_s, actors * sent_s)
        together += 0.5 * (min(max(actors * served_s / step_s, 1.0), actors) - together)
    return step_s * measured.length


class SimulatedTransport:
    """A transport in virtual time. The caller adds the learner's own time to `now`.

    Attributes:
        now: current virtual time, seconds.
        counted_from: time of the call of `begin_counting`, seconds.
        filled_s: total time in which actors filled fragments since then.
        bytes_in, bytes_out: traffic of the learner's network since then.
    """

    def __init__(self, measured: Measurements, fill_s: float) -> None:
        self.measured = measured
        self.now = self.counted_from = self.filled_s = 0.0
        self.bytes_in = self.bytes_out = 0
        self._fill_s = fill_s
        self._random = random.Random(0)
        self._started: deque[SeedKey] = deque()
        self._free: dict[int, float] = {}
        self._events: list[tuple[float, int, Ticket, float]] = []
        self._in_free = self._out_free = 0.0
        self._has_weights: dict[int, tuple[int, float]] = {}
        self._sequences: dict[int, int] = {}

    def begin_counting(self) -> None:
        """Resets the counters; they count from the current time on."""
        self.counted_from = self.now
        self.filled_s = 0.0
        self.bytes_in = self.bytes_out = 0

    def start(self, seed_key: SeedKey) -> None:
        """Starts an actor without delay."""
        self._started.append(seed_key)
        self._free[seed_key.actor] = 0.0

    def request(self, ticket: Ticket) -> None:
        """Computes when the fragment arrives."""
        measured = self.measured
        machine = ticket.actor // measured.actors_per_machine
        begin = max(self._weights_at(machine, ticket.version), self._free[ticket.actor])
        fill_s = self._fill_s * self._random.uniform(1 - _JITTER, 1 + _JITTER)
        end = begin + fill_s + measured.fragment_bytes / measured.store_bytes_per_s
        self._free[ticket.actor] = end
        heapq.heappush(self._events, (end, ticket.number, ticket, end - begin))

    def _weights_at(self, machine: int, version: int) -> float:
        """Returns the time at which a machine has a request and its weights."""
        asked = self.now + self.measured.round_trip_s / 2
        if self._is_learners(machine):
            return asked
        known, since = self._has_weights.get(machine, (-1, 0.0))
        if known != version:
            sent_s = self.measured.weights_bytes / self.measured.network_bytes_per_s
            self._out_free = since = max(self._out_free, asked) + sent_s
            self.bytes_out += self.measured.weights_bytes
            self._has_weights[machine] = version, since
        return max(asked, since)

    def _is_learners(self, machine: int) -> bool:
        return len(self._free) <= self.measured.actors_per_machine and machine == 0

    def publish(self, version: int, weights: Any) -> None:
        """Does nothing: each machine fetches weights with the first request that needs them."""

    def wait(self, timeout: float | None) -> list[Event]:
        """Returns the `Started` events, or advances the time to the next fragment's arrival."""
        if self._started:
            events: list[Event] = [
                Started(seed_key.actor, seed_key.incarnation, Info(_LAYOUT, "", 0, []))
                for seed_key in self._started
            ]
            self._started.clear()
            return events
        end, _, ticket, filled_s = heapq.heappop(self._events)
        arrival = end + self.measured.round_trip_s / 2
        if not self._is_learners(ticket.actor // self.measured.actors_per_machine):
            moved_s = self.measured.fragment_bytes / self.measured.network_bytes_per_s
            self._in_free = arrival = max(self._in_free, arrival) + moved_s
            self.bytes_in += self.measured.fragment_bytes
        self.now = max(self.now, arrival)
        self.filled_s += filled_s
        sequence = self._sequences.get(ticket.actor, 0)
        self._sequences[ticket.actor] = sequence + 1
        at = ticket.actor, ticket.incarnation, sequence, ticket.version
        size = self.measured.fragment_bytes
        return [Arrived(ticket, Header(*at, self.measured.steps, filled_s, size, [], []))]

    def fetch(self, ticket: Ticket) -> Payload:
        """Returns a payload without steps."""
        return _PAYLOAD

    def drop(self, ticket: Ticket) -> None:
        """Does nothing: no fragment is stored."""

    def close(self) -> None:
        """Does nothing: no process runs."""


def _nothing() -> tuple[Layout, Payload]:
    names = ("observations", "actions", "rewards", "terminated", "truncated", "valid")
    array_layouts: dict[str, Any] = {name: ArrayLayout(0, (1, 1), "|b1") for name in names}
    array_layouts["observations"] = ArrayLayout(0, (2, 1), "|b1")
    empty = np.zeros(0, np.int64)
    return Layout({**array_layouts, "columns": {}}, 1, 1, 64, True), Payload(
        np.zeros(64, np.uint8), empty, empty
    )


_LAYOUT, _PAYLOAD = _nothing()
