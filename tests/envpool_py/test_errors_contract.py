"""Bad input raises a typed error (field, expected value, actual value) and changes no state.

Every case makes the bad call on one pool and not on its twin; then both must continue equally.
test_failures.py and test_async.py test environments that fail or hang.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    ClosedError,
    EnvIdError,
    EnvPoolError,
    InputError,
    InputTypeError,
    NothingInFlightError,
    OptionError,
    OptionTypeError,
    RecvTimeoutError,
    ResetNeededError,
)

NUM_ENVS = 4
GOOD = np.array([0, 1, 1, 0])


class Twins:
    """Two pools with the same history; `pool` gets the bad calls, `twin` does not."""

    def __init__(self, task_id: str, **arguments: Any) -> None:
        arguments = {"num_envs": NUM_ENVS, "num_threads": 2, "seed": 11, **arguments}
        self.pool: Any = envpool_py.make(task_id, **arguments)
        self.twin: Any = envpool_py.make(task_id, **arguments)

    def both(self, call: Callable[[Any], Any]) -> tuple[Any, Any]:
        return call(self.pool), call(self.twin)

    def close(self) -> None:
        self.both(lambda pool: pool.close())


@pytest.fixture
def twins() -> Iterator[Callable[..., Twins]]:
    made: list[Twins] = []

    def make(task_id: str = "CartPole-v1", **arguments: Any) -> Twins:
        made.append(Twins(task_id, **arguments))
        return made[-1]

    yield make
    for each in made:
        each.close()


def started(pair: Twins, steps: int = 5) -> Twins:
    pair.both(lambda pool: pool.reset())
    space = pair.twin.action_space
    space.seed(1)
    for _ in range(steps):
        actions = space.sample()
        pair.pool.step(actions)
        pair.twin.step(actions)
    return pair


def refused(
    call: Callable[[], Any], error: type[Exception], parts: list[str], *, exact: bool = True
) -> EnvPoolError:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, EnvPoolError)
    if exact:
        assert type(caught.value) is error
    for part in parts:
        assert part in str(caught.value), f"{part!r} not in {str(caught.value)!r}"
    return caught.value


# Arguments that `step` and `send` both refuse, the error, and words of its message.
BAD_STEPS = [
    pytest.param((GOOD[:3],), InputError, ["action", "4", "3"], id="too few rows"),
    pytest.param((np.zeros(5, np.int64),), InputError, ["action", "4", "5"], id="too many rows"),
    pytest.param((np.zeros((4, 1), np.int64),), InputError, ["action", "(4, 1)"], id="extra axis"),
    pytest.param((np.int64(0),), InputTypeError, ["action", "()"], id="scalar"),
    pytest.param((np.zeros(0, np.int64),), InputError, ["action", "4", "0"], id="no rows"),
    pytest.param(([[0], [1, 1], [0]],), InputTypeError, ["action"], id="ragged"),
    pytest.param((GOOD * 1.0,), InputTypeError, ["action", "int64", "float64"], id="float"),
    pytest.param((GOOD * 1j,), InputTypeError, ["action", "number", "complex128"], id="complex"),
    pytest.param((["0", "1", "1", "0"],), InputTypeError, ["action", "number", "U1"], id="text"),
    pytest.param((None,), InputTypeError, ["action", "number", "object"], id="none"),
    pytest.param(({"a": 1},), InputTypeError, ["action", "number", "object"], id="dict"),
    pytest.param(([0, 1, 2, 0],), InputError, ["action", "[0, 1]", "2"], id="above range"),
    pytest.param(([0, 1, 0, -1],), InputError, ["action", "[0, 1]", "-1"], id="below range"),
    pytest.param(
        (np.array([0, 0, 0, 2**64 - 1], np.uint64),), InputError, ["action", "[0, 1]"], id="huge"
    ),
    pytest.param((GOOD[:2], [0, 4]), EnvIdError, ["env_id", "[0, 3]", "4"], id="id above range"),
    pytest.param((GOOD[:2], [-1, 0]), EnvIdError, ["env_id", "[0, 3]", "-1"], id="id negative"),
    pytest.param(
        (GOOD[:2], [0, 2**40]), EnvIdError, ["env_id", "[0, 3]", str(2**40)], id="id beyond int32"
    ),
    pytest.param((GOOD[:3], [2, 0, 2]), EnvIdError, ["env_id", "2"], id="id twice"),
    pytest.param((GOOD[:2], [0.0, 1.0]), InputTypeError, ["env_id", "float64"], id="id float"),
    pytest.param((GOOD[:2], [True, False]), InputTypeError, ["env_id", "bool"], id="id bool"),
    pytest.param((GOOD[:2], ["a", "b"]), InputTypeError, ["env_id"], id="id text"),
    pytest.param((GOOD[:0], GOOD[:0]), InputError, ["env_id", "(0,)"], id="no ids"),
    pytest.param((GOOD[:1], 2), InputError, ["env_id", "()"], id="id scalar"),
    pytest.param((GOOD[:2], [[0, 1]]), InputError, ["env_id", "(1, 2)"], id="id two axes"),
    pytest.param((GOOD[:2], [0, 1, 2]), InputError, ["action", "3", "2"], id="ids and rows differ"),
]


@pytest.mark.parametrize(("arguments", "error", "parts"), BAD_STEPS)
@pytest.mark.parametrize("method", ["step", "send"])
def test_bad_step(
    method: str,
    arguments: tuple[Any, ...],
    error: type[Exception],
    parts: list[str],
    twins: Callable[..., Twins],
    assert_same_future: Callable[..., None],
) -> None:
    pair = started(twins())
    refused(lambda: getattr(pair.pool, method)(*arguments), error, parts)
    # A refused send puts nothing in flight.
    refused(pair.pool.recv, NothingInFlightError, [])
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.parametrize(
    ("actions", "error", "parts"),
    [
        (np.zeros(4, np.float32), InputError, ["action", "(4, 1)", "(4,)"]),
        (np.zeros((4, 2), np.float32), InputError, ["action", "(4, 1)", "(4, 2)"]),
        (np.full((4, 1), np.nan, np.float32), InputError, ["action", "nan"]),
        (np.array([["a"]] * 4), InputTypeError, ["action", "number", "U1"]),
        (np.zeros((4, 1), np.complex64), InputTypeError, ["action", "number", "complex64"]),
    ],
    ids=["no action axis", "wide", "nan", "text", "complex"],
)
def test_bad_box_action(
    actions: Any,
    error: type[Exception],
    parts: list[str],
    twins: Callable[..., Twins],
    assert_same_future: Callable[..., None],
) -> None:
    pair = started(twins("Pendulum-v1"))
    refused(lambda: pair.pool.step(actions), error, parts)
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        ({"seed": -1}, InputError, ["seed", "-1"]),
        ({"seed": 2**64}, InputError, ["seed", str(2**64)]),
        ({"seed": 2**64 - 3}, InputError, ["seed", "num_envs", str(2**64 - 3)]),
        ({"seed": True}, InputTypeError, ["seed", "bool"]),
        ({"seed": np.True_}, InputTypeError, ["seed", "bool"]),
        ({"seed": 1.0}, InputTypeError, ["seed", "float"]),
        ({"seed": "1"}, InputTypeError, ["seed", "str"]),
        ({"seed": [1, 2, 3]}, InputError, ["seed", "4", "3"]),
        ({"seed": [1, 2, 3, -4]}, InputError, ["seed", "-4"]),
        ({"seed": [1, 2, 3, 2**64]}, InputError, ["seed", str(2**64)]),
        ({"seed": [1, 2, 3, True]}, InputTypeError, ["seed", "bool"]),
        ({"seed": [1, 2, 3, 0.5]}, InputTypeError, ["seed", "float"]),
        ({"env_id": [0, 1], "seed": [1, 2, 3]}, InputError, ["seed", "2", "3"]),
        ({"env_id": [0, 4]}, EnvIdError, ["env_id", "[0, 3]", "4"]),
        ({"env_id": [-1]}, EnvIdError, ["env_id", "[0, 3]", "-1"]),
        ({"env_id": 2}, InputError, ["env_id", "(n,)", "()"]),
        ({"env_id": 2, "seed": [3]}, InputError, ["env_id", "(n,)", "()"]),
        ({"env_id": [[0, 1]]}, InputError, ["env_id", "(n,)", "(1, 2)"]),
        ({"env_id": {0, 1}}, InputTypeError, ["env_id"]),
        ({"env_id": np.zeros(0, int)}, InputError, ["env_id", "(0,)"]),
        ({"env_id": [1, 1]}, EnvIdError, ["env_id", "1"]),
        ({"env_id": [0.5]}, InputTypeError, ["env_id", "float64"]),
        ({"env_id": "all"}, InputTypeError, ["env_id"]),
        ({"options": [("low", 0.0)]}, InputTypeError, ["options", "mapping", "list"]),
        ({"options": {"lo": 0.0}}, OptionError, ["reset option", "lo", "low"]),
        ({"options": {"low": 0.5, "high": 0.1}}, OptionError, ["low", "high"]),
        ({"options": {"low": float("nan")}}, OptionError, ["low", "nan"]),
        ({"options": {"low": "0"}}, OptionTypeError, ["low", "float", "str"]),
        ({"options": {"low": True}}, OptionTypeError, ["low", "float", "bool"]),
        ({"options": {1: 0.0}}, OptionTypeError, ["option", "str", "int 1"]),
        ({"options": {"reset_mask": [True] * 4}}, InputTypeError, ["reset_mask", "list"]),
        ({"options": {"reset_mask": None}}, InputTypeError, ["reset_mask", "None"]),
        ({"options": {"reset_mask": np.ones(3, bool)}}, InputError, ["reset_mask", "(4,)", "(3,)"]),
        (
            {"options": {"reset_mask": np.ones((4, 1), bool)}},
            InputError,
            ["reset_mask", "(4,)", "(4, 1)"],
        ),
        ({"options": {"reset_mask": np.ones(4, int)}}, InputTypeError, ["reset_mask", "bool"]),
        ({"options": {"reset_mask": np.zeros(4, bool)}}, InputError, ["reset_mask", "True"]),
        (
            {"env_id": [0], "options": {"reset_mask": np.ones(4, bool)}},
            InputError,
            ["reset_mask", "env_id"],
        ),
    ],
    ids=str,
)
def test_bad_reset(
    arguments: dict[str, Any],
    error: type[Exception],
    parts: list[str],
    twins: Callable[..., Twins],
    assert_same_future: Callable[..., None],
) -> None:
    pair = started(twins())
    refused(lambda: pair.pool.reset(**arguments), error, parts)
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        ((2,), InputError, ["env_id", "(n,)", "()"]),
        (([0, 4],), EnvIdError, ["env_id", "[0, 3]", "4"]),
        (([3, 3],), EnvIdError, ["env_id", "3"]),
        (([0.5],), InputTypeError, ["env_id", "float64"]),
        ((None, -1), InputError, ["seed", "-1"]),
        ((None, "1"), InputTypeError, ["seed", "str"]),
        (([0, 1], [1]), InputError, ["seed", "2", "1"]),
    ],
    ids=str,
)
def test_bad_async_reset(
    arguments: tuple[Any, ...],
    error: type[Exception],
    parts: list[str],
    twins: Callable[..., Twins],
    assert_same_future: Callable[..., None],
) -> None:
    pair = started(twins())
    refused(lambda: pair.pool.async_reset(*arguments), error, parts)
    refused(pair.pool.recv, NothingInFlightError, [])
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda pool: pool.step(GOOD), ["env_id", "in flight"]),
        (lambda pool: pool.step(GOOD[:1], [2]), ["env_id", "2", "in flight"]),
        (lambda pool: pool.send(GOOD[:2], [1, 3]), ["env_id", "3", "in flight"]),
        (lambda pool: pool.reset(), ["env_id", "in flight"]),
        (lambda pool: pool.reset([3]), ["env_id", "3", "in flight"]),
        (
            lambda pool: pool.reset(options={"reset_mask": np.array([False, False, True, False])}),
            ["2", "in flight"],
        ),
        (lambda pool: pool.async_reset(), ["env_id", "in flight"]),
        (lambda pool: pool.async_reset([2]), ["env_id", "2", "in flight"]),
    ],
    ids=[
        "step",
        "step one",
        "send some",
        "reset",
        "reset one",
        "reset mask",
        "async_reset",
        "async_reset one",
    ],
)
@pytest.mark.parametrize("batch_size", [2, 4], ids=["first ready", "ordered"])
def test_environment_in_flight(
    batch_size: int,
    call: Callable[[Any], Any],
    parts: list[str],
    twins: Callable[..., Twins],
    assert_equal: Callable[..., None],
) -> None:
    pair = twins(batch_size=batch_size)
    pair.both(lambda pool: pool.reset())
    pair.both(lambda pool: pool.send(GOOD[2:], [2, 3]))
    # Environments whose results wait for `recv` count as in flight, so they cannot step yet.
    refused(lambda: call(pair.pool), EnvIdError, parts)
    pair.both(lambda pool: pool.send(GOOD[:2], [0, 1]))
    rows: list[dict[int, Any]] = [{}, {}]
    for by_env, pool in zip(rows, (pair.pool, pair.twin), strict=True):
        for _ in range(NUM_ENVS // batch_size):
            obs, *_, infos = pool.recv()
            by_env.update(zip(infos["env_id"].tolist(), obs, strict=True))
    assert rows[0].keys() == rows[1].keys() == set(range(NUM_ENVS))
    for env_id in rows[0]:
        np.testing.assert_array_equal(rows[0][env_id], rows[1][env_id])


def test_recv_with_nothing_in_flight(
    twins: Callable[..., Twins], assert_same_future: Callable[..., None]
) -> None:
    pair = twins()
    refused(pair.pool.recv, NothingInFlightError, ["recv"])
    refused(lambda: pair.pool.recv(0.0), NothingInFlightError, ["recv"])
    started(pair)
    refused(pair.pool.recv, NothingInFlightError, ["recv"])
    assert_same_future(pair.pool, pair.twin)


def test_recv_with_less_than_a_batch_in_flight(
    twins: Callable[..., Twins],
    assert_equal: Callable[..., None],
    assert_same_future: Callable[..., None],
) -> None:
    pair = started(twins())
    pair.pool.send(GOOD[:2], [0, 1])
    refused(pair.pool.recv, NothingInFlightError, ["4", "2"])
    pair.pool.send(GOOD[2:], [2, 3])
    pair.twin.send(GOOD)
    assert_equal(*pair.both(lambda pool: pool.recv()))
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.parametrize(
    ("timeout", "error", "parts"),
    [
        (-1.0, InputError, ["timeout", "-1"]),
        (float("nan"), InputError, ["timeout", "nan"]),
        ("1", InputTypeError, ["timeout", "str"]),
        ([1.0], InputTypeError, ["timeout", "list"]),
    ],
)
def test_bad_timeout(
    timeout: Any,
    error: type[Exception],
    parts: list[str],
    twins: Callable[..., Twins],
    assert_equal: Callable[..., None],
    assert_same_future: Callable[..., None],
) -> None:
    pair = started(twins())
    pair.both(lambda pool: pool.send(GOOD))
    refused(lambda: pair.pool.recv(timeout), error, parts)
    assert_equal(*pair.both(lambda pool: pool.recv()))
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.parametrize("timeout", [0, 1, 60.0, np.float32(60), float("inf"), 1e300, None])
def test_good_timeout(timeout: Any, twins: Callable[..., Twins]) -> None:
    pair = started(twins())
    pair.pool.send(GOOD)
    if timeout in (0, 1):
        # The timeout may be too short; then a later `recv` returns the results.
        try:
            observations = pair.pool.recv(timeout)[0]
        except RecvTimeoutError:
            observations = pair.pool.recv()[0]
    else:
        observations = pair.pool.recv(timeout)[0]
    np.testing.assert_array_equal(observations, pair.twin.step(GOOD)[0])


def test_step_before_reset(
    twins: Callable[..., Twins],
    assert_equal: Callable[..., None],
    assert_same_future: Callable[..., None],
) -> None:
    pair = twins()
    refused(lambda: pair.pool.step(GOOD), ResetNeededError, ["reset"])
    refused(lambda: pair.pool.send(GOOD), ResetNeededError, ["reset"])
    assert_equal(*pair.both(lambda pool: pool.reset()))
    assert_same_future(pair.pool, pair.twin)


def test_step_of_some_before_their_reset(
    twins: Callable[..., Twins], assert_equal: Callable[..., None]
) -> None:
    pair = twins()
    pair.both(lambda pool: pool.reset([0, 2]))
    refused(lambda: pair.pool.step(GOOD), ResetNeededError, ["1"])
    refused(lambda: pair.pool.step(GOOD[:2], [2, 3]), ResetNeededError, ["3"])
    assert_equal(*pair.both(lambda pool: pool.step(GOOD[:2], [2, 0])))


def test_reset_mask_must_take_in_what_was_never_reset(
    twins: Callable[..., Twins], assert_equal: Callable[..., None]
) -> None:
    pair = twins()
    mask = np.array([True, True, False, True])
    refused(
        lambda: pair.pool.reset(options={"reset_mask": mask}), ResetNeededError, ["reset_mask", "2"]
    )
    assert_equal(*pair.both(lambda pool: pool.reset([2])))
    assert_equal(*pair.both(lambda pool: pool.reset(options={"reset_mask": mask})))
    assert_equal(*pair.both(lambda pool: pool.step(GOOD)))


def test_step_after_an_end_without_autoreset(
    twins: Callable[..., Twins],
    assert_equal: Callable[..., None],
    assert_same_future: Callable[..., None],
) -> None:
    pair = twins("Pendulum-v1", autoreset_mode="Disabled", max_episode_steps=3)
    actions = np.zeros((4, 1), np.float32)
    pair.both(lambda pool: pool.reset())
    pair.both(lambda pool: pool.step(actions))
    pair.both(lambda pool: pool.reset([0, 1, 2]))
    pair.both(lambda pool: pool.step(actions))
    results = pair.both(lambda pool: pool.step(actions))
    np.testing.assert_array_equal(results[0][3], [False, False, False, True])
    refused(lambda: pair.pool.step(actions), ResetNeededError, ["3", "reset"])
    refused(lambda: pair.pool.send(actions[:1], [3]), ResetNeededError, ["3", "reset"])
    assert_equal(*pair.both(lambda pool: pool.step(actions[:3], [0, 1, 2])))
    # Resets all several times: the twins' generators must still agree.
    for _ in range(4):
        assert_equal(*pair.both(lambda pool: pool.reset()))
        assert_equal(*pair.both(lambda pool: pool.step(actions)))


@pytest.mark.parametrize(
    "call",
    [
        lambda pool: pool.step(GOOD),
        lambda pool: pool.send(GOOD),
        lambda pool: pool.recv(),
        lambda pool: pool.recv(0.0),
        lambda pool: pool.reset(),
        lambda pool: pool.reset(options={"reset_mask": np.ones(4, bool)}),
        lambda pool: pool.async_reset(),
        lambda pool: pool.drain(),
    ],
    ids=["step", "send", "recv", "recv timeout", "reset", "reset mask", "async_reset", "drain"],
)
@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_closed(env_type: Any, call: Callable[[Any], Any]) -> None:
    pool: Any = envpool_py.make("CartPole-v1", env_type, num_envs=NUM_ENVS)
    pool.reset()
    pool.close()
    assert pool.closed
    refused(lambda: call(pool), ClosedError, ["closed"])
    pool.close()


def test_error_does_not_depend_on_earlier_errors(
    twins: Callable[..., Twins], assert_same_future: Callable[..., None]
) -> None:
    pair = started(twins())
    for _ in range(50):
        for param in BAD_STEPS:
            arguments, error, parts = cast("tuple[Any, Any, Any]", param.values)
            refused(functools.partial(pair.pool.step, *arguments), error, parts)
    assert_same_future(pair.pool, pair.twin)


@pytest.mark.skipif(sys.platform != "linux", reason="counts the references of an array")
def test_refused_arrays_are_not_kept() -> None:
    with envpool_py.make("CartPole-v1", num_envs=NUM_ENVS, seed=0) as pool:
        pool.reset()
        actions = np.full(NUM_ENVS, 7)
        before = sys.getrefcount(actions)
        for method in (pool.step, pool.send):
            with pytest.raises(InputError):
                method(actions)
        assert sys.getrefcount(actions) == before
