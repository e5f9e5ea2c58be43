"""Many successive pools, and a pool of many environments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..lifecycle import GUARD, Make, RunScript, needs_proc, zeros


@needs_proc
@pytest.mark.unsanitized
@pytest.mark.parametrize("pools", [2_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_pools_leave_nothing_behind(run_script: RunScript, pools: int) -> None:
    """Half of the pools start threads; a tenth are dropped with work in flight."""
    script = f"""
        import gc, os
        from pathlib import Path
        import numpy as np
        import envpool_py, envpool_py._testing

        def resident():
            gc.collect()
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            return pages * os.sysconf("SC_PAGE_SIZE")

        def threads():
            return len(list(Path("/proc/self/task").iterdir()))

        zeros = np.zeros(8, np.int64)
        def cycle(i):
            name = "CartPole-v1" if i % 3 else "Testing/MultiField-v0"
            pool = envpool_py.make(
                name, num_envs=8, batch_size=8 if i % 2 else 4, num_threads=2,
                autoreset_mode="SameStep", seed=i,
            )
            pool.reset()
            if i % 2:
                pool.step(zeros)
            else:
                pool.send(zeros)
                pool.recv()
            if i % 10:
                pool.close()

        for i in range(1000):
            cycle(i)
        before, threads_before = resident(), threads()
        for i in range({pools}):
            cycle(i)
        grown = resident() - before
        assert threads() == threads_before, (threads(), threads_before)
        assert grown < 400 * {pools}, grown
    """
    assert run_script(script) == ""


def test_a_hundred_thousand_environments(make: Make, testing: Any) -> None:
    num_envs = 100_000
    pool = make("Counter", num_envs=num_envs, episode_length=0)
    obs, infos = pool.reset(seed=0)
    np.testing.assert_array_equal(infos["env_id"], np.arange(num_envs))
    assert obs[-1, 1] == np.random.default_rng(99_999).integers(0, 1_000_000, endpoint=True)
    np.testing.assert_array_equal(pool.step(zeros(num_envs))[0][:, 0], np.ones(num_envs))
    pool.close()
    alive = testing.failing_instances()
    pool = make("Failing", num_envs=num_envs, batch_size=1000)
    assert testing.failing_instances() == alive + num_envs
    pool.async_reset()
    seen = np.zeros(num_envs, bool)
    for _ in range(100):
        *_, infos = pool.recv(GUARD)
        assert not seen[infos["env_id"]].any()
        seen[infos["env_id"]] = True
    assert seen.all()
    pool.close()
    assert testing.failing_instances() == alive
