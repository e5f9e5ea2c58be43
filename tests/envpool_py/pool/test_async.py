"""First-ready mode: the results of `send` and `recv`, their order, and the calls refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import (
    EnvIdError,
    InputError,
    InputTypeError,
    NothingInFlightError,
    RecvTimeoutError,
    ResetNeededError,
)

Make = Callable[..., Any]

# Seconds until a blocked `recv` fails its test.
GUARD = 120.0
# Makes Gate-v0 so slow that a thread takes one environment at a time.
GATE_WORK = 100_000


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int64)


def counts(pool: Any) -> np.ndarray:
    """Returns the steps of every environment but the last; all environments are idle.

    A masked reset returns all observations. A mask must select something, here the last one.
    """
    obs, _ = pool.reset(options={"reset_mask": np.arange(pool.num_envs) == pool.num_envs - 1})
    return obs[:-1, 0]


def trajectories(pool: Any, seed: int, length: int, actions: np.ndarray) -> list[list[Any]]:
    """Returns, per environment, up to `length` results of a pool in first-ready mode.

    `actions[i, t]` is the t-th action of environment i.
    """
    rows: list[list[Any]] = [[] for _ in range(pool.num_envs)]
    pool.async_reset(seed=seed)
    in_flight = pool.num_envs
    while in_flight >= pool.batch_size:
        obs, reward, terminated, truncated, infos = pool.recv(GUARD)
        in_flight -= pool.batch_size
        ids = infos["env_id"]
        assert len(set(ids.tolist())) == pool.batch_size
        for k, i in enumerate(ids):
            elapsed = infos["elapsed_step"][k]
            rows[i].append((obs[k].tolist(), reward[k], terminated[k], truncated[k], elapsed))
        idle = [i for i in ids if len(rows[i]) < length]
        if idle:
            pool.send(np.array([actions[i, len(rows[i]) - 1] for i in idle]), np.array(idle))
            in_flight += len(idle)
    pool.drain()
    return rows


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("Counter", {"episode_length": 4}),
        ("Heavy", {"work": 3000, "episode_length": 5}),
    ],
)
def test_every_environment_goes_its_way_whatever_the_threads_and_batches(
    make: Make, name: str, options: dict[str, int], mode: str
) -> None:
    num_envs, length = 12, 30
    # In Heavy, steps differ in cost, so that results come in another order than sends.
    actions = np.random.default_rng(0).integers(2, size=(num_envs, length))
    arguments: dict[str, Any] = {"num_envs": num_envs, "autoreset_mode": mode, **options}
    ordered = make(name, num_threads=1, **arguments)
    obs, infos = ordered.reset(seed=5)
    expected = [[(obs[i].tolist(), 0.0, False, False, 0)] for i in range(num_envs)]
    for t in range(length - 1):
        obs, reward, terminated, truncated, infos = ordered.step(actions[:, t])
        for i in range(num_envs):
            elapsed = infos["elapsed_step"][i]
            expected[i].append((obs[i].tolist(), reward[i], terminated[i], truncated[i], elapsed))
    for batch_size, num_threads in [(1, 1), (5, 1), (5, 2), (5, 7), (11, 2), (1, 7)]:
        pool = make(name, num_threads=num_threads, batch_size=batch_size, **arguments)
        got = trajectories(pool, 5, length, actions)
        for i in range(num_envs):
            assert got[i] == expected[i][: len(got[i])]
        # At the end, less than a batch remains in flight.
        assert sum(len(rows) < length for rows in got) < batch_size


@pytest.mark.parametrize("num_threads", [1, 2, 7])
@pytest.mark.parametrize("batch_size", [1, 7, 49, 50])
def test_any_subset_can_be_sent_while_others_are_in_flight(
    make: Make, batch_size: int, num_threads: int
) -> None:
    num_envs = 50
    pool = make(
        "Counter",
        num_envs=num_envs,
        batch_size=batch_size,
        num_threads=num_threads,
        episode_length=0,
    )
    pool.reset(seed=0)
    rng = np.random.default_rng(batch_size)
    idle, in_flight = set(range(num_envs)), set[int]()
    steps = np.zeros(num_envs, np.int64)
    received = 0
    while received < 300:
        count = int(rng.integers(len(idle) + 1))
        subset = rng.permutation(sorted(idle))[:count]
        if count:
            pool.send(zeros(count), subset)
            idle -= set(subset.tolist())
            in_flight |= set(subset.tolist())
        while len(in_flight) >= batch_size and (rng.random() < 0.7 or not idle):
            obs, reward, _, _, infos = pool.recv(GUARD)
            ids = infos["env_id"]
            assert len(ids) == len(obs) == batch_size
            assert set(ids.tolist()) <= in_flight
            steps[ids] += 1
            np.testing.assert_array_equal(obs[:, 0], steps[ids])
            np.testing.assert_array_equal(reward, steps[ids])
            in_flight -= set(ids.tolist())
            idle |= set(ids.tolist())
            received += 1
    assert pool.stats()["steps"] <= steps.sum() + len(in_flight)
    pool.drain()
    assert pool.stats()["steps"] == steps.sum() + len(in_flight)
    steps[sorted(in_flight)] += 1
    np.testing.assert_array_equal(counts(pool), steps[:-1])


def test_fast_environments_are_not_held_back(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=4, batch_size=2, num_threads=4, work=GATE_WORK)
    pool.reset()
    pool.send([1, 1, 0, 0])
    assert testing.await_gate_waiting(2)
    *_, infos = pool.recv(GUARD)
    assert set(infos["env_id"]) == {2, 3}
    # The fast environments can continue while the slow ones still wait.
    for expected in (2, 3, 4):
        pool.send([0, 0], [3, 2])
        obs, *_, infos = pool.recv(GUARD)
        assert set(infos["env_id"]) == {2, 3}
        np.testing.assert_array_equal(obs[:, 0], [expected, expected])
    assert testing.gate_waiting() == 2
    testing.open_gate()
    obs, *_, infos = pool.recv(GUARD)
    assert set(infos["env_id"]) == {0, 1}
    np.testing.assert_array_equal(obs[:, 0], [1, 1])


def test_rows_come_in_the_order_in_which_environments_finish(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=5, batch_size=1, num_threads=5, work=GATE_WORK)
    pool.reset()
    pool.send([1, 2, 3, 4, 5])
    assert testing.await_gate_waiting(5)
    for left, gate in enumerate([4, 1, 5, 3, 2]):
        testing.open_gate(gate)
        *_, infos = pool.recv(GUARD)
        assert infos["env_id"].tolist() == [gate - 1]
        assert testing.await_gate_waiting(4 - left)


def test_recv_times_out_and_loses_nothing(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=3, batch_size=2, num_threads=2, work=GATE_WORK)
    pool.reset()
    pool.send([1, 1], [0, 2])
    assert testing.await_gate_waiting(2)
    for timeout in (0, 0.0, 0.001, 0.05, np.float32(0.01)):
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout)
        with pytest.raises(TimeoutError):
            pool.recv(timeout=timeout)
    with pytest.raises(EnvIdError):
        pool.send([0], [0])
    testing.open_gate()
    *_, infos = pool.recv(GUARD)
    assert set(infos["env_id"]) == {0, 2}


@pytest.mark.parametrize("timeout", [-1, -0.001, float("nan"), -float("inf")])
def test_timeout_must_not_be_negative(make: Make, timeout: float) -> None:
    pool = make("Counter", num_envs=2, batch_size=1)
    pool.async_reset()
    with pytest.raises(InputError, match="timeout"):
        pool.recv(timeout)
    pool.recv(GUARD)


def test_timeout_may_be_infinite_or_huge(make: Make) -> None:
    pool = make("Counter", num_envs=3, batch_size=1)
    pool.async_reset()
    for timeout in (float("inf"), 1e300, 10**30):
        pool.recv(timeout)


def test_timeout_must_be_a_number(make: Make) -> None:
    pool = make("Counter", num_envs=2, batch_size=1)
    pool.async_reset()
    with pytest.raises(InputTypeError, match="timeout"):
        pool.recv("1")
    pool.recv(None)


@pytest.mark.parametrize("batch_size", [2, 3])
def test_recv_that_could_never_complete(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=3, batch_size=batch_size)
    with pytest.raises(NothingInFlightError):
        pool.recv()
    pool.reset()
    with pytest.raises(NothingInFlightError):
        pool.recv()
    pool.send([0], [1])
    for _ in range(2):
        with pytest.raises(NothingInFlightError, match=f"batch_size = {batch_size}"):
            pool.recv(0)
    pool.send(zeros(batch_size - 1), [0, 2][: batch_size - 1])
    obs, *_ = pool.recv(GUARD)
    np.testing.assert_array_equal(obs[:, 0], [1] * batch_size)
    with pytest.raises(NothingInFlightError):
        pool.recv()


@pytest.mark.parametrize("batch_size", [2, 4])
def test_ids_in_flight_are_refused_everywhere(make: Make, testing: Any, batch_size: int) -> None:
    pool = make("Gate", num_envs=4, batch_size=batch_size, num_threads=2, work=GATE_WORK)
    pool.reset()
    pool.send([1], [3])
    assert testing.await_gate_waiting(1)
    calls = [
        lambda: pool.send([0, 0], [0, 3]),
        lambda: pool.send(zeros(4)),
        lambda: pool.step([0], [3]),
        lambda: pool.step(zeros(4)),
        lambda: pool.reset(),
        lambda: pool.reset(env_id=[3]),
        lambda: pool.reset(options={"reset_mask": np.array([False, False, False, True])}),
        lambda: pool.async_reset([3]),
        lambda: pool.async_reset(),
    ]
    for call in calls:
        with pytest.raises(EnvIdError, match=r"3.*in flight|in flight.*3"):
            call()
    testing.open_gate()
    # The first refused call did not send environment 0 either.
    pool.send([0, 0, 0], [0, 1, 2])
    if batch_size == 4:
        obs, *_, infos = pool.recv(GUARD)
        assert sorted(infos["env_id"]) == [0, 1, 2, 3]
        np.testing.assert_array_equal(obs[:, 0], [1, 1, 1, 1])
    else:
        for _ in range(2):
            np.testing.assert_array_equal(pool.recv(GUARD)[0][:, 0], [1, 1])


def test_a_received_environment_is_idle_before_the_rest_is_received(make: Make) -> None:
    pool = make("Counter", num_envs=4, batch_size=2)
    pool.reset()
    pool.send(zeros(4))
    *_, infos = pool.recv(GUARD)
    ids = infos["env_id"]
    pool.reset(env_id=ids)
    others = [i for i in range(4) if i not in ids]
    with pytest.raises(EnvIdError):
        pool.reset(env_id=others)
    *_, infos = pool.recv(GUARD)
    assert sorted(infos["env_id"]) == others


def test_resets_of_idle_environments_while_others_are_in_flight(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=4, batch_size=1, num_threads=3, work=GATE_WORK)
    pool.reset()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    for _ in range(3):
        pool.send([0], [2])
        pool.recv(GUARD)
        obs, infos = pool.reset(env_id=[2, 1])
        assert infos["env_id"].tolist() == [2, 1]
        np.testing.assert_array_equal(obs, [[0], [0]])
    testing.open_gate()
    obs, *_, infos = pool.recv(GUARD)
    assert infos["env_id"].tolist() == [0]


def test_step_is_send_and_recv(make: Make) -> None:
    pool = make("Counter", num_envs=5, batch_size=2, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    obs, *_, infos = pool.step(zeros(5))
    seen = infos["env_id"].tolist()
    np.testing.assert_array_equal(obs[:, 0], [1, 1])
    obs, *_, infos = pool.step(zeros(2), seen)
    seen = infos["env_id"].tolist()
    assert len(seen) == 2
    pool.drain()
    assert pool.stats()["steps"] == 7


def test_step_that_could_never_complete_sends_nothing(make: Make) -> None:
    pool = make("Counter", num_envs=5, batch_size=3, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    with pytest.raises(NothingInFlightError, match="batch_size = 3"):
        pool.step(zeros(2), [0, 1])
    pool.send(zeros(3), [0, 1, 2])
    assert sorted(pool.recv(GUARD)[4]["env_id"]) == [0, 1, 2]
    assert pool.stats()["steps"] == 3
    # Environments in flight count towards the batch.
    pool.send(zeros(2), [0, 1])
    assert sorted(pool.step(zeros(1), [4])[4]["env_id"]) == [0, 1, 4]


@pytest.mark.parametrize(
    ("env_id", "error"),
    [
        ([0, 0], EnvIdError),
        ([0, 4], EnvIdError),
        ([-1, 0], EnvIdError),
        ([0, 2**32], EnvIdError),
        ([0, 2**31], EnvIdError),
        ([0, -(2**63)], EnvIdError),
        (np.array([0, 2**64 - 1], np.uint64), EnvIdError),
        ([[0, 1]], InputError),
        (np.zeros(0, np.int64), InputError),
        ([0, 1, 2], InputError),
        (0, InputError),
        ([0.0, 1.0], InputTypeError),
        (np.array([True, False]), InputTypeError),
        (["0", "1"], InputTypeError),
        ([None, 1], InputTypeError),
        ("01", InputTypeError),
        ({0: 1}, InputTypeError),
    ],
    ids=str,
)
@pytest.mark.parametrize("batch_size", [2, 4])
def test_bad_ids_change_nothing(
    make: Make, env_id: Any, error: type[Exception], batch_size: int
) -> None:
    pool = make("Counter", num_envs=4, batch_size=batch_size, episode_length=0)
    pool.reset(seed=0)
    for call in (
        lambda: pool.send([0, 0], env_id),
        lambda: pool.step([0, 0], env_id),
    ):
        with pytest.raises(error) as caught:
            call()
        assert type(caught.value) is error
    if not (isinstance(env_id, list) and env_id == [0, 1, 2]):  # here only the actions are too few
        for call in (
            lambda: pool.async_reset(env_id),
            lambda: pool.reset(env_id=env_id),
        ):
            with pytest.raises(error) as caught:
                call()
            assert type(caught.value) is error
    stats = pool.stats()
    assert (stats["steps"], stats["resets"]) == (0, 4)
    np.testing.assert_array_equal(counts(pool), [0] * 3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_ids_of_any_integer_type(make: Make, dtype: str) -> None:
    pool = make("Counter", num_envs=4)
    pool.reset()
    *_, infos = pool.step(zeros(2), np.array([3, 1], dtype))
    assert infos["env_id"].tolist() == [3, 1]
    *_, infos = pool.step(zeros(2), np.array([0, 9, 2, 9], dtype)[::2])
    assert infos["env_id"].tolist() == [0, 2]


@pytest.mark.parametrize("batch_size", [2, 4])
def test_reset_is_needed_before_the_first_step(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=4, batch_size=batch_size)
    for call in (pool.send, pool.step):
        with pytest.raises(ResetNeededError):
            call(zeros(4))
    pool.reset(env_id=[0, 1])
    for _ in range(2):
        pool.send(zeros(2), [0, 1])
        pool.drain()
        with pytest.raises(ResetNeededError, match="environment 2"):
            pool.send(zeros(2), [0, 2])
    with pytest.raises(ResetNeededError, match="mask"):
        pool.reset(options={"reset_mask": np.array([True, True, False, True])})
    pool.reset(options={"reset_mask": np.array([False, True, True, True])})
    pool.send(zeros(4))
    pool.drain()
    np.testing.assert_array_equal(counts(pool), [3, 1, 1])


def test_async_reset_and_send_share_a_batch(make: Make) -> None:
    pool = make("Counter", num_envs=4, batch_size=3, episode_length=0)
    pool.reset(seed=0)
    pool.send(zeros(4))
    pool.drain()
    pool.async_reset([2], seed=[77])
    pool.send(zeros(2), [0, 3])
    obs, reward, terminated, truncated, infos = pool.recv(GUARD)
    order = np.argsort(infos["env_id"])
    assert infos["env_id"][order].tolist() == [0, 2, 3]
    np.testing.assert_array_equal(obs[order, 0], [2, 0, 2])
    np.testing.assert_array_equal(reward[order], [2, 0, 2])
    np.testing.assert_array_equal(infos["elapsed_step"][order], [2, 0, 2])
    drawn = np.random.default_rng(77).integers(0, 1_000_000, endpoint=True)
    assert obs[order, 1][1] == drawn
    assert not terminated.any()
    assert not truncated.any()


def test_drain_leaves_all_idle(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=6, batch_size=4, num_threads=2, work=GATE_WORK)
    pool.drain()
    pool.reset()
    pool.send([1, 0, 0, 0, 0], [0, 1, 2, 3, 4])
    assert testing.await_gate_waiting(1)
    testing.open_gate()
    pool.drain()
    with pytest.raises(NothingInFlightError):
        pool.recv()
    expected = np.array([1, 1, 1, 1, 1, 0])
    np.testing.assert_array_equal(counts(pool), expected[:-1])
    # Again, with an incomplete batch each time.
    for count in (1, 3, 4, 5, 6, 2):
        pool.send(zeros(count), np.arange(count))
        pool.drain()
        expected[:count] += 1
    pool.send(zeros(6))
    pool.recv(GUARD)
    pool.drain()
    np.testing.assert_array_equal(counts(pool), expected[:-1] + 1)


def test_one_thread_sends_while_another_receives(make: Make) -> None:
    num_envs, batch_size, rounds = 32, 8, 400
    pool = make(
        "Counter", num_envs=num_envs, batch_size=batch_size, num_threads=3, episode_length=0
    )
    pool.reset(seed=0)
    pool.send(zeros(num_envs))
    received: list[np.ndarray] = []
    available = threading.Semaphore(0)  # batches that can be sent again
    sent = threading.Semaphore(num_envs // batch_size)  # batches that recv can expect
    failures: list[BaseException] = []

    def receive() -> None:
        try:
            for _ in range(rounds):
                sent.acquire()
                obs, *_, infos = pool.recv(GUARD)
                received.append(np.stack([infos["env_id"], obs[:, 0]]))
                available.release()
        except BaseException as error:
            failures.append(error)
            available.release()

    thread = threading.Thread(target=receive)
    thread.start()
    for i in range(rounds - num_envs // batch_size):
        available.acquire()
        if failures:
            break
        pool.send(zeros(batch_size), received[i][0])
        sent.release()
    thread.join()
    assert not failures
    pool.drain()
    counts = np.zeros(num_envs, np.int64)
    for ids, seen in received:
        counts[ids] += 1
        np.testing.assert_array_equal(seen, counts[ids])
    assert counts.sum() == rounds * batch_size
