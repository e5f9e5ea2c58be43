"""Batch memory: blocks held by kept arrays, the cap, trimming, and arrays after `close`.

`Wide-v0` has large observations: a batch of 64 rows has 1 MiB of them, and 5 kB of columns.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import BatchMemoryError, EnvPoolError, InputError, InputTypeError

from ..lifecycle import GUARD, Make, RunScript, needs_proc, zeros

ENVS = 64
WIDTH = 16_384
MIB = 2**20
WINDOW = 1024  # every so many batches the pool counts the blocks that it needed


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def wide(make: Make, **arguments: Any) -> Any:
    pool = make("Wide", num_envs=ENVS, num_threads=2, width=WIDTH, **arguments)
    pool.reset(seed=0)
    return pool


@needs_proc
def test_kept_rewards_pin_little(make: Make) -> None:
    pool = wide(make)
    before = resident()
    rewards = [pool.step(zeros(ENVS))[1] for _ in range(128)]
    stats = pool.stats()
    assert stats["leased_blocks"] == 128
    assert stats["leased_bytes"] < 128 * 8192
    assert stats["block_bytes"] < 128 * 8192 + 4 * MIB
    assert resident() - before < 16 * MIB
    pool.close()
    closed = pool.stats()
    assert closed["blocks"] == closed["leased_blocks"] == 128
    assert closed["block_bytes"] == closed["leased_bytes"] == stats["leased_bytes"]
    for step, reward in enumerate(rewards, 1):
        np.testing.assert_array_equal(reward, np.full(ENVS, step))
    del rewards, reward
    assert pool.stats()["blocks"] == 0


def test_each_array_keeps_its_region(make: Make) -> None:
    pool = wide(make)
    obs, *columns, infos = pool.step(zeros(ENVS))
    large = infos.pop("large")
    small = {**dict(enumerate(columns)), **infos}
    del columns, infos
    both = pool.stats()
    assert both["leased_blocks"] == 2
    del obs
    assert pool.stats()["leased_blocks"] == 2  # large infos share a block with the observations
    del large
    kept = pool.stats()
    assert kept["leased_blocks"] == 1
    assert kept["leased_bytes"] < 8192 < MIB < both["leased_bytes"]
    while small:
        assert pool.stats()["leased_blocks"] == 1
        small.popitem()
    assert pool.stats()["leased_blocks"] == 0


def test_kept_observations_do_not_keep_columns(make: Make) -> None:
    pool = wide(make)
    held = [pool.step(zeros(ENVS))[0] for _ in range(5)]
    stats = pool.stats()
    assert stats["leased_blocks"] == 5
    assert stats["leased_bytes"] >= 5 * MIB
    for step, obs in enumerate(held, 1):
        assert (obs == step).all()


def test_small_batches_take_one_block(make: Make) -> None:
    pool = make("Counter", num_envs=4)
    pool.reset()
    held = pool.step(zeros(4))
    assert pool.stats()["leased_blocks"] == 1
    del held
    assert pool.stats()["leased_blocks"] == 0
    cart = envpool_py.make("CartPole-v1", num_envs=4096)
    held = cart.reset()
    assert cart.stats()["leased_blocks"] == 1
    del held
    cart.close()


@pytest.mark.parametrize("batch_size", [ENVS, ENVS // 4])
def test_max_blocks(make: Make, batch_size: int) -> None:
    pool = wide(make, batch_size=batch_size, max_live_batches=8)

    def advance() -> Any:
        ids = None
        if batch_size < ENVS:
            ids = np.arange(batch_size)
        return pool.step(zeros(batch_size), ids)

    held = [advance()[0] for _ in range(8)]
    steps = pool.stats()["steps"]
    with pytest.raises(BatchMemoryError, match=r"max_live_batches = 8: .* 8 by arrays") as caught:
        advance()
    assert isinstance(caught.value, MemoryError)
    assert isinstance(caught.value, EnvPoolError)
    # The refused call did not step: the next step has the next number.
    assert pool.stats()["steps"] == steps
    last = int(held[-1][0, 0])
    held[0] = held[0].copy()
    assert advance()[0][0, 0] == last + 1
    assert (held[0] == 1).all()


def test_max_blocks_counts_what_is_in_flight(make: Make) -> None:
    pool = wide(make, batch_size=ENVS // 4, max_live_batches=3)
    ids = np.arange(ENVS)
    with pytest.raises(BatchMemoryError, match=r"0 by arrays .* 3 by batches in progress: make"):
        pool.send(zeros(ENVS), ids)
    pool.send(zeros(ENVS // 2), ids[: ENVS // 2])
    for _ in range(2):
        assert pool.recv(GUARD)[0].shape == (ENVS // 4, WIDTH)


def test_max_blocks_is_checked_and_carried(make: Make) -> None:
    for bad in (0, -1, 2**31):
        with pytest.raises(InputError, match="max_live_batches: expected an integer in"):
            make("Wide", max_live_batches=bad)
    for bad_type in (1.5, "4", True):
        with pytest.raises(InputTypeError, match="max_live_batches"):
            make("Wide", max_live_batches=bad_type)
    pool = make("Wide", max_live_batches=5)
    assert pool.spec.kwargs["max_live_batches"] == 5
    assert "max_live_batches" not in make("Wide").spec.kwargs


def test_blocks_that_are_not_needed_are_freed(make: Make) -> None:
    pool = make("Wide", num_envs=16, num_threads=1, width=4096)
    pool.reset(seed=0)
    held = [pool.step(zeros(16)) for _ in range(50)]
    grown = pool.stats()
    assert grown["blocks"] >= 100
    held.clear()
    gc.collect()
    assert pool.stats()["blocks"] == grown["blocks"]
    for _ in range(3 * WINDOW + 60):
        pool.step(zeros(16))
    assert pool.stats()["blocks"] <= 2 * 3


def test_rollouts_neither_grow_nor_shrink(make: Make) -> None:
    pool = make("Wide", num_envs=16, num_threads=1, width=4096)
    pool.reset(seed=0)
    seen = set()
    for rollout in range(40):
        held = [pool.step(zeros(16)) for _ in range(128)]
        if rollout > 0:
            seen.add(pool.stats()["blocks"])
        addresses = {result[0].ctypes.data for result in held}
        assert len(addresses) == 128
        del held
    assert len(seen) == 1


def test_arrays_outlive_the_pool_region_by_region(make: Make) -> None:
    pool = wide(make)
    obs, reward = pool.step(zeros(ENVS))[:2]
    core = pool._core
    pool.close()
    stats = core.stats()
    assert stats["blocks"] == stats["leased_blocks"] == 2
    del pool
    obs += 1
    assert (obs == 2).all()
    del obs
    reward += 1
    np.testing.assert_array_equal(reward, np.full(ENVS, 2.0))
    assert core.stats()["leased_blocks"] == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_arrays_are_dropped_in_a_forked_child_and_at_exit(run_script: RunScript) -> None:
    run_script(
        """
        import os, sys
        import numpy as np
        import envpool_py, envpool_py._testing

        closed, live = (
            envpool_py.make("Testing/Wide-v0", num_envs=32, num_threads=2, width=16384)
            for _ in range(2)
        )
        held = []
        for pool in (closed, live):
            pool.reset(seed=0)
            held += [pool.step(np.zeros(32, np.int64)) for _ in range(4)]
        closed.close()
        child = os.fork()
        if child == 0:
            assert live.stats()["leased_blocks"] == closed.stats()["blocks"] == 8
            held[0][1][:] = 5
            held.clear()
            assert live.stats()["leased_blocks"] == closed.stats()["blocks"] == 0
            sys.exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert held[0][1][0] == 1
        assert live.stats()["leased_blocks"] == 8

        class Keeper:
            def __del__(self):
                self.held.clear()

        # Dropped while the interpreter ends, some of them after the pools.
        cycle = Keeper()
        cycle.held, cycle.itself = held[:4], cycle
        sys.held = held[4:]
        """
    )


def test_leases_end_when_the_arrays_cannot_be_made(make: Make) -> None:
    testcapi = pytest.importorskip("_testcapi")
    pool = make("MultiField", num_envs=32, autoreset_mode="SameStep", episode_length=1)
    pool.reset(seed=0)
    step, actions = pool.step, zeros(32)
    failures = 0
    for allocation in range(1, 150):
        testcapi.set_nomemory(allocation, allocation + 1)
        try:
            step(actions)
        except MemoryError:
            failures += 1
        finally:
            testcapi.remove_mem_hooks()
        assert pool.stats()["leased_blocks"] == 0
    assert failures > 50
    assert pool.step(actions)[1].shape == (32,)
