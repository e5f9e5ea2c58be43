"""Transmits requests, weights and fragments with Ray."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from envpool_py.ray.fleet.messages import (
    Arrived,
    Died,
    Event,
    Failed,
    Info,
    Lost,
    LostArraysError,
    Payload,
    Started,
    Ticket,
)
from envpool_py.ray.fleet.seeds import SeedKey
from envpool_py.ray.fleet.uninterrupted import Uninterrupted
from envpool_py.ray.framework import ray
from envpool_py.ray.group import ActorGroup

__all__ = ["RayTransport", "reason_of"]

# Exceptions of the user's code. Ray cannot send some of them to this process.
_OF_USER = (
    ray.exceptions.RayTaskError,
    getattr(ray.exceptions, "UnserializableException", ray.exceptions.RayTaskError),
)
# Seconds between two attempts to find processors for an actor.
_RETRY_S = 1.0
# Up to this many references, `ray.wait` returns one at a time; of more, all that are ready.
_FEW = 32
# Number of fragments that are fetched from other machines at the same time.
_FETCHES = 4
# After this time, the learner's thread fetches the fragment itself.
_LONGEST_FETCH_S = 60.0


class RayTransport:
    """The `Transport` of `envpool_py.ray.fleet.messages` for the actors of a group."""

    def __init__(self, group: ActorGroup) -> None:
        """Attaches to the group; starts no actors.

        Raises:
            InputError: another stream uses the group.
            ClosedError: the group is closed.
        """
        group.attach()
        self._group = group
        self._here = ray.get_runtime_context().get_node_id()
        self._handles: dict[int, Any] = {}
        self._fills: dict[int, Any] = {}
        self._machines: dict[tuple[int, int], str] = {}
        self._starting: dict[Any, SeedKey] = {}
        self._without_place: deque[SeedKey] = deque()
        # The requests to each incarnation, oldest first: ticket, and references of header and
        # arrays.
        self._asked: dict[tuple[int, int], deque[tuple[Ticket, Any, Any]]] = {}
        self._arrived: dict[Ticket, Any] = {}
        self._events: list[Event] = []
        self._weights: list[Any] = []
        self._tried = 0.0
        self._fetcher = ThreadPoolExecutor(_FETCHES, "envpool-fetch")
        self._closed = False

    def start(self, seed_key: SeedKey) -> None:
        """Starts an incarnation of an actor as soon as there are processors for it."""
        before = self._handles.pop(seed_key.actor, None)
        if before is not None:
            self._group.end(before)
        begun = self._group.begin(seed_key)
        if begun is None:
            self._without_place.append(seed_key)
            return
        handle, info = begun
        self._handles[seed_key.actor] = handle
        self._fills[seed_key.actor] = handle.fill.options(num_returns=2)
        self._starting[info] = seed_key

    def request(self, ticket: Ticket) -> None:
        """Requests a fragment from an actor."""
        key = ticket.actor, ticket.incarnation
        # A reference. The actor fetches the weights only if it does not have them.
        header, payload = self._fills[ticket.actor].remote(ticket.version, self._weights)
        self._asked.setdefault(key, deque()).append((ticket, header, payload))

    def publish(self, version: int, weights: Any) -> None:
        """Puts weights into the object store; each machine fetches them once."""
        # In a list, because Ray fetches an argument that is itself a reference for every request.
        self._weights = [ray.put(to_arrays(weights))]

    # --- Events

    def wait(self, timeout: float | None) -> list[Event]:
        """Waits for events, and returns the list of those that the caller has not removed."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._events:
            self._try_places()
            self._collect(self._time_left(deadline))
            if deadline is not None and time.monotonic() >= deadline:
                break
        return self._events

    def _time_left(self, deadline: float | None) -> float | None:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        if not self._without_place:
            return left
        return _RETRY_S if left is None else min(left, _RETRY_S)

    def _try_places(self) -> None:
        if not self._without_place or time.monotonic() - self._tried < _RETRY_S:
            return
        self._tried = time.monotonic()
        for _ in range(len(self._without_place)):
            with Uninterrupted():
                self.start(self._without_place.popleft())

    def _collect(self, timeout: float | None) -> None:
        heads = {queue[0][1]: key for key, queue in self._asked.items()}
        waiting = [*self._starting, *heads]
        if not waiting:
            time.sleep(_RETRY_S if timeout is None else timeout)
            return
        ready: list[Any] = []
        if len(waiting) > _FEW:
            ready, _ = ray.wait(waiting, num_returns=len(waiting), timeout=0)
        if not ready:
            # `ray.wait` returns the first ready reference in the order of `waiting`, in which the
            # actors that were served longest ago come first.
            ready, _ = ray.wait(waiting, num_returns=1, timeout=timeout)
        for ref in ready:
            if ref in self._starting:
                self._note_start(ref)
            else:
                self._note_end(heads[ref])

    def _note_start(self, ref: Any) -> None:
        seed_key = self._starting[ref]
        at = seed_key.actor, seed_key.incarnation
        try:
            info: Info = ray.get(ref)
        except _OF_USER as error:
            event: Event = Died(*at, str(error), _cause_of(error))
        except ray.exceptions.RayError as error:
            event = Died(*at, reason_of(error))
        else:
            event = Started(*at, info)
        with Uninterrupted():
            del self._starting[ref]
            if isinstance(event, Started):
                self._machines[at] = event.info.machine
            self._events.append(event)

    def _note_end(self, key: tuple[int, int]) -> None:
        """Notes the event that ends an incarnation's oldest request; of all, if it died."""
        ticket, header, payload = self._asked[key][0]
        is_here = self._machines.get(key) == self._here
        try:
            if is_here:
                arrived, payload = ray.get([header, payload])
            else:
                arrived = ray.get(header)
        except _OF_USER as error:
            event: Event = Failed(ticket, _cause_of(error))
        except (ray.exceptions.ObjectStoreFullError, ray.exceptions.OutOfDiskError) as error:
            event = Lost(ticket, reason_of(error))
        except ray.exceptions.RayError as error:
            self._note_death(key, reason_of(error))
            return
        else:
            event = Arrived(ticket, arrived)
        with Uninterrupted():
            self._answered(key)
            if isinstance(event, Arrived):
                self._arrived[ticket] = payload
                if not is_here:
                    # Ray moves the arrays to this machine while a thread waits for them.
                    self._fetcher.submit(_move_here, payload)
            self._events.append(event)

    def _note_death(self, key: tuple[int, int], reason: str) -> None:
        # An unreachable actor counts as dead, because it must not run beside its replacement.
        with Uninterrupted():
            self._events += [Lost(ticket, reason) for ticket, *_ in self._asked.pop(key)]
            self._events.append(Died(*key, reason))
            self._machines.pop(key, None)

    def _answered(self, key: tuple[int, int]) -> None:
        """Removes an incarnation's oldest request, and moves the incarnation to the end."""
        queue = self._asked.pop(key)
        queue.popleft()
        if queue:
            self._asked[key] = queue

    # --- Arrays

    def fetch(self, ticket: Ticket) -> Payload:
        """Returns the arrays as views of the object store, or of a copy if they are small."""
        arrived = self._arrived[ticket]
        try:
            arrays: Payload = arrived if isinstance(arrived, Payload) else ray.get(arrived)
        except ray.exceptions.RayError as error:
            raise LostArraysError(reason_of(error)) from error
        return arrays

    def drop(self, ticket: Ticket) -> None:
        """Releases the arrays."""
        del self._arrived[ticket]

    def close(self) -> None:
        """Ends the actors' processes."""
        if self._closed:
            return
        for handle in self._handles.values():
            self._group.end(handle)
        self._fetcher.shutdown(wait=False, cancel_futures=True)
        self._fills.clear()
        self._asked.clear()
        self._arrived.clear()
        self._starting.clear()
        self._without_place.clear()
        self._weights = []
        with Uninterrupted():
            self._closed = True
            self._handles.clear()
            self._group.detach()


