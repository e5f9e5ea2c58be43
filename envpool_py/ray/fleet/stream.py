"""A stream of fragments from actors: requests, exactly-once delivery, staleness, replacements.

The learner's thread calls it. `snapshot` may be called from any thread.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from envpool_py.errors import (
    ActorLostError,
    ClosedError,
    FragmentTimeoutError,
    InputError,
    InputTypeError,
)
from envpool_py.ray.fleet.counts import Counts
from envpool_py.ray.fleet.fragment import Fragment
from envpool_py.ray.fleet.messages import Event, Header, LostArraysError, Payload, Ticket, Transport
from envpool_py.ray.fleet.request_tracker import RequestTracker
from envpool_py.ray.fleet.snapshot import Snapshot, snapshot_of
from envpool_py.ray.fleet.uninterrupted import Uninterrupted

if TYPE_CHECKING:
    from typing_extensions import Self

    from envpool_py.pool.metrics import MetricsServer

__all__ = ["FragmentStream"]

DEFAULT_MAX_FAILURES = 5


class FragmentStream:
    """Returns fragments to a learner, and keeps the actors busy.

        with RolloutStream(actors, weights=weights) as stream:
            for fragment in stream:
                learn(fragment)
                stream.publish(weights)

    Each request is for one fragment, and carries the latest published weights. At most `in_flight`
    fragments of each actor are requested, waiting, or in use by the learner. A slow learner thus
    makes the actors wait (back-pressure), which bounds the age of the weights that act. If the
    learner waits although no request is outstanding, because it holds that many fragments, each
    actor gets one more request. The learner's thread makes the requests, when it takes the next
    fragment.

    A fragment is in use until the learner takes the next one.

    If an actor dies with its process or its machine, the stream replaces it by an actor with other
    seeds, and counts the fragments requested from it as lost. The stream returns no fragment twice
    or in part: actor, incarnation and sequence number identify a fragment, and the stream checks
    them.

    Attributes:
        version: version of the latest weights: the number of calls of `publish`.
    """

    def __init__(
        self,
        transport: Transport,
        num_actors: int,
        *,
        seed: int = 0,
        in_flight: int = 2,
        weights: Any = None,
        max_staleness: int | None = None,
        synchronous: bool = False,
        framework: str = "numpy",
        max_failures: int = DEFAULT_MAX_FAILURES,
        state: Mapping[str, Any] | None = None,
        least_resumes: int = 0,
    ) -> None:
        """Starts the actors without waiting for them.

        Args:
            transport: transmits requests and fragments.
            num_actors: number of actors, at least 1.
            seed: seed of the fleet, at least 0.
            in_flight: largest number of fragments of an actor that are requested, waiting or in
                use, at least 1. With 1, an actor waits while the learner uses its fragment.
            weights: the first weights, version 1; see `publish`.
            max_staleness: the stream drops and counts fragments whose weights are more than this
                many versions older than the latest. None: it drops none.
            synchronous: whether the stream returns one fragment of every actor, by number, all with
                the same weights, before it makes further requests. Results then depend only on the
                seeds, as long as no actor dies. `in_flight` is not used.
            framework: "numpy" or "torch", the kind of the fragments' arrays.
            max_failures: how often in a row an actor may fail without a fragment, at least 0: its
                process dies, or an environment fails.
            state: result of `state_dict`, to resume a stream. All pools get new seeds.
            least_resumes: the least `SeedKey.resumes` of which no pool was started yet.

        Raises:
            InputError, InputTypeError: an argument is not valid.
        """
        for name, value, least in (
            ("num_actors", num_actors, 1),
            ("seed", seed, 0),
            ("in_flight", in_flight, 1),
            ("max_staleness", 0 if max_staleness is None else max_staleness, 0),
            ("max_failures", max_failures, 0),
        ):
            _check_integer(name, value, least)
        if framework not in ("numpy", "torch"):
            raise InputError(f'framework: expected "numpy" or "torch", got {framework!r}')
        if synchronous and max_staleness is not None:
            raise InputError(
                f"max_staleness: expected None with synchronous=True, whose fragments are of the "
                f"latest weights, got {max_staleness}"
            )
        self._transport = transport
        self._lock = threading.Lock()
        self._framework = framework
        self._max_staleness = max_staleness
        self._synchronous = synchronous
        self._ready: deque[tuple[Ticket, Header, Payload | None]] = deque()
        self._fetched: dict[Ticket, Payload] = {}
        self._given: list[Ticket] = []
        # Not yet returned to the learner: more than one only for a list of `batches`.
        self._delivered: list[Fragment] = []
        self._closed = False
        self._server: MetricsServer | None = None
        self._rates: deque[tuple[float, int]] = deque(maxlen=64)
        resumes = max(0 if state is None else int(state["resumes"]) + 1, least_resumes)
        self._requests = RequestTracker(
            transport, num_actors, seed, resumes, in_flight, max_failures
        )
        self.version = 0
        if state is not None:
            self._requests.counts = Counts.from_dict(state["counts"])
            self.version = int(state["version"])
        self.publish(weights)
        self._requests.start_all()

    # --- Weights

    def publish(self, weights: Any) -> int:
        """Sets the weights of subsequent requests.

        Requests contain a reference to the weights; each machine fetches them once.

        Args:
            weights: a tree of arrays or tensors, on any device, for the policy's `set_weights`. It
                is copied before this function returns.

        Returns:
            The version of the weights.
        """
        self._check_open()
        with Uninterrupted(), self._lock:
            self._transport.publish(self.version + 1, weights)
            self.version += 1
        return self.version

    # --- Fragments

    def __iter__(self) -> Iterator[Fragment]:
        """Yields the results of `take` without end."""
        while True:
            yield self.take()

    def batches(self, count: int) -> Iterator[list[Fragment]]:
        """Yields lists of fragments without end. A list is in use until the next one is requested.

        Args:
            count: number of fragments in a list, at least 1. In synchronous mode, a list of
                `num_actors` fragments contains one from each actor, unless an actor was given up.

        Raises:
            InputError, InputTypeError: `count` is not valid.
            ActorLostError, Exception, ClosedError: as `take`. The fragments that had arrived for
                the list are in the next list, or are returned by `take`.
        """
        _check_integer("count", count, 1)
        while True:
            if not self._delivered:
                self._give_back()
            while len(self._delivered) < count:
                self._deliver_next(None)
            fragments, self._delivered = self._delivered[:count], self._delivered[count:]
            yield fragments

    def take(self, timeout: float | None = None) -> Fragment:
        """Releases the previous fragment, and returns the next one.

        Args:
            timeout: seconds to wait at most. None: no limit.

        Raises:
            FragmentTimeoutError: no fragment arrived in that time. The stream remains usable.
            ActorLostError: an actor died too often in a row and is not replaced again, or no actor
                is left.
            Exception: an exception of the policy or the environments in an actor. The stream
                remains usable, and requests another fragment from the actor.
            ClosedError: the stream is closed.
        """
        self._check_open()
        if not self._delivered:
            self._give_back()
            self._deliver_next(timeout)
        fragment = self._delivered[0]
        # CPython runs signal handlers after calls, and at the beginnings of functions and loops:
        # none runs between this line and the next.
        del self._delivered[0]
        return fragment

    def _give_back(self) -> None:
        self._check_open()
        with Uninterrupted(), self._lock:
            self._requests.give_back(self._given)
            self._given = []

    def _deliver_next(self, timeout: float | None) -> None:
        """Waits for a fragment, and appends it to `_delivered`.

        Ctrl-C may interrupt every call that waits. What has happened meanwhile is noted in blocks
        that it cannot interrupt, so that the next call continues from there.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self._check_open()
            if self._requests.is_empty and not self._ready:
                raise ActorLostError(f"no actor is left: all {len(self._requests.actors)} died")
            with Uninterrupted(), self._lock:
                self._request()
                finished = self._requests.finished_round() if self._synchronous else []
            if finished and not self._pass_on(finished):
                continue  # requests the lost fragments again
            while self._ready:
                if self._deliver():
                    return
                with Uninterrupted(), self._lock:
                    self._request()
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
            events = self._transport.wait(left)
            is_late = not events and left is not None and time.monotonic() >= deadline  # type: ignore[operator]
            with Uninterrupted(), self._lock:
                while events:
                    self._note(events.pop(0))
            self._requests.raise_error()
            if is_late:
                raise FragmentTimeoutError(
                    f"take: no fragment in {timeout:g} s: {self._requests.describe()}"
                )

    def _request(self) -> None:
        requests = self._requests
        if self._synchronous:
            if requests.round_is_over and not self._ready:
                requests.open_round()
            requests.request_round(self.version)
        else:
            requests.request(self.version, starved=not self._ready)

    def _note(self, event: Event) -> None:
        arrived = self._requests.note(event)
        if arrived is not None and not self._synchronous:
            self._ready.append((*arrived, None))

    def _pass_on(self, finished: list[tuple[Ticket, Header]]) -> bool:
        """Synchronous: makes the fragments of a round ready.

        Returns False if some arrays are gone; the round then goes on.
        """
        for ticket, _ in finished:
            if ticket not in self._fetched:
                payload = self._fetch(ticket)
                if payload is not None:
                    self._fetched[ticket] = payload
        if any(ticket not in self._fetched for ticket, _ in finished):
            return False
        with Uninterrupted(), self._lock:
            self._requests.close_round()
            self._ready.extend((*each, self._fetched.pop(each[0])) for each in finished)
        return True

    def _fetch(self, ticket: Ticket) -> Payload | None:
        """Returns the arrays; if they are gone, counts the fragment as lost and returns None."""
        try:
            return self._transport.fetch(ticket)
        except LostArraysError:
            with Uninterrupted(), self._lock:
                self._transport.drop(ticket)
                self._requests.lost_arrays(ticket)
                if not self._synchronous:
                    self._ready.popleft()
            return None

    def _deliver(self) -> bool:
        """Delivers the first ready fragment; False if it is too old or its arrays are gone."""
        ticket, header, payload = self._ready[0]
        staleness = self.version - header.version
        if self._max_staleness is not None and staleness > self._max_staleness:
            with Uninterrupted(), self._lock:
                self._ready.popleft()
                self._transport.drop(ticket)
                self._requests.stale(ticket, header)
            return False
        # Fetching may take long. If Ctrl-C interrupts it, the fragment is still the first one.
        payload = self._fetch(ticket) if payload is None else payload
        if payload is None:
            return False
        with Uninterrupted(), self._lock:
            layout = self._requests.layouts[ticket.actor, ticket.incarnation]
            fragment = Fragment(header, layout, payload, staleness, self._framework)
            self._ready.popleft()
            self._transport.drop(ticket)
            self._requests.delivered(ticket, header, staleness)
            self._given.append(ticket)
            self._delivered.append(fragment)
            self._rates.append((time.monotonic(), header.steps))
        return True

    # --- Numbers

    @property
    def counts(self) -> Counts:
        """A copy of the totals."""
        with self._lock:
            return Counts.from_dict(self._requests.counts.as_dict())

    @property
    def outstanding(self) -> int:
        """Fragments that are requested, or have arrived and are not delivered.

        `counts.requested` is `counts.ended` plus this, at any time.
        """
        with self._lock:
            return len(self._requests.tickets)

    def snapshot(self) -> Snapshot:
        """Returns the metrics of the stream and of all actors. May be called from any thread."""
        with self._lock:
            return snapshot_of(self._requests, self.version, len(self._ready), list(self._rates))

    def serve_metrics(self, port: int = 9400, host: str = "127.0.0.1") -> str:
        """Serves the metrics to Prometheus over HTTP, until the stream is closed.

        `envpool-py fleet URL` and Prometheus read them. There is no access control: any client that
        reaches the address can read the metrics.

        Args:
            port: port, in [0, 65535]; 0 for any free port.
            host: address on which the server listens; "0.0.0.0" for all addresses of this machine.

        Returns:
            The URL.

        Raises:
            InputError: the metrics are served already.
            MissingPackageError: the package prometheus_client is not installed.
            ResourceError: the port is in use, or the address is not of this machine.
        """
        self._check_open()
        if self._server is not None:
            raise InputError(f"serve_metrics: already served at {self._server.url}")
        # They need an optional package.
        from envpool_py.pool.metrics import MetricsServer
        from envpool_py.ray.fleet.metrics import StreamCollector

        self._server = MetricsServer(StreamCollector(self.snapshot), host, port)
        return self._server.url

    def state_dict(self) -> dict[str, Any]:
        """Returns the state from which a stream resumes after the learner has died (`state=`)."""
        with self._lock:
            return {
                "resumes": self._requests.resumes,
                "version": self.version,
                "counts": self._settled(),
            }

    def _settled(self) -> dict[str, Any]:
        """The counts, with outstanding requests as abandoned, because a resumed stream has none."""
        counts = self._requests.counts.as_dict()
        counts["abandoned"] += len(self._requests.tickets)
        return counts

    # --- The end

    def close(self) -> None:
        """Ends the actors. Delivered fragments stay valid. Idempotent."""
        self._closed = True  # a call after an interrupted one repeats the rest
        if self._server is not None:
            self._server.close()
        with Uninterrupted(), self._lock:
            self._requests.abandon()
            self._ready.clear()
            self._given = []
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the stream is closed")


def _check_integer(name: str, value: Any, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputTypeError(f"{name}: expected an integer, got {value!r}")
    if value < least:
        raise InputError(f"{name}: expected at least {least}, got {value}")
