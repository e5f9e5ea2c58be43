"""What actors and a stream tell each other, and the interface of what carries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from envpool_py.fleet.layout import Layout
from envpool_py.fleet.seeds import Entropy


class Ticket(NamedTuple):
    """A request for one fragment.

    Attributes:
        number: counts all requests of a stream.
        actor: number of the actor.
        incarnation: of the actor, which counts its replacements.
        version: of the weights that the actor uses.
    """

    number: int
    actor: int
    incarnation: int
    version: int


@dataclass(frozen=True)
class Header:
    """What a stream knows of a fragment before it has the arrays.

    Actor, incarnation and sequence identify it.

    Attributes:
        actor: number of the actor that filled it.
        incarnation: how often that actor had been replaced.
        sequence: counts the fragments of the incarnation, from 0.
        version: of the weights that acted; the oldest ones with central inference.
        steps: steps of the policy, the valid rows.
        seconds: time to fill it.
        nbytes: size of the arrays.
        episode_returns: of the episodes that ended in it.
        episode_lengths: their numbers of steps.
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
        block: uint8 (n,): all arrays of fixed size, arranged by the actor's layout.
        final_observations: the last observations of truncated episodes, arrays (n, ...); None if
            there are none.
        final_steps: int64 (n,), the steps that led to them; None if there are none.
    """

    block: Any
    final_observations: Any = None
    final_steps: Any = None


@dataclass(frozen=True)
class Info:
    """What an actor says when its pool and its policy are made.

    Attributes:
        layout: of the blocks of its fragments.
        host: name of its machine.
        pid: of its process.
        processors: that its pool uses.
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
        actor: its number.
        incarnation: which of its incarnations.
        reason: what is known of the cause.
        error: an exception of the user's code that another incarnation would raise as well.
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
    """A fragment will not come. Its actor lives, unless a `Died` says otherwise."""

    ticket: Ticket
    reason: str


@dataclass(frozen=True)
class Failed:
    """The policy or the environments raised an exception in place of a fragment."""

    ticket: Ticket
    error: BaseException


Event = Started | Died | Arrived | Lost | Failed


class LostArraysError(Exception):
    """The arrays of a fragment are gone, with the machine that had them."""


class Transport(Protocol):
    """Carries requests and fragments. One thread at a time.

    A ticket ends in exactly one of `Arrived`, `Lost` and `Failed`. Those of one incarnation of an
    actor end in the order of the requests.
    """

    def start(self, entropy: Entropy) -> None:
        """Begins to start an incarnation of an actor: `Started` or `Died` follows."""

    def request(self, ticket: Ticket) -> None:
        """Asks a started actor for a fragment."""

    def wait(self, timeout: float | None) -> list[Event]:
        """Waits until something happens; an empty list after `timeout` seconds."""

    def fetch(self, ticket: Ticket) -> Payload:
        """Returns the arrays of a fragment that has arrived.

        Raises:
            LostArraysError: they are gone.
        """

    def drop(self, ticket: Ticket) -> None:
        """Forgets a fragment that has arrived and is not fetched."""

    def publish(self, version: int, weights: Any) -> None:
        """Sets the weights of the requests from now on."""

    def close(self) -> None:
        """Ends all actors. Idempotent."""
