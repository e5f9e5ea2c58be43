"""A transport without processes: fake actors with numbered fragments, and random failures."""

from __future__ import annotations

import dataclasses
import random
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from envpool_py.ray.fleet.layout import ArrayLayout, Layout
from envpool_py.ray.fleet.messages import (
    Arrived,
    Died,
    Event,
    Failed,
    Header,
    Info,
    Lost,
    LostArraysError,
    Payload,
    Started,
    Ticket,
)
from envpool_py.ray.fleet.seeds import SeedKey

LENGTH, ENVS = 4, 2
NAMES = ("rewards", "terminated", "truncated", "valid")


def layout() -> Layout:
    """Returns the layout of fragments whose actions are numbers that identify their origin."""
    steps = (LENGTH, ENVS)
    array_layouts: dict[str, Any] = {"observations": ArrayLayout(0, (LENGTH + 1, ENVS), "<i8")}
    array_layouts["actions"] = ArrayLayout(128, steps, "<i8")
    for index, name in enumerate(NAMES):
        array_layouts[name] = ArrayLayout(
            192 + 64 * index, steps, "<f4" if name == "rewards" else "|b1"
        )
    array_layouts["columns"] = {}
    return Layout(array_layouts, LENGTH, ENVS, 512, True)


@dataclasses.dataclass
class Actor:
    seed_key: SeedKey
    started: bool = False
    dead: bool = False
    sequence: int = 0
    asked: deque[Ticket] = dataclasses.field(default_factory=deque)


@dataclasses.dataclass
class Odds:
    """Probabilities, per event, of each kind of failure."""

    death: float = 0.0
    start_death: float = 0.0
    lost_arrays: float = 0.0
    store_full: float = 0.0
    failure: float = 0.0


class FakeTransport:
    """Chooses the next events with a seeded generator.

    Attributes:
        filled: identities (actor, incarnation, sequence) of all fragments that actors have filled.
        fetched: tickets whose arrays were fetched.
        dropped: tickets whose arrays were dropped before they were fetched.
        seed_keys: the seed_key of each actor started.
        published: the version and weights of each publication.
        most_outstanding: for each actor, the most requests and fragments outstanding at once.
    """

    def __init__(self, seed: int = 0, odds: Odds | None = None) -> None:
        self.random = random.Random(seed)
        self.odds = odds or Odds()
        self.actors: dict[int, Actor] = {}
        self.graves: list[Actor] = []
        self.arrived: dict[Ticket, int] = {}
        self.filled: set[tuple[int, int, int]] = set()
        self.fetched: list[Ticket] = []
        self.dropped: list[Ticket] = []
        self.seed_keys: list[SeedKey] = []
        self.published: list[tuple[int, Any]] = []
        self.most_outstanding: dict[int, int] = {}
        self.closed = False
        self.error: Callable[[], BaseException] = lambda: ValueError("of the policy")
        self.start_error: BaseException | None = None
        self.silent = False
        self.events: list[Event] = []

    def start(self, seed_key: SeedKey) -> None:
        before = self.actors.pop(seed_key.actor, None)
        if before is not None and before.asked:
            self.graves.append(before)
        self.actors[seed_key.actor] = Actor(seed_key)
        self.seed_keys.append(seed_key)

    def request(self, ticket: Ticket) -> None:
        actor = self.actors[ticket.actor]
        assert actor.started
        assert ticket.incarnation == actor.seed_key.incarnation
        assert ticket.version == self.published[-1][0]
        actor.asked.append(ticket)
        held = sum(each.actor == ticket.actor for each in self.arrived)
        most = max(self.most_outstanding.get(ticket.actor, 0), len(actor.asked) + held)
        self.most_outstanding[ticket.actor] = most

    def publish(self, version: int, weights: Any) -> None:
        self.published.append((version, weights))

    def wait(self, timeout: float | None) -> list[Event]:
        events = self.events
        while not events and not self.silent:
            events += self._bury()
            choices = [a for a in self.actors.values() if not a.started or a.asked]
            assert choices or events, "the stream waits for nothing"
            for actor in self.random.sample(choices, min(len(choices), 2)):
                events += self._happen(actor)
        return events

    def _bury(self) -> list[Event]:
        """Ends the requests of dead actors; some end after the replacement has started."""
        if not self.graves or self.random.random() < 0.5:
            return []
        grave = self.graves.pop(0)
        return [Lost(ticket, "its actor died") for ticket in grave.asked]

    def _happen(self, actor: Actor) -> list[Event]:
        number, incarnation = actor.seed_key.actor, actor.seed_key.incarnation
        chance = self.random.random
        if not actor.started:
            if self.start_error is not None:
                return [Died(number, incarnation, "scripted", self.start_error)]
            if chance() < self.odds.start_death:
                return [Died(number, incarnation, "scripted")]
            actor.started = True
            return [Started(number, incarnation, Info(layout(), "here", 1, [0]))]
        if chance() < self.odds.death:
            head = actor.asked.popleft()
            return [Lost(head, "scripted"), Died(number, incarnation, "scripted")]
        ticket = actor.asked.popleft()
        if chance() < self.odds.failure:
            return [Failed(ticket, self.error())]
        sequence = actor.sequence
        actor.sequence += 1
        if chance() < self.odds.store_full:
            return [Lost(ticket, "scripted")]
        self.filled.add((number, incarnation, sequence))
        self.arrived[ticket] = sequence
        header = Header(number, incarnation, sequence, ticket.version, 8, 0.01, 512, [1.0], [4])
        return [Arrived(ticket, header)]

    def fetch(self, ticket: Ticket) -> Payload:
        sequence = self.arrived[ticket]
        if ticket not in self.fetched:
            if self.random.random() < self.odds.lost_arrays:
                raise LostArraysError("scripted")
            self.fetched.append(ticket)
        block = np.zeros(512, np.uint8)
        stamps = layout().arrays(block)["actions"]
        stamps[:] = sequence * 8 + np.arange(8).reshape(LENGTH, ENVS)
        block.flags.writeable = False
        return Payload(block, np.zeros((0,), np.int64), np.zeros(0, np.int64))

    def drop(self, ticket: Ticket) -> None:
        del self.arrived[ticket]
        if ticket not in self.fetched:
            self.dropped.append(ticket)

    def close(self) -> None:
        self.closed = True
