"""send, recv, async_reset, drain, subsets, timeouts: as with C++ environments."""

from __future__ import annotations

import functools
import os
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import (
    EnvIdError,
    InputError,
    NothingInFlightError,
    RecvTimeoutError,
    ResetNeededError,
)

from ..waiting import default_interrupts
from . import awkward

WORKERS = [0, 2]


def trajectory(num_workers: int, batch_size: int, steps: int) -> dict[int, list[Any]]:
    """Steps each environment `steps` times and returns each one's results, by id."""
    seen: dict[int, list[Any]] = {env: [] for env in range(5)}
    with envpool_py.make_python(
        awkward.ManyInfos, 5, batch_size=batch_size, num_workers=num_workers, seed=7
    ) as pool:
        pool.async_reset()
        rows = 5 * (steps + 1)
        sent = 5
        while rows > 0:
            observations, rewards, terminations, truncations, infos = pool.recv()
            ids = infos["env_id"]
            for row, env in enumerate(ids):
                keys = sorted(k for k in infos if k[0] != "_" and infos[f"_{k}"][row])
                seen[int(env)].append(
                    (
                        observations[row].tolist(),
                        rewards[row],
                        terminations[row],
                        truncations[row],
                        infos["elapsed_step"][row],
                        keys,
                    )
                )
            rows -= len(ids)
            again = np.array([env for env in ids if len(seen[int(env)]) <= steps], np.int32)
            if len(again) > 0:
                pool.send(np.full(len(again), 1), again)
                sent += len(again)
    return seen


@pytest.mark.parametrize("num_workers", [0, 1, 3])
@pytest.mark.parametrize("batch_size", [5, 1])
def test_results_do_not_depend_on_workers_or_the_mode(num_workers: int, batch_size: int) -> None:
    assert trajectory(num_workers, batch_size, 20) == trajectory(0, 5, 20)


@pytest.mark.parametrize("num_workers", WORKERS)
def test_batches_of_several_environments(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 6, batch_size=2, num_workers=num_workers) as pool:
        pool.async_reset()
        counts = np.zeros(6, int)
        for _ in range(60):
            observations, _, _, _, infos = pool.recv()
            ids = infos["env_id"]
            assert len(set(ids.tolist())) == 2
            np.testing.assert_array_equal(observations[:, 0], counts[ids])
            counts[ids] += 1
            pool.send(np.zeros(2, int), ids)
        assert counts.sum() == 120


@pytest.mark.parametrize("num_workers", WORKERS)
def test_subsets_and_rows(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 4, num_workers=num_workers) as pool:
        pool.reset()
        observations, _, _, _, infos = pool.step(np.zeros(2, int), np.array([3, 1]))
        assert infos["env_id"].tolist() == [3, 1]
        assert infos["elapsed_step"].tolist() == [1, 1]
        observations, infos = pool.reset(np.array([1]))
        assert observations.tolist() == [[0, 0, 0]]
        observations, _, _, _, _ = pool.step(np.zeros(4, int))
        assert observations[:, 0].tolist() == [1, 1, 1, 2]


@pytest.mark.parametrize("num_workers", WORKERS)
def test_errors_change_nothing(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 3, num_workers=num_workers) as pool:
        with pytest.raises(ResetNeededError, match="environment 0 has not been reset"):
            pool.step(np.zeros(3, int))
        pool.reset()
        with pytest.raises(InputError, match=r"expected shape \(n,\)"):
            pool.step(np.zeros((3, 1), int))
        with pytest.raises(InputError, match=r"one row for each of 3 environments, got 2"):
            pool.step(np.zeros(2, int))
        with pytest.raises(EnvIdError):
            pool.step(np.zeros(2, int), np.array([1, 1]))
        with pytest.raises(NothingInFlightError):
            pool.recv()
        pool.send(np.zeros(3, int))
        with pytest.raises(EnvIdError, match="in flight"):
            pool.send(np.zeros(1, int), np.array([1]))
        assert pool.recv()[0][:, 0].tolist() == [1, 1, 1]


