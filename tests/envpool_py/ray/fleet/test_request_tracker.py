"""Rounds of a synchronous stream, with chosen events."""

from __future__ import annotations

from typing import Any

from envpool_py.ray.fleet.messages import Arrived, Died, Header, Info, Started, Ticket
from envpool_py.ray.fleet.request_tracker import RequestTracker
from envpool_py.ray.fleet.seeds import SeedKey

from .fake_transport import layout


class Requests:
    """A transport that only keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[Ticket] = []

    def start(self, seed_key: SeedKey) -> None:
        pass

    def request(self, ticket: Ticket) -> None:
        self.asked.append(ticket)


def header(ticket: Ticket) -> Header:
    return Header(ticket.actor, ticket.incarnation, 0, ticket.version, 8, 0.01, 512, [1.0], [4])


def test_a_round_without_an_actor_that_was_given_up_after_its_fragment() -> None:
    """The round waits for the other actors all the same."""
    transport: Any = Requests()
    tracker = RequestTracker(
        transport, num_actors=3, seed=0, resumes=0, in_flight=1, max_failures=0
    )
    tracker.start_all()
    for number in range(3):
        tracker.note(Started(number, 0, Info(layout(), "here", 1, [0])))
    tracker.open_round()
    tracker.request_round(1)
    first, second, third = transport.asked
    tracker.note(Arrived(first, header(first)))
    tracker.note(Arrived(second, header(second)))
    tracker.note(Died(0, 0, "scripted"))
    assert tracker.finished_round() == []
    tracker.note(Arrived(third, header(third)))
    assert [ticket.actor for ticket, _ in tracker.finished_round()] == [0, 1, 2]
