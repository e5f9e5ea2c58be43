"""Ordered mode: equal results on every path through the engine, rows, leased blocks, threads."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import EnvPoolError, NothingInFlightError

Make = Callable[..., Any]

GUARD = 120.0  # seconds until a blocked `recv` fails its test
# Slow enough for the pool to share a step among its threads.
HEAVY_WORK = 300_000


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int64)


def run(pool: Any, actions: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    results = [(pool.reset(seed=11)[0],)]
    for row in actions:
        obs, reward, terminated, truncated, infos = pool.step(row)
        results.append((obs, reward, terminated, truncated, infos["elapsed_step"]))
    return results


def assert_same(a: list[tuple[np.ndarray, ...]], b: list[tuple[np.ndarray, ...]]) -> None:
    for left, right in zip(a, b, strict=True):
        for x, y in zip(left, right, strict=True):
            assert x.dtype == y.dtype
            assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("work", [0, 1000, 50_000], ids=["inline", "between", "threaded"])
@pytest.mark.parametrize("num_envs", [1, 2, 13, 64])
def test_results_do_not_depend_on_threads(make: Make, num_envs: int, work: int, mode: str) -> None:
    actions = np.random.default_rng(1).integers(3, size=(25, num_envs))
    pools = [
        make(
            "Heavy",
            num_envs=num_envs,
            num_threads=num_threads,
            work=work,
            episode_length=6,
            max_episode_steps=4,
            autoreset_mode=mode,
        )
        for num_threads in (1, 2, 7)
    ]
    reference = run(pools[0], actions)
    for pool in pools[1:]:
        assert_same(run(pool, actions), reference)


@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_ten_thousand_environments(make: Make, num_threads: int) -> None:
    num_envs = 10_000
    pool = make("Counter", num_envs=num_envs, num_threads=num_threads, episode_length=3)
    obs, infos = pool.reset(seed=0)
    np.testing.assert_array_equal(infos["env_id"], np.arange(num_envs))
    at_reset = obs[:, 1]
    for i in (0, 1, 4999, 9999):
        assert at_reset[i] == np.random.default_rng(i).integers(0, 1_000_000, endpoint=True)
    for step in range(1, 4):
        obs, reward, terminated, _, infos = pool.step(zeros(num_envs))
        np.testing.assert_array_equal(obs[:, 0], np.full(num_envs, step))
        np.testing.assert_array_equal(obs[:, 1], at_reset)
        np.testing.assert_array_equal(reward, np.full(num_envs, float(step)))
        np.testing.assert_array_equal(terminated, np.full(num_envs, step == 3))
        np.testing.assert_array_equal(infos["env_id"], np.arange(num_envs))
    assert len(np.unique(obs[:, 2])) == num_envs
    # Every second id, in descending order.
    ids = np.arange(num_envs)[::-2]
    obs, *_, infos = pool.step(zeros(num_envs // 2), ids)
    np.testing.assert_array_equal(infos["env_id"], ids)
    np.testing.assert_array_equal(obs[:, 0], zeros(num_envs // 2))


def test_send_and_recv_return_what_step_returns(make: Make) -> None:
    actions = np.random.default_rng(2).integers(3, size=(30, 9))
    stepped = make("Heavy", num_envs=9, num_threads=2, work=500, episode_length=4)
    sent = make("Heavy", num_envs=9, num_threads=2, work=500, episode_length=4)
    expected = run(stepped, actions)
    sent.reset(seed=11)
    for row, (obs, reward, terminated, truncated, elapsed) in zip(
        actions, expected[1:], strict=True
    ):
        sent.send(row)
        got = sent.recv(GUARD)
        order = np.argsort(got[4]["env_id"])
        assert got[4]["env_id"][order].tolist() == list(range(9))
        for ours, theirs in (
            (got[0], obs),
            (got[1], reward),
            (got[2], terminated),
            (got[3], truncated),
            (got[4]["elapsed_step"], elapsed),
        ):
            np.testing.assert_array_equal(ours[order], theirs)


def test_parts_make_up_a_batch(make: Make) -> None:
    pool = make("Counter", num_envs=6, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    for step in range(1, 20):
        for part in ([4, 1], [0], [5, 2, 3]):
            with pytest.raises(NothingInFlightError):
                pool.recv(0)
            pool.send(zeros(len(part)), part)
        obs, *_, infos = pool.recv(GUARD)
        assert sorted(infos["env_id"]) == list(range(6))
        np.testing.assert_array_equal(obs[:, 0], [step] * 6)


def test_a_subset_steps_alone_and_in_the_order_of_its_ids(make: Make) -> None:
    pool = make("Counter", num_envs=5, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    counts = np.zeros(5, np.int64)
    rng = np.random.default_rng(3)
    for _ in range(100):
        ids = rng.permutation(5)[: rng.integers(1, 6)]
        counts[ids] += 1
        obs, *_, infos = pool.step(zeros(len(ids)), ids)
        np.testing.assert_array_equal(infos["env_id"], ids)
        np.testing.assert_array_equal(obs[:, 0], counts[ids])


# --- Blocks ------------------------------------------------------------------


def flat(result: tuple[Any, ...]) -> list[np.ndarray]:
    obs, reward, terminated, truncated, infos = result
    return [obs, reward, terminated, truncated, *infos.values()]


@pytest.mark.parametrize("batch_size", [4, 16])
def test_held_batches_are_never_overwritten(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=16, batch_size=batch_size, num_threads=3, episode_length=50)
    pool.reset(seed=0)
    rng = np.random.default_rng(0)
    held, copies = [], []
    ids = np.arange(16)
    for _ in range(600):
        if batch_size == 16:
            result = pool.step(zeros(16))
        else:
            pool.send(zeros(len(ids)), ids)
            result = pool.recv(GUARD)
            ids = result[4]["env_id"].copy()
        if rng.random() < 0.7:
            arrays = flat(result)
            held.append(arrays)
            copies.append([array.copy() for array in arrays])
    for arrays, copied in zip(held, copies, strict=True):
        for array, copy in zip(arrays, copied, strict=True):
            np.testing.assert_array_equal(array, copy)
    addresses = [array.ctypes.data for arrays in held for array in arrays]
    assert len(set(addresses)) == len(addresses)


def test_one_held_array_keeps_its_batch(make: Make) -> None:
    pool = make("Counter", num_envs=8, episode_length=0)
    pool.reset(seed=0)
    rewards = []
    for step in range(1, 200):
        reward = pool.step(zeros(8))[1]
        # A view of a view keeps the block alive.
        rewards.append((step, reward[2:][::3]))
    del reward
    gc.collect()
    for step, view in rewards:
        np.testing.assert_array_equal(view, [step, step])


@pytest.mark.parametrize("batch_size", [4, 16])
def test_dropped_blocks_are_used_again(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=16, batch_size=batch_size, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    ids = np.arange(16)

    def advance() -> np.ndarray:
        nonlocal ids
        if batch_size == 16:
            obs = pool.step(zeros(16))[0]
        else:
            pool.send(zeros(len(ids)), ids)
            obs, *_, infos = pool.recv(GUARD)
            ids = infos["env_id"].copy()
        return obs

    addresses = {advance().ctypes.data for _ in range(50)}
    blocks = pool.stats()["blocks"]
    for _ in range(500):
        addresses.add(advance().ctypes.data)
    stats = pool.stats()
    assert stats["blocks"] == blocks
    assert len(addresses) <= blocks
    assert stats["block_bytes"] > 0
    # Held arrays make the ring grow; dropped ones return their blocks to it.
    held = [advance() for _ in range(100)]
    grown = pool.stats()["blocks"]
    assert grown >= 100
    del held
    for _ in range(500):
        advance()
    assert pool.stats()["blocks"] <= grown


def test_what_the_caller_writes_stays_with_the_caller(make: Make) -> None:
    a, b = (make("Counter", num_envs=6, episode_length=4) for _ in range(2))
    for pool in (a, b):
        pool.reset(seed=0)
    for _ in range(60):
        for array in flat(a.step(zeros(6))):
            array[...] = 77 if array.dtype != bool else True
        b.step(zeros(6))
    for x, y in zip(flat(a.step(zeros(6))), flat(b.step(zeros(6))), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("num_envs", [1, 3, 64, 1001])
def test_arrays_start_at_a_cache_line(make: Make, num_envs: int) -> None:
    pool = make("Counter", num_envs=num_envs)
    obs, infos = pool.reset(seed=0)
    for array in (obs, *infos.values(), *flat(pool.step(zeros(num_envs)))):
        assert array.ctypes.data % 64 == 0
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned


def test_arrays_outlive_the_pool(make: Make) -> None:
    pool = make("Counter", num_envs=5, episode_length=0)
    pool.reset(seed=0)
    results = [flat(pool.step(zeros(5))) for _ in range(20)]
    copies = [[array.copy() for array in arrays] for arrays in results]
    pool.close()
    other = make("Counter", num_envs=5, episode_length=0)
    other.reset(seed=1)
    for _ in range(50):
        other.step(zeros(5))
    for arrays, copied in zip(results, copies, strict=True):
        for array, copy in zip(arrays, copied, strict=True):
            np.testing.assert_array_equal(array, copy)
            array[...] = 0


def test_actions_are_read_before_the_call_returns(make: Make) -> None:
    pool = make("DiscreteStart", num_envs=4, num_threads=2)
    pool.reset()
    actions = np.array([-3, -2, -1, 0])
    pool.send(actions)
    actions[:] = 0
    obs, *_, infos = pool.recv(GUARD)
    np.testing.assert_array_equal(obs, np.array([-3, -2, -1, 0])[infos["env_id"]])
    # Observations can be passed as actions of the next step.
    obs = pool.step(np.array([-1, -3, 0, -2]))[0]
    np.testing.assert_array_equal(pool.step(obs)[0], [-1, -3, 0, -2])


# --- Threads -----------------------------------------------------------------


@pytest.mark.parametrize("num_threads", [1, 2, 3, 8])
def test_all_threads_step_and_the_caller_is_one_of_them(
    make: Make, testing: Any, num_threads: int
) -> None:
    """Each of `num_threads` environments waits until all of them are inside a step at once."""
    testing.clear_rendezvous()
    pool = make(
        "CountThread",
        num_envs=num_threads,
        num_threads=num_threads,
        work=HEAVY_WORK,
        meet=num_threads,
    )
    assert pool.num_threads == num_threads
    pool.reset()
    for _ in range(5):  # the pool measures the cost of a step
        pool.step(zeros(num_threads))
    for _ in range(20):
        threads = pool.step(np.ones(num_threads, np.int64))[0][:, 0].tolist()
        assert -1 not in threads
        assert len(set(threads)) == num_threads
        assert testing.thread_number() in threads
    assert pool.stats()["threads_started"] == num_threads - 1


@pytest.mark.parametrize("num_threads", [1, 2, 3, 8])
def test_all_threads_step_in_first_ready_mode(make: Make, testing: Any, num_threads: int) -> None:
    testing.clear_rendezvous()
    num_envs = num_threads + 1
    pool = make(
        "CountThread",
        num_envs=num_envs,
        num_threads=num_threads,
        work=HEAVY_WORK,
        batch_size=num_threads,
        meet=num_threads,
    )
    pool.reset()
    for _ in range(20):
        pool.send(np.ones(num_threads, np.int64), np.arange(num_threads))
        threads = pool.recv(GUARD)[0][:, 0].tolist()
        assert -1 not in threads
        # The caller may take the place of a worker that does not take part.
        assert len(set(threads)) == num_threads


@pytest.mark.parametrize("batch_size", [10, 40])
def test_no_more_threads_than_asked_for(make: Make, testing: Any, batch_size: int) -> None:
    pool = make(
        "CountThread", num_envs=40, batch_size=batch_size, num_threads=3, work=HEAVY_WORK // 10
    )
    pool.reset()
    seen = set()
    for _ in range(30):
        if batch_size == 40:
            seen |= set(pool.step(zeros(40))[0][:, 0].tolist())
        else:
            pool.send(zeros(40))
            for _ in range(4):
                seen |= set(pool.recv(GUARD)[0][:, 0].tolist())
    caller = testing.thread_number()
    if batch_size == 40:
        assert caller in seen
        assert len(seen) <= 3
    else:
        # In first-ready mode the caller may replace any worker at any time.
        assert len(seen - {caller}) <= 3


def test_a_single_environment_never_needs_a_thread(make: Make, testing: Any) -> None:
    pool = make("CountThread", num_envs=1, num_threads=4, work=HEAVY_WORK)
    pool.reset()
    for _ in range(20):
        assert pool.step([0])[0][0, 0] == testing.thread_number()
    assert pool.stats()["threads_started"] == 0


def test_one_thread_means_the_caller_alone(make: Make, testing: Any) -> None:
    pool = make("CountThread", num_envs=20, num_threads=1, work=HEAVY_WORK // 10)
    pool.reset()
    for _ in range(10):
        threads = pool.step(zeros(20))[0][:, 0]
        np.testing.assert_array_equal(threads, [testing.thread_number()] * 20)
    assert pool.stats()["threads_started"] == 0


def test_light_batches_run_inline(make: Make, testing: Any) -> None:
    """One disturbed measurement may send a batch to the threads, but not most batches."""
    pool = make("CountThread", num_envs=8, num_threads=4)
    pool.reset()
    inline = sum(
        set(pool.step(zeros(8))[0][:, 0].tolist()) == {testing.thread_number()} for _ in range(2000)
    )
    assert inline > 1000


@pytest.mark.parametrize("work", [0, 20_000], ids=["inline", "threaded"])
def test_steps_from_several_python_threads_do_not_mix(make: Make, work: int) -> None:
    """Each call either steps every environment once or is refused as a whole."""
    num_envs, callers, calls = 24, 4, 60
    pool = make("Gate", num_envs=num_envs, num_threads=3, work=work)
    pool.reset(seed=0)
    counts: list[list[int]] = [[] for _ in range(callers)]
    unexpected: list[BaseException] = []
    start = threading.Barrier(callers)

    def call(mine: list[int]) -> None:
        start.wait()
        for _ in range(calls):
            try:
                obs, *_, infos = pool.step(zeros(num_envs))
                assert infos["env_id"].tolist() == list(range(num_envs))
                assert len(set(obs[:, 0].tolist())) == 1
                mine.append(int(obs[0, 0]))
            except EnvPoolError:
                pass
            except BaseException as error:
                unexpected.append(error)

    threads = [threading.Thread(target=call, args=(mine,)) for mine in counts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not unexpected
    for mine in counts:
        assert mine == sorted(mine)
    done = sorted(count for mine in counts for count in mine)
    assert done == list(range(1, len(done) + 1))
    assert len(done) >= calls
    assert pool.stats()["steps"] == len(done) * num_envs


def test_subsets_from_several_python_threads(make: Make) -> None:
    num_envs, callers, calls = 20, 4, 100
    pool = make("Counter", num_envs=num_envs, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    unexpected: list[BaseException] = []
    start = threading.Barrier(callers)
    made = [0] * callers

    def call(caller: int) -> None:
        ids = np.arange(caller, num_envs, callers)
        start.wait()
        while made[caller] < calls:
            try:
                obs, *_, infos = pool.step(zeros(len(ids)), ids)
                made[caller] += 1
                np.testing.assert_array_equal(infos["env_id"], ids)
                np.testing.assert_array_equal(obs[:, 0], [made[caller]] * len(ids))
            except BaseException as error:
                unexpected.append(error)
                return

    threads = [threading.Thread(target=call, args=(caller,)) for caller in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not unexpected
    assert made == [calls] * callers