def test_the_first_ready_come_first(tmp_path: Path) -> None:
    pipe = tmp_path / "gate"
    os.mkfifo(pipe)
    fns = [functools.partial(awkward.Gated, str(pipe) if env == 0 else None) for env in range(4)]
    with envpool_py.make_python(fns, batch_size=1, num_workers=4) as pool:
        pool.async_reset()
        for _ in range(4):
            pool.recv()
        pool.send(np.ones(4, int))
        first = [int(pool.recv()[4]["env_id"][0]) for _ in range(3)]
        assert sorted(first) == [1, 2, 3]
        with pytest.raises(RecvTimeoutError):
            pool.recv(timeout=0.0)
        pipe.write_bytes(b"1")
        assert pool.recv()[4]["env_id"].tolist() == [0]


@pytest.mark.parametrize("num_workers", WORKERS)
def test_drain(num_workers: int) -> None:
    with envpool_py.make_python(awkward.Obedient, 5, batch_size=2, num_workers=num_workers) as pool:
        pool.async_reset()
        pool.drain()
        pool.send(np.zeros(3, int), np.array([0, 1, 2]))
        pool.drain()
        pool.send(np.zeros(5, int))
        assert len(pool.recv()[0]) == 2
        pool.drain()
        observations, _ = pool.reset()
        assert observations[:, 0].tolist() == [0] * 5


def test_an_interrupt_ends_the_call_but_not_the_work(tmp_path: Path) -> None:
    pipe = tmp_path / "gate"
    os.mkfifo(pipe)

    class InterruptError(Exception):
        pass

    def interrupt(*_: Any) -> None:
        raise InterruptError

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with envpool_py.make_python(
            functools.partial(awkward.Gated, str(pipe)), 2, num_workers=2
        ) as pool:
            pool.reset()
            gates = []

            def send_signal() -> None:
                gates.append(os.open(pipe, os.O_WRONLY))  # blocks until the step has begun
                os.kill(os.getpid(), signal.SIGUSR1)

            thread = threading.Thread(target=send_signal)
            thread.start()
            with pytest.raises(InterruptError):
                pool.step(np.array([0, 1]))
            thread.join()
            os.write(gates[0], b"1")
            os.close(gates[0])
            assert pool.recv()[4]["elapsed_step"].tolist() == [1, 1]
            assert pool.step(np.zeros(2, int))[4]["elapsed_step"].tolist() == [2, 2]
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.unsanitized  # sanitizers delay signals
def test_an_interrupt_in_an_environment_of_the_caller() -> None:
    class Interrupting(awkward.Base):
        def step(self, action: Any) -> Any:
            if action == 2:
                signal.raise_signal(signal.SIGINT)
            return super().step(action)

    with envpool_py.make_python(Interrupting, 3, num_workers=0) as pool:
        pool.reset()
        with default_interrupts(), pytest.raises(KeyboardInterrupt):
            pool.step(np.array([0, 2, 0]))
        with pytest.raises(RecvTimeoutError):  # one environment has not been stepped yet
            pool.recv(timeout=0.0)
        with pytest.raises(envpool_py.EnvironmentFailedError) as failure:
            pool.recv()
        assert failure.value.env_ids == [1]
        pool.reset(np.array([1]))
        pool.step(np.zeros(3, int))


@pytest.mark.parametrize("num_workers", WORKERS)
def test_statistics_and_step_limit(num_workers: int) -> None:
    with envpool_py.make_python(
        functools.partial(awkward.Base, ends=0.0),
        3,
        num_workers=num_workers,
        max_episode_steps=4,
        record_episode_statistics=True,
    ) as pool:
        pool.reset(seed=1)
        total = np.zeros(3)
        for step in range(4):
            _, rewards, terminations, truncations, infos = pool.step(np.zeros(3, int))
            total += rewards
            assert not terminations.any()
            assert truncations.tolist() == [step == 3] * 3
        assert infos["episode"]["l"].tolist() == [4, 4, 4]
        np.testing.assert_array_equal(infos["episode"]["r"], total)
        stats = pool.stats()
        assert (stats["steps"], stats["episodes"], stats["resets"]) == (12, 3, 3)
        assert stats["failures"] == 0
