"""Calls on a pool from a signal handler, in the thread that is blocked in a call on that pool.

Each test runs in a new process, so that a deadlock does not stop the other tests.
"""

from __future__ import annotations

import sys

import pytest

from ..lifecycle import RunScript, needs_proc
from ..waiting import SCRIPT

pytestmark = [
    needs_proc,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals"),
]

# `outer` blocks in the pool until steps pass gate 1; the calling thread itself is not at a gate.
# Meanwhile the thread runs `handle` as a signal handler.
PREAMBLE = (
    SCRIPT
    + """
def make_pool(**arguments):
    pool = make(num_envs=2, num_threads=2, render_mode="rgb_array", **arguments)
    testing.open_gate()
    pool.reset()
    return pool

def ordered_step():
    pool = make_pool(work=work)
    for _ in range(5): pool.step(zeros(2))  # the pool learns that a step is worth sharing
    return pool, lambda: pool.step(zeros(2) + 1)

def first_ready_step():
    pool = make_pool(work=work, batch_size=1)
    return pool, lambda: pool.step(zeros(2) + 1)

def recv(batch_size=2):
    pool = make_pool(work=work, batch_size=batch_size)
    testing.close_gate()
    pool.send(zeros(2) + 1)
    return pool, lambda: pool.recv(60)

def drain():
    pool, _ = recv(1)
    return pool, pool.drain

def reset():
    pool = make_pool(reset_work=work, reset_gate=1)
    for _ in range(5): pool.reset()
    return pool, pool.reset

def render():
    pool = make_pool(render_work=work, render_gate=1)
    for _ in range(5): pool.render()
    return pool, pool.render

OUTER = {
    "step": ordered_step, "first-ready step": first_ready_step, "recv": recv,
    "first-ready recv": lambda: recv(1), "drain": drain, "reset": reset, "render": render,
}

def call_with_handler(outer, handle):
    caller = threading.current_thread()
    noticed, handled = threading.Event(), threading.Event()
    def on_signal(*_):
        try:
            pool.recv(0)
        except ReentryError:
            handled.set()
        except EnvPoolError:  # the thread was asleep before its call; the signal is repeated
            noticed.set()
            return
        noticed.set()
        handle()
    def signals():
        while testing.gate_waiting() == 0: pass  # one or two: this thread may have let one pass
        while not handled.is_set():
            await_asleep(caller)
            noticed.clear()
            os.kill(os.getpid(), signal.SIGUSR1)
            noticed.wait(LIMIT)
    signal.signal(signal.SIGUSR1, on_signal)
    testing.close_gate()
    testing.escort_others(True)
    signalling = Call(signals)
    try:
        return outer()
    finally:
        testing.escort_others(False)
        signalling.result()
"""
)

OUTER = ["step", "first-ready step", "recv", "first-ready recv", "drain", "reset", "render"]

CLOSES = """
pool, outer = OUTER[sys.argv[1]]()

def handle():
    # Steps that run must end before close does.
    opening = threading.Thread(target=testing.open_gate)
    opening.start()
    pool.close()
    opening.join()
    if sys.argv[2] == "raises": raise KeyError("from the handler")

try:
    call_with_handler(outer, handle)
except ClosedError:
    print("ClosedError")
except KeyError as error:
    print(error.args[0])
for call in (lambda: pool.step(zeros(2)), pool.recv, pool.reset, pool.drain, pool.render):
    try:
        call()
    except ClosedError:
        continue
    print("a call on the closed pool returned")
pool.close()
"""


@pytest.mark.parametrize("then", ["returns", "raises"])
@pytest.mark.parametrize("outer", OUTER)
def test_close_from_a_handler(run_forked: RunScript, outer: str, then: str) -> None:
    expected = "ClosedError\n" if then == "returns" else "from the handler\n"
    assert run_forked(with_arguments(CLOSES, outer, then)) == expected


CLOSES_IN_TIME = """
pool, outer = OUTER[sys.argv[1]]()
try:
    call_with_handler(outer, lambda: pool.close(timeout=0.01))
except CloseTimeoutError:
    print("CloseTimeoutError")
assert testing.gate_waiting() > 0
try:
    pool.recv(0)
except ClosedError:
    print("ClosedError")
testing.open_gate()
pool.close(timeout=60)
"""


@pytest.mark.parametrize("outer", OUTER)
def test_close_with_a_timeout_from_a_handler(run_forked: RunScript, outer: str) -> None:
    """The call propagates the handler's exception."""
    assert run_forked(with_arguments(CLOSES_IN_TIME, outer)) == "CloseTimeoutError\nClosedError\n"


REENTERS = """
pool, outer = OUTER[sys.argv[1]]()
CALLS = {
    "step": lambda: pool.step(zeros(2)), "step of some": lambda: pool.step([0], [0]),
    "send": lambda: pool.send(zeros(2)), "recv": pool.recv, "recv in no time": lambda: pool.recv(0),
    "reset": pool.reset, "async_reset": pool.async_reset, "drain": pool.drain,
    "render": pool.render,
}
refused = []

def handle():
    for name, call in CALLS.items():
        try:
            call()
        except ReentryError as error:
            assert isinstance(error, EnvPoolError) and isinstance(error, RuntimeError)
            refused.append(name)
        except Exception as error:
            print(name, type(error))
    assert pool.stats()["resets"] >= 2
    assert not pool.closed and not pool._core.closed
    assert len(pool) == 2 and "Gate" in repr(pool)
    testing.open_gate()

result = call_with_handler(outer, handle)
assert refused == list(CALLS), refused
# The call itself has noticed nothing, and the pool is free again.
if sys.argv[1] in ("step", "recv"):
    assert result[0].shape == (2, 1)
    assert result[4]["env_id"].tolist() == [0, 1]
elif sys.argv[1] == "reset":
    assert result[0].tolist() == [[0], [0]]
elif sys.argv[1] == "render":
    assert len(result) == 2
elif sys.argv[1] != "drain":
    assert result[0].tolist() == [[1]]
pool.drain()
pool.reset()
pool.step(zeros(2))
pool.drain()
assert len(pool.render()) == 2
print("done")
"""


@pytest.mark.parametrize("outer", OUTER)
def test_other_calls_from_a_handler(run_forked: RunScript, outer: str) -> None:
    assert run_forked(with_arguments(REENTERS, outer)) == "done\n"


OTHER_POOL = """
pool, outer = OUTER[sys.argv[1]]()
other = make("Counter", num_envs=2)

def handle():
    other.reset()
    print(other.step(zeros(2))[0][:, 0].tolist())
    testing.open_gate()

call_with_handler(outer, handle)
"""


@pytest.mark.parametrize("outer", OUTER)
def test_another_pool_from_a_handler(run_forked: RunScript, outer: str) -> None:
    """A handler may use pools other than the one that its thread is blocked in."""
    assert run_forked(with_arguments(OTHER_POOL, outer)) == "[1, 1]\n"


def with_arguments(source: str, *arguments: str) -> str:
    return f"import sys\nsys.argv[1:] = {list(arguments)!r}\n{PREAMBLE}{source}"
