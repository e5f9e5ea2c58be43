"""`drain` concurrent with other threads' calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from envpool_py.errors import NothingInFlightError

from ..lifecycle import GATE_WORK, GUARD, Make, RunScript, zeros
from ..waiting import SCRIPT, Call, await_asleep


@pytest.mark.parametrize("batch_size", [2, 4])
def test_drain_includes_what_is_sent_meanwhile(make: Make, testing: Any, batch_size: int) -> None:
    pool = make("Gate", num_envs=4, batch_size=batch_size, num_threads=3, work=GATE_WORK)
    pool.reset()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    in_step: list[int] = []  # steps still running when drain returned

    def drain() -> None:
        pool.drain()
        in_step.append(testing.gate_waiting())

    draining = Call(drain)
    await_asleep(draining.thread)
    pool.send([2], [1])
    assert testing.await_gate_waiting(2)
    testing.open_gate(1)
    # A drain that ignored environment 1 would return about now.
    while pool.stats()["steps"] == 0:
        pass
    draining.ended(0.2)
    testing.open_gate(2)
    draining.result()
    assert in_step == [0]
    with pytest.raises(NothingInFlightError):
        pool.recv(0)
    pool.send(zeros(4))
    received = np.concatenate([pool.recv(GUARD)[4]["env_id"] for _ in range(4 // batch_size)])
    assert sorted(received) == [0, 1, 2, 3]


# Two threads each send idle environments of their half while a third one drains. Each sender counts
# the accepted actions, and the environments count their steps.
BESIDE = """
batch_size, num_threads = {batch_size}, {num_threads}
n = 16
pool = make("Serial", num_envs=n, batch_size=batch_size, num_threads=num_threads, work=20_000)
pool.reset()
sent = np.ones(n, np.int64)  # the reset
senders_left = 2

def send(ids, seed):
    global senders_left
    rng = np.random.default_rng(seed)
    for _ in range(3000):
        some = rng.permutation(ids)[: rng.integers(1, len(ids) + 1)]
        try:
            pool.send(rng.integers(0, 2, len(some)), some)
        except EnvIdError:
            continue
        sent[some] += 1
    senders_left -= 1

def drain():
    while senders_left:
        pool.drain()

calls = [Call(lambda: send(np.arange(8), 1)), Call(lambda: send(np.arange(8, 16), 2)), Call(drain)]
for call in calls:
    call.result()
pool.drain()
assert testing.overlaps() == 0, testing.overlaps()
obs, _ = pool.reset()
np.testing.assert_array_equal(obs[:, 1], sent + 1)
print("done")
"""


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize("batch_size", [1, 5, 16])
def test_two_threads_send_while_one_drains(
    run_forked: RunScript, batch_size: int, num_threads: int
) -> None:
    """No call hangs, no environment is stepped by two threads at once, and no step is lost."""
    script = BESIDE.format(batch_size=batch_size, num_threads=num_threads)
    assert run_forked(SCRIPT + script) == "done\n"


# A drain ends while a receiver waits: `recv` raises, or returns the batch sent after the drain.
RECEIVER = """
pool = make(num_envs=3, batch_size=2, num_threads=2, work=work)
pool.reset()
pool.send([1, 1, 1])
assert testing.await_gate_waiting(2)
receiving = Call(lambda: pool.recv(60))
await_asleep(receiving.thread)
draining = Call(pool.drain)
await_asleep(draining.thread)
testing.open_gate()
draining.result()
if not receiving.ended(0.2):
    pool.send([0, 0, 0], [0, 1, 2])
try:
    assert len(receiving.result()[4]["env_id"]) == 2
except NothingInFlightError:
    pass
pool.drain()
obs, _ = pool.reset()
assert (obs == 0).all()
print("done")
"""


def test_drain_while_another_thread_receives(run_forked: RunScript) -> None:
    assert run_forked(SCRIPT + RECEIVER) == "done\n"
