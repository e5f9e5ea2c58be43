"""The messages between actors and a stream, and the interface of the transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from envpool_py.ray.fleet.layout import Layout
from envpool_py.ray.fleet.seeds import SeedKey

__all__ = [
    "Arrived",
    "Died",
    "Event",
    "Failed",
    "Header",
    "Info",
    "Lost",
    "LostArraysError",
    "Payload",
    "Started",
    "Ticket",
    "Transport",
]


class Ticket(NamedTuple):
    """A request for one fragment.

    Attributes:
        number: number of the request, counted from 0 over all requests of the stream.
        actor: number of the actor.
        incarnation: how often the actor had been replaced.
        version: version of the weights with which the actor acts.
    """

    number: int
    actor: int
    incarnation: int
    version: int


@dataclass(frozen=True)
class Header:
    """The data about a fragment that arrive before its arrays.

    `actor`, `incarnation` and `sequence` identify the fragment.

    Attributes:
        actor: number of the actor that filled it.
        incarnation: how often that actor had been replaced.
        sequence: number of the fragment in this incarnation, from 0.
        version: version of the weights that acted; with central inference, of the oldest of them.
        steps: number of valid rows, in which environments used the policy's actions.
        seconds: time in which the actor filled the fragment.
        nbytes: size of the arrays.
        episode_returns: returns of the episodes that ended in the fragment.
        episode_lengths: numbers of steps of these episodes.
    """

    actor: int
    incarnation: int
    sequence: int
    version: int
    steps: int
    seconds: float
    nbytes: int
    episode_returns: list[float]
    episode_lengths: list[int]


class Payload(NamedTuple):
    """The arrays of a fragment.

    Attributes:
        block: uint8 (nbytes,): all arrays of fixed size, arranged by the actor's layout.
        final_observations: the last observations of truncated episodes, arrays (n, ...); None if
            there are none.
        final_steps: int64 (n,), the steps that led to these observations; None if there are none.
    """

    block: Any
    final_observations: Any = None
    final_steps: Any = None


@dataclass(frozen=True)
class Info:
    """The report of an actor that has made its pool and its policy.

    Attributes:
        layout: layout of the blocks of its fragments.
        host: host name of its machine.
        pid: id of its process.
        processors: the processors that its pool uses.
        machine: the transport's name of its machine.
    """

    layout: Layout
    host: str
    pid: int
    processors: list[int]
    machine: str = ""


@dataclass(frozen=True)
class Started:
    """An actor is ready for requests."""

    actor: int
    incarnation: int
    info: Info


@dataclass(frozen=True)
class Died:
    """An actor, or its machine, is gone.

    Attributes:
        actor: number of the actor.
        incarnation: the incarnation that died.
        reason: the cause, as far as it is known.
        error: an exception of the user's code that the next incarnation would raise as well.
    """

    actor: int
    incarnation: int
    reason: str
    error: BaseException | None = None


@dataclass(frozen=True)
class Arrived:
    """A fragment is filled. Its arrays may still be on another machine."""

    ticket: Ticket
    header: Header


@dataclass(frozen=True)
class Lost:
    """A fragment will not arrive. Its actor is alive, unless a `Died` event reports its death."""

    ticket: Ticket
    reason: str


@dataclass(frozen=True)
class Failed:
    """The policy or the environments raised an exception while the actor filled a fragment."""

    ticket: Ticket
    error: BaseException


Event = Started | Died | Arrived | Lost | Failed


class LostArraysError(Exception):
    """The arrays of a fragment are gone, because the machine that stored them is gone."""


class Transport(Protocol):
    """Transmits requests and fragments. Used by one thread at a time.

    Each ticket ends with exactly one of the events `Arrived`, `Lost` and `Failed`. The tickets of
    one incarnation of an actor end in the order of the requests.
    """

    def start(self, seed_key: SeedKey) -> None:
        """Begins to start an incarnation of an actor; `wait` later returns `Started` or `Died`."""

    def request(self, ticket: Ticket) -> None:
        """Requests a fragment from a started actor."""

    def wait(self, timeout: float | None) -> list[Event]:
        """Waits for events; returns after `timeout` seconds at the latest (None: no limit).

        Returns:
            The events, as the list in which the transport collects them. The caller removes those
            that it has noted; later calls return the others again.
        """

    def fetch(self, ticket: Ticket) -> Payload:
        """Returns the arrays of a fragment that has arrived. May be repeated until `drop`.

        Raises:
            LostArraysError: the arrays are gone.
        """

    def drop(self, ticket: Ticket) -> None:
        """Releases the arrays of a fragment that has arrived. Results of `fetch` stay valid."""

    def publish(self, version: int, weights: Any) -> None:
        """Sets the weights that subsequent requests use."""

    def close(self) -> None:
        """Ends all actors. Idempotent."""
