"""Memory of pools of robots that run for long."""

from __future__ import annotations

import pytest

from tests.envpool_py.lifecycle import RunScript, needs_proc

NUM_ENVS = 256

SCRIPT = """
import ctypes, gc, os
from pathlib import Path
import numpy as np
import envpool_py

MEMBERS = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"

class Mallinfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in MEMBERS.split()]

mallinfo2 = ctypes.CDLL(None).mallinfo2
mallinfo2.restype = Mallinfo2

def allocated():
    gc.collect()
    info = mallinfo2()
    return info.uordblks + info.hblkhd

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
before = allocated(), resident()
run({calls})
stats = pool.stats()
assert stats["steps"] + stats["resets"] >= {num_envs} * ({warm_up} + {calls}), stats
print(*before, allocated(), resident())
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
    """A million steps allocate nothing that stays; the short form only runs.

    The resident memory grows ever more slowly, by pages of the memory that MuJoCo reserves for
    contacts: those that a step uses for the first time.
    """
    pytest.importorskip(needs)
    is_long = calls > 10
    printed = run_script(
        SCRIPT.format(
            task=task, num_envs=NUM_ENVS, warm_up=2 * episode if is_long else 2, calls=calls
        )
    )
    allocated, resident, allocated_later, resident_later = map(int, printed.split())
    if is_long:
        assert allocated_later - allocated < 2**16
        assert resident_later < 1.08 * resident, (resident, resident_later)
