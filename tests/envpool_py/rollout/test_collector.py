"""A ring of rollouts that a thread fills."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError
from envpool_py.rollout import Collector, FirstReadyRollout, Rollout, make_rollouts
from envpool_py.rollout import collector as collector_module

from ..lifecycle import Make, zeros
from ..waiting import InterruptedAt


def act(rollout: Any) -> None:
    rollout.act(zeros(len(rollout.obs)))


@pytest.mark.parametrize("count", [2, 3])
def test_rollouts_continue_one_another(make: Make, count: int) -> None:
    pool = make("Counter", num_envs=3)
    rollouts = make_rollouts(pool, 4, count, seed=0)
    assert all(type(rollout) is Rollout for rollout in rollouts)
    before: Any = None
    with Collector(rollouts, act) as filled:
        for number, rollout in enumerate(filled):
            assert rollout is rollouts[number % count]
            assert rollout.is_full
            if before is not None:
                np.testing.assert_array_equal(rollout.observations[0], before)
            before = rollout.observations[-1].copy()
            if number == 10:
                break


def test_the_next_rollout_is_filled_meanwhile() -> None:
    """While the program holds a rollout, the thread fills the other one and then waits."""
    filled_rows = threading.Semaphore(0)

    def noting(rollout: Any) -> None:
        act(rollout)
        filled_rows.release()

    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        rollouts = make_rollouts(pool, 5, 2)
        with Collector(rollouts, noting) as filled:
            for held in filled:
                for _ in range(10):  # 5 rows each for the held rollout and the other one
                    assert filled_rows.acquire(timeout=120.0)
                kept = held.observations.copy()
                # The thread must wait: no rollout is free.
                assert not filled_rows.acquire(blocking=False)
                np.testing.assert_array_equal(held.observations, kept)
                break


def test_first_ready_rollouts(make: Make) -> None:
    pool = make("Serial", num_envs=6, batch_size=2, num_threads=2)
    rollouts = make_rollouts(pool, 7, 2)
    assert all(type(rollout) is FirstReadyRollout for rollout in rollouts)
    results = np.zeros(6, int)
    with Collector(rollouts, act) as filled:
        for number, rollout in enumerate(filled):
            for row in np.flatnonzero(rollout.next_rows >= 0):
                env = rollout.env_ids[row]
                results[env] += 1
                # The serial numbers count an environment's resets and steps, and show that none is
                # lost.
                assert rollout.observations[row, 1] == results[env]
                assert rollout.observations[rollout.next_rows[row], 1] == results[env] + 1
            if number == 8:
                break


def test_an_exception_in_the_thread_is_raised_in_the_loop() -> None:
    def failing(rollout: Any) -> None:
        raise ArithmeticError("in act")

    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        rollouts = make_rollouts(pool, 4, 2)
        with (
            Collector(rollouts, failing) as filled,
            pytest.raises(ArithmeticError, match="in act"),
        ):
            next(iter(filled))
        rollouts[0].restart()
        for _ in rollouts[0]:
            act(rollouts[0])
        with pytest.raises(ArithmeticError, match="in act"), Collector(rollouts, failing):
            pass  # no loop has raised it
        with pytest.raises(ZeroDivisionError), Collector(rollouts, failing):
            raise ZeroDivisionError


def test_the_thread_ends_with_the_block() -> None:
    before = threading.active_count()
    with envpool_py.make("CartPole-v1", num_envs=2, num_threads=1) as pool:
        rollouts = make_rollouts(pool, 4, 2)
        with Collector(rollouts, act):
            pass
        assert threading.active_count() == before
        with Collector(rollouts, act) as filled:
            assert next(iter(filled)) is rollouts[0]
        assert threading.active_count() == before


def test_loops_that_are_left_give_their_rollouts_back() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, num_threads=1) as pool:
        rollouts = make_rollouts(pool, 4, 2)
        with Collector(rollouts, act) as filled:
            for number in range(6):  # more often than there are rollouts
                for rollout in filled:
                    assert rollout is rollouts[number % 2]
                    break


def test_ctrl_c_in_a_loop_loses_no_rollout(make: Make) -> None:
    """Wherever it interrupts the collector, the next loop is given the next rollout."""
    pool = make("Serial", num_envs=1, num_threads=1)
    firsts: list[int] = []
    happened = 0
    with Collector(make_rollouts(pool, 3, 2), act) as filled:
        for number in range(20):
            with InterruptedAt(number, collector_module.__file__) as interrupted:
                for count, rollout in enumerate(filled):
                    firsts.append(int(rollout.observations[0, 0, 1]))
                    if count == 1:
                        break
            happened += interrupted.happened
    assert happened > 5
    assert np.diff(firsts).tolist() == [3] * (len(firsts) - 1)


def test_first_ready_rollouts_in_one_block_after_another() -> None:
    """The thread answers its last batch before it ends."""
    with envpool_py.make("CartPole-v1", num_envs=4, batch_size=2, num_threads=1) as pool:
        rollouts = make_rollouts(pool, 50, 2)
        for _ in range(6):
            with Collector(rollouts, act):
                pass
        with Collector(rollouts, act) as filled:
            assert next(iter(filled)).is_full


def test_a_loop_ends_with_the_block() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, num_threads=1) as pool:
        filling = threading.Event()
        resume = threading.Event()

        def act_once(rollout: Rollout) -> None:
            filling.set()
            resume.wait()
            act(rollout)

        errors = []

        def loop(collector: Collector) -> None:
            try:
                next(iter(collector))
            except InputError as error:
                errors.append(str(error))

        with Collector(make_rollouts(pool, 4, 2), act_once) as collector:
            waiting = threading.Thread(target=loop, args=(collector,))
            waiting.start()
            filling.wait()
            # The collector's thread ends after the step that it is in, before a rollout is full.
            collector._stops = True
            resume.set()
        waiting.join()
        assert errors == ["Collector: its `with` block has ended; iterate inside it"]
        with pytest.raises(InputError, match="block has ended"):
            next(iter(collector))


def test_wrong_arguments() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        with pytest.raises(InputError, match="count: expected at least 1, got 0"):
            make_rollouts(pool, 4, 0)
        with pytest.raises(InputError, match="expected at least 2, got 1"):
            Collector(make_rollouts(pool, 4, 1), act)
        with pytest.raises(InputError, match="one call of make_rollouts"):
            Collector([Rollout(pool, 4), Rollout(pool, 4)], act)
        collector = Collector(make_rollouts(pool, 4, 2), act)
        with pytest.raises(InputError, match="enter it with `with`"):
            next(iter(collector))
        with collector, pytest.raises(InputError, match="already entered"):
            collector.__enter__()
