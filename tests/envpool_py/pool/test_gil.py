"""No call steps environments or waits while it holds the GIL.

The environments here need another Python thread to finish. Each test runs in a new process: if a
call keeps the GIL, no thread of that process can end it.
"""

from __future__ import annotations

import pytest

from ..lifecycle import RunScript, needs_proc
from ..waiting import SCRIPT

# `waits` makes the call; a Python thread opens the gate when `held` environments wait at it.
PREAMBLE = (
    SCRIPT
    + """
def waits(call, held=1):
    testing.close_gate()
    def run():
        assert testing.await_gate_waiting(held)
        testing.open_gate()
    opening = Call(run)
    result = call()
    opening.result()
    return result
"""
)

STEP = """
n, num_threads, batch_size, work = {n}, {num_threads}, {batch_size}, {work}
pool = make(num_envs=n, num_threads=num_threads, batch_size=batch_size, work=work)
pool.reset()
for _ in range(200):  # short, so far
    pool.step(zeros(n))
    if batch_size < n: pool.drain()
for _ in range(2):
    obs, *_ = waits(lambda: pool.step(np.ones(n, np.int64)))
    assert obs.shape == (batch_size, 1)
    pool.drain()
pool.close()
print("done")
"""


@pytest.mark.parametrize("work", [0, 2_000])
@pytest.mark.parametrize(
    ("n", "batch_size", "num_threads"), [(1, 1, 1), (8, 8, 1), (1, 1, 2), (8, 8, 2), (8, 3, 2)]
)
def test_step_predicted_light(
    run_forked: RunScript, n: int, batch_size: int, num_threads: int, work: int
) -> None:
    script = STEP.format(n=n, batch_size=batch_size, num_threads=num_threads, work=work)
    # The gate opens when one step waits, so with two threads only one environment may use the gate.
    if num_threads == 2:
        script = script.replace(
            "pool.step(np.ones(n, np.int64))", "pool.step((np.arange(n) == 0).astype(int))"
        )
    assert run_forked(PREAMBLE + script) == "done\n"


RESET = """
pool = make(num_envs={n}, num_threads={num_threads}, reset_gate=1)
testing.open_gate()
for _ in range(200):
    pool.reset()
for _ in range(2):
    assert waits({call})[0].shape == ({n}, 1)
print("done")
"""


@pytest.mark.parametrize("num_threads", [1, 2])
def test_reset_predicted_light(run_forked: RunScript, num_threads: int) -> None:
    for n in (1, 8):
        # Resets one environment, so that exactly one waits, whichever thread resets it.
        call = "pool.reset" if num_threads == 1 else "lambda: pool.reset(env_id=[0])"
        rows = n if num_threads == 1 else 1
        script = RESET.format(n=n, num_threads=num_threads, call=call)
        script = script.replace(f"== ({n}, 1)", f"== ({rows}, 1)")
        assert run_forked(PREAMBLE + script) == "done\n"


RENDER = """
pool = make(num_envs=4, num_threads={num_threads}, render_gate=1, render_mode="rgb_array")
testing.open_gate()
pool.reset()
for _ in range(200):
    pool.render()
for _ in range(2):
    assert len(waits(lambda: pool.render([2]))) == 1
print("done")
"""


@pytest.mark.parametrize("num_threads", [1, 2])
def test_render_predicted_light(run_forked: RunScript, num_threads: int) -> None:
    assert run_forked(PREAMBLE + RENDER.format(num_threads=num_threads)) == "done\n"


RECV = """
n, batch_size = 6, {batch_size}
pool = make(num_envs=n, num_threads=2, batch_size=batch_size)
pool.reset()
pool.send(zeros(n))
for _ in range(300):  # a tight loop: the receiver may step environments itself
    *_, infos = pool.recv()
    pool.send(zeros(batch_size), infos["env_id"])
pool.drain()
def roundtrip():
    pool.send((np.arange(n) == 0).astype(int))
    return [pool.recv() for _ in range(n // batch_size)]
assert len(waits(roundtrip)) == n // batch_size
print("done")
"""


@pytest.mark.parametrize("batch_size", [1, 3, 6])
def test_recv_that_steps_itself(run_forked: RunScript, batch_size: int) -> None:
    assert run_forked(PREAMBLE + RECV.format(batch_size=batch_size)) == "done\n"


INTERRUPTED_RESET = """
# A reset of two environments is interrupted while a full batch of another one is ready.
pool = make(num_envs=4, batch_size=1, num_threads=2, reset_work=work, reset_gate=1)
testing.open_gate()
for _ in range(5): pool.reset()
pool.send([0], [3])
while pool.stats()["steps"] == 0: pass
testing.close_gate()
try:
    with escorting(testing), ctrl_c_during(pool.reset, testing, 1):
        pool.reset(env_id=[0, 1])
except KeyboardInterrupt:
    print("interrupted")
assert testing.gate_waiting() == 1
received = threading.Event()
def opens():
    # As Python threads go: this one runs whatever the other waits for.
    await_asleep(threading.main_thread())
    testing.open_gate()
opening = Call(opens)
seen = []
while True:
    try:
        seen += pool.recv()[4]["env_id"].tolist()
    except NothingInFlightError:
        break
opening.result()
print(sorted(seen))
pool.drain()
assert pool.reset()[0].tolist() == [[0]] * 4
print("done")
"""


@needs_proc
def test_recv_of_a_full_batch_behind_an_interrupted_reset(run_forked: RunScript) -> None:
    printed = run_forked(PREAMBLE + INTERRUPTED_RESET).splitlines()
    assert printed[0] == "interrupted"
    # The two lines come in either order.
    assert printed[1:] == ["[0, 1, 3]", "done"]


CONSTRUCTION = """
waits(lambda: make(num_envs=3, num_threads=2, construct_gate=1)).close()
print("done")
"""


def test_make(run_forked: RunScript) -> None:
    assert run_forked(PREAMBLE + CONSTRUCTION) == "done\n"
