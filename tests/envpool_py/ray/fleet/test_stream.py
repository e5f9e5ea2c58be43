"""A stream returns each fragment once, whatever fails, and its counts add up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import (
    ActorLostError,
    ClosedError,
    EnvironmentFailedError,
    FragmentTimeoutError,
    InputError,
    InputTypeError,
    InternalError,
)
from envpool_py.ray.fleet import stream as stream_module
from envpool_py.ray.fleet.messages import Arrived
from envpool_py.ray.fleet.stream import FragmentStream

from ...waiting import InterruptedAt
from . import fake_transport as fake


def make(transport: Any, actors: int = 3, **arguments: Any) -> FragmentStream:
    return FragmentStream(transport, actors, **arguments)


def check_sums(stream: FragmentStream) -> None:
    counts = stream.counts
    assert counts.requested == counts.ended + stream.outstanding
    assert counts.steps == 8 * counts.delivered
    assert sum(counts.staleness.values()) == counts.delivered


MISFORTUNES = [
    fake.Odds(),
    fake.Odds(death=0.05),
    fake.Odds(death=0.1, start_death=0.2),
    fake.Odds(lost_arrays=0.1, store_full=0.1),
    fake.Odds(death=0.05, start_death=0.1, lost_arrays=0.05, store_full=0.05, failure=0.05),
]


@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize("odds", MISFORTUNES, ids=range(len(MISFORTUNES)))
@pytest.mark.parametrize("seed", range(8))
def test_every_fragment_is_given_once_and_whole(seed: int, odds: Any, synchronous: bool) -> None:
    transport = fake.FakeTransport(seed, odds)
    transport.error = lambda: EnvironmentFailedError("scripted", [0], ["scripted"], None)
    given = set()
    limit = None if synchronous else 3
    stream = make(transport, max_staleness=limit, synchronous=synchronous, max_failures=1000)
    with stream:
        for number in range(300):
            fragment = stream.take()
            at = fragment.header
            identity = at.actor, at.incarnation, at.sequence
            assert identity not in given
            given.add(identity)
            assert np.array_equal(fragment.actions.ravel(), at.sequence * 8 + np.arange(8))
            if limit is not None:
                assert fragment.staleness <= limit
            if number % 2:
                stream.publish(number)
            check_sums(stream)
        counts = stream.counts
        assert counts.delivered == 300
        assert given <= transport.filled
        assert len(set(transport.seed_keys)) == len(transport.seed_keys)
        assert counts.restarts == len(transport.seed_keys) - 3
        assert (counts.restarts > 0) == (odds.death > 0)
        if odds.store_full or odds.death:
            assert counts.lost > 0
        if odds.failure:
            assert counts.failed > 0
    assert transport.closed
    assert stream.counts.requested == stream.counts.ended


@pytest.mark.parametrize(("saved", "least", "expected"), [(None, 0, 0), (None, 2, 2), (4, 2, 5)])
def test_streams_of_the_same_actors_have_other_seeds(
    saved: int | None, least: int, expected: int
) -> None:
    transport = fake.FakeTransport(0)
    state = None
    if saved is not None:
        with make(fake.FakeTransport(0)) as before:
            state = {**before.state_dict(), "resumes": saved}
    with make(transport, state=state, least_resumes=least):
        assert {key.resumes for key in transport.seed_keys} == {expected}


@pytest.mark.parametrize("in_flight", [1, 2, 5])
def test_a_slow_learner_makes_the_actors_wait(in_flight: int) -> None:
    transport = fake.FakeTransport(0)
    with make(transport, in_flight=in_flight) as stream:
        for _ in range(60):
            stream.take()
            # The fragment in use no longer counts as in flight.
            assert all(most <= in_flight for most in transport.most_outstanding.values())
            assert all(row.queue <= in_flight for row in stream.snapshot().actors)
        assert max(transport.most_outstanding.values()) == in_flight


def test_more_fragments_at_once_than_may_be_in_flight() -> None:
    transport = fake.FakeTransport(0)
    with make(transport, in_flight=1) as stream:
        batches = stream.batches(7)
        for _ in range(5):
            assert len(next(batches)) == 7
        check_sums(stream)


def test_an_error_keeps_the_fragments_of_a_list() -> None:
    transport = fake.FakeTransport(0)
    with make(transport) as stream:
        next(stream.batches(6))
        transport.odds = fake.Odds(failure=0.3)
        held, errors = 6, 0
        for number in range(40):
            try:
                held += len(next(stream.batches(6))) if number % 3 else bool(stream.take())
            except ValueError:
                errors += 1
        assert errors > 5
        transport.odds = fake.Odds()
        held += len(next(stream.batches(6)))
        assert stream.counts.delivered == held
        check_sums(stream)


@pytest.mark.parametrize("synchronous", [False, True])
@pytest.mark.parametrize("odds", [MISFORTUNES[0], MISFORTUNES[4]], ids=["well", "ill"])
def test_ctrl_c_changes_nothing(odds: Any, synchronous: bool) -> None:
    """Wherever it interrupts the stream, the next call continues from there."""
    transport = fake.FakeTransport(0, odds)
    transport.error = lambda: EnvironmentFailedError("scripted", [0], ["scripted"], None)
    here = str(Path(stream_module.__file__).parent)
    given: list[Any] = []
    happened = 0
    with make(transport, synchronous=synchronous, max_failures=1000) as stream:
        for number in range(250):
            with InterruptedAt(number // 2, here) as interrupted:
                given += [stream.take()] if number % 2 else next(stream.batches(2))
            happened += interrupted.happened
            check_sums(stream)
        assert happened > 100
        given += stream._delivered
        assert len({id(each) for each in given}) == len(given) == stream.counts.delivered
        assert len(stream.snapshot().actors) == 3
        assert len(stream._requests.layouts) <= 3 + stream.outstanding


@pytest.mark.parametrize("synchronous", [False, True])
def test_ctrl_c_while_arrays_are_fetched(synchronous: bool) -> None:
    """The fragment is the next one that the stream returns."""
    transport = fake.FakeTransport(0)
    fetch = transport.fetch
    countdown = iter(range(1_000))

    def interrupted(ticket: Any) -> Any:
        if next(countdown) % 3 == 1:
            raise KeyboardInterrupt
        return fetch(ticket)

    transport.fetch = interrupted  # type: ignore[method-assign]
    given = []
    with make(transport, in_flight=1, synchronous=synchronous) as stream:
        while len(given) < 30:
            try:
                at = stream.take().header
                given.append((at.actor, at.sequence))
            except KeyboardInterrupt:
                pass
            check_sums(stream)
        assert len(set(given)) == 30
        assert stream.outstanding <= 3


def test_weights_that_cannot_be_published_leave_the_version() -> None:
    transport = fake.FakeTransport(0)
    with make(transport) as stream:
        publish = transport.publish
        transport.publish = lambda *_: 1 / 0  # type: ignore[assignment,method-assign,return-value]
        with pytest.raises(ZeroDivisionError):
            stream.publish(None)
        transport.publish = publish  # type: ignore[method-assign]
        assert stream.version == 1
        assert stream.publish(None) == 2
        stream.take()


def test_old_fragments_are_dropped_and_counted() -> None:
    transport = fake.FakeTransport(1)
    with make(transport, in_flight=3, max_staleness=0) as stream:
        for number in range(50):
            assert stream.take().staleness == 0
            stream.publish(number)
        counts = stream.counts
    assert counts.stale > 0
    assert counts.stale == len(transport.dropped)
    assert counts.steps_stale == 8 * counts.stale
    assert counts.staleness == {0: 50}


def test_staleness_is_what_the_weights_lag() -> None:
    transport = fake.FakeTransport(1)
    with make(transport, actors=1, in_flight=1) as stream:
        assert stream.take().staleness == 0
        for _ in range(3):
            stream.publish(None)
        # The request was made after the weights were published.
        assert stream.take().staleness == 0
    transport = fake.FakeTransport(1)
    with make(transport, actors=1, in_flight=2) as stream:
        stream.take()
        for _ in range(3):
            stream.publish(None)
        assert stream.take().staleness == 3


def test_a_round_has_one_fragment_of_each_actor_and_one_version() -> None:
    transport = fake.FakeTransport(3, fake.Odds(death=0.05, lost_arrays=0.1))
    with make(transport, actors=4, synchronous=True, max_failures=100) as stream:
        for number, fragments in enumerate(stream.batches(4)):
            assert [each.header.actor for each in fragments] == [0, 1, 2, 3]
            assert {each.header.version for each in fragments} == {number + 1}
            assert {each.staleness for each in fragments} == {0}
            stream.publish(number)
            if number == 60:
                break
        assert stream.counts.restarts > 0
        assert stream.counts.lost > 0


def test_weights_are_published_by_version() -> None:
    transport = fake.FakeTransport()
    with make(transport, weights="first") as stream:
        assert transport.published == [(1, "first")]
        assert stream.publish("second") == 2
    assert transport.published[1:] == [(2, "second")]


def test_an_actor_that_always_dies_is_given_up() -> None:
    transport = fake.FakeTransport(0, fake.Odds(start_death=1.0))
    with make(transport, actors=1, max_failures=3) as stream:
        with pytest.raises(ActorLostError, match=r"actor 0 died or failed 4 times.*scripted"):
            stream.take()
        assert len(transport.seed_keys) == 4
        with pytest.raises(ActorLostError, match="no actor is left"):
            stream.take()


def test_errors_of_the_users_code_reach_the_learner() -> None:
    transport = fake.FakeTransport(0)
    transport.start_error = ValueError("no such task")
    with make(transport, actors=1) as stream, pytest.raises(ValueError, match="no such task"):
        stream.take()
    assert len(transport.seed_keys) == 1
    transport = fake.FakeTransport(0, fake.Odds(failure=1.0))
    with make(transport, actors=1) as stream:
        with pytest.raises(ValueError, match="of the policy"):
            stream.take()
        transport.odds.failure = 0.0
        assert stream.take().header.sequence == 0
        assert stream.counts.failed >= 1
        check_sums(stream)


def test_an_environment_that_always_fails_is_an_error() -> None:
    transport = fake.FakeTransport(0, fake.Odds(failure=1.0))
    transport.error = lambda: EnvironmentFailedError("scripted", [0], ["scripted"], None)
    with make(transport, actors=1, max_failures=4) as stream:
        with pytest.raises(EnvironmentFailedError, match="scripted"):
            stream.take()
        assert stream.counts.failed >= 5


def test_a_timeout_changes_nothing() -> None:
    transport = fake.FakeTransport(0)
    with make(transport) as stream:
        transport.silent = True
        with pytest.raises(FragmentTimeoutError, match="0 of 3 actors run"):
            stream.take(timeout=0.0)
        transport.silent = False
        assert stream.take(timeout=1.0).header.sequence == 0


def test_a_fragment_that_comes_twice_is_an_internal_error() -> None:
    transport = fake.FakeTransport(0)
    with make(transport, actors=1) as stream:
        fragment = stream.take()
        ticket = transport.fetched[0]
        transport.wait = lambda _: [Arrived(ticket, fragment.header)]  # type: ignore[method-assign]
        with pytest.raises(InternalError, match="twice"):
            list(stream)


def test_a_learner_goes_on_with_other_seeds() -> None:
    first = fake.FakeTransport(0)
    with make(first, seed=5) as stream:
        for number in range(10):
            stream.take()
            stream.publish(number)
        state = stream.state_dict()
    second = fake.FakeTransport(1)
    with make(second, seed=5, state=state) as stream:
        assert stream.version == 12
        assert stream.counts.delivered == 10
        stream.take()
        check_sums(stream)
        assert stream.counts.delivered == 11
    assert not set(first.seed_keys) & set(second.seed_keys)


def test_a_closed_stream_says_so() -> None:
    stream = make(fake.FakeTransport())
    fragment = stream.take()
    stream.close()
    stream.close()
    assert fragment.actions.shape == (4, 2)
    for call in (stream.take, lambda: stream.publish(None), lambda: next(stream.batches(1))):
        with pytest.raises(ClosedError):
            call()


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"in_flight": 0}, InputError, "in_flight: expected at least 1, got 0"),
        ({"in_flight": 1.5}, InputTypeError, "in_flight: expected an integer, got 1.5"),
        ({"max_staleness": -1}, InputError, "max_staleness: expected at least 0, got -1"),
        ({"max_staleness": 1, "synchronous": True}, InputError, "max_staleness: expected None"),
        ({"framework": "jax"}, InputError, 'framework: expected "numpy" or "torch"'),
        ({"actors": 0}, InputError, "num_actors: expected at least 1"),
        ({"seed": True}, InputTypeError, "seed: expected an integer"),
        ({"max_failures": -1}, InputError, "max_failures: expected at least 0"),
    ],
)
def test_arguments_are_checked(arguments: Any, kind: type[Exception], message: str) -> None:
    transport = fake.FakeTransport()
    with pytest.raises(kind, match=message):
        make(transport, **arguments)
    assert not transport.seed_keys