def to_arrays(weights: Any) -> Any:
    """Returns a tree of weights with NumPy arrays in place of tensors.

    Ray shares NumPy arrays between the processes of a machine, and copies other objects for each
    process.
    """
    if isinstance(weights, Mapping):
        return {name: to_arrays(part) for name, part in weights.items()}
    if isinstance(weights, (list, tuple)):
        parts = [to_arrays(part) for part in weights]
        return type(weights)(parts) if type(weights) in (list, tuple) else tuple(parts)
    if hasattr(weights, "detach"):
        return weights.detach().cpu().numpy()
    return np.asarray(weights) if hasattr(weights, "__array__") else weights


def _move_here(payload: Any) -> None:
    ray.wait([payload], timeout=_LONGEST_FETCH_S, fetch_local=True)


def _cause_of(error: Any) -> BaseException:
    """Returns the exception of the user's code, with the actor's traceback as its cause."""
    cause = getattr(error, "cause", None)
    if not isinstance(cause, BaseException):
        return error if isinstance(error, BaseException) else RuntimeError(str(error))
    cause.__cause__ = RuntimeError(f"in the actor:\n{error}")
    return cause


def reason_of(error: BaseException) -> str:
    """Returns one line: the first one, or the last one of a traceback of the actor."""
    lines = str(error).strip().splitlines() or [""]
    text = lines[-1].strip() if any(line.startswith("  File ") for line in lines) else lines[0]
    return f"{type(error).__name__}: {text}"
