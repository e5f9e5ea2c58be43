"""Memory of pools of robots that run for long."""

from __future__ import annotations

import pytest

from tests.envpool_py.lifecycle import RunScript, needs_proc

NUM_ENVS = 256

SCRIPT = """
import gc, os
from pathlib import Path
import numpy as np
import envpool_py

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

pool = envpool_py.make({task!r}, num_envs={num_envs}, num_threads=2, seed=0)
pool.action_space.seed(0)
pool.reset()
actions = [pool.action_space.sample() for _ in range(50)]

def run(calls):
    for call in range(calls):
        pool.step(actions[call % 50])

run({warm_up})  # every environment has had resets and contacts
before = resident()
run({calls})
assert (stepped := pool.stats()["steps"]) >= {num_envs} * ({warm_up} + {calls}), stepped
print(before, resident())
"""


@needs_proc
@pytest.mark.parametrize(
    "calls", [10, pytest.param(4_000, marks=[pytest.mark.long, pytest.mark.unsanitized])]
)
@pytest.mark.parametrize(
    ("task", "needs", "episode"),
    [("FetchPush-v4", "gymnasium_robotics", 50), ("MetaWorld/PickPlace-v3", "metaworld", 500)],
)
def test_a_million_steps(
    run_script: RunScript, task: str, needs: str, episode: int, calls: int
) -> None:
    """A million steps leave the resident memory within 1 %, or 4 MiB; the short form only runs."""
    pytest.importorskip(needs)
    is_long = calls > 10
    printed = run_script(
        SCRIPT.format(
            task=task, num_envs=NUM_ENVS, warm_up=2 * episode if is_long else 2, calls=calls
        )
    )
    before, after = map(int, printed.split())
    if is_long:
        assert after - before < max(before / 100, 4 * 2**20), (before, after)
