"""Interpreter exit while threads are inside calls, and pools in forked children."""

from __future__ import annotations

import concurrent.futures
import os
import textwrap

import pytest

from ..lifecycle import RunScript, needs_proc
from ..waiting import SCRIPT

PREAMBLE = (
    SCRIPT
    + """
def daemons(count, run):
    # Each calls `run` until its pool is closed; all of them have called it once when this returns.
    entered = threading.Barrier(count + 1)
    def main(number):
        entered.wait()
        try:
            while True: run(number)
        except ClosedError:
            pass
    for number in range(count):
        threading.Thread(target=main, args=(number,), daemon=True).start()
    entered.wait()

def heavy(**arguments):
    pool = make("Heavy", **{"num_envs": 64, "batch_size": 8, "num_threads": 3, **arguments})
    pool.reset(seed=0)
    return pool

def makes_again(count):
    # Returns when each thread has made a pool, and most likely makes another.
    made = [threading.Event() for _ in range(count)]
    def run(number):
        make("MultiField", num_envs=200_000, num_threads=1).close()
        made[number].set()
    daemons(count, run)
    for one in made: one.wait()

class OpensAtTheEnd:
    # Opens the gate when modules are torn down, long after threads may have the GIL again, and
    # gives them a moment to ask for it. The names that it uses are gone by then.
    def __init__(self):
        self.parts = testing.open_gate, time.monotonic, os.listdir
        self.threads = len(os.listdir("/proc/self/task"))
    def __del__(self):
        open_gate, now, listdir = self.parts
        open_gate()
        end = now() + 0.2
        while now() < end and len(listdir("/proc/self/task")) >= self.threads: pass
import time
"""
)

# An environment in Python whose calls return when the interpreter exits, as a long step may do.
LATE_PYTHON = """
import gymnasium

read, write = os.pipe()

class Late(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (2,))
    action_space = gymnasium.spaces.Discrete(2)
    def __init__(self):
        if waits_in == "__init__": self.wait()
    def wait(self):
        entered.set()
        os.read(read, 1)
    def reset(self, *, seed=None, options=None):
        if waits_in == "reset": self.wait()
        return np.zeros(2, np.float32), {}
    def step(self, action):
        if waits_in == "step": self.wait()
        return np.zeros(2, np.float32), 0.0, False, False, {}

class WritesAtTheEnd(OpensAtTheEnd):
    def __init__(self):
        super().__init__()
        self.parts = (lambda write=write, to=os.write: to(write, b"xx")), *self.parts[1:]

def use(num_workers, workers):
    pool = envpool_py.make_python([Late] * 2, num_workers=num_workers, workers=workers)
    pool.reset()
    pool.step(np.zeros(2, int))

entered = threading.Event()
"""

EXITS = {
    **{
        f"an environment's {method} that ends late, {workers}": LATE_PYTHON
        + f"""
waits_in = "{method}"
threading.Thread(target=use, args=({workers}), daemon=True).start()
entered.wait()
sys.opens_at_the_end = WritesAtTheEnd()
"""
        for method in ("__init__", "reset", "step")
        for workers in ("0, 'processes'", "2, 'threads'")
    },
    "two in recv": """
        pool = heavy(work=20_000_000)
        pool.send(zeros(64))
        def run(_):
            pool.send(zeros(8), pool.recv()[4]["env_id"])
        daemons(2, run)
    """,
    "two in step": """
        pool = heavy(work=100_000, batch_size=64)
        daemons(2, lambda _: pool.step(zeros(64)))
    """,
    "two in step of some": """
        pool = heavy(work=100_000, batch_size=64)
        daemons(2, lambda i: pool.step(zeros(32), np.arange(32) + 32 * i))
    """,
    "two in reset": """
        pool = make(num_envs=64, num_threads=2, reset_work=100_000)
        daemons(2, lambda i: pool.reset(env_id=np.arange(32) + 32 * i))
    """,
    "two in drain": """
        pool = heavy(work=5_000_000)
        def run(i):
            try:
                pool.send(zeros(32), np.arange(32) + 32 * i)
            except EnvIdError:
                pass
            pool.drain()
        daemons(2, run)
    """,
    "one in make": """
        makes_again(1)
    """,
    "three in make": """
        makes_again(3)
    """,
    # The gate opens after the pools are closed, so the threads return into an exiting interpreter.
    "one in make that ends late": """
        call = Call(lambda: make(num_envs=2, construct_gate=1))
        assert testing.await_gate_waiting(1)
        sys.opens_at_the_end = OpensAtTheEnd()
    """,
    "two in step that ends late": """
        pools = [make(num_envs=1) for _ in range(2)]
        for pool in pools: pool.reset()
        calls = [Call(lambda pool=pool: pool.step([1])) for pool in pools]
        assert testing.await_gate_waiting(2)
        sys.opens_at_the_end = OpensAtTheEnd()
    """,
    # The gates stay closed: the exit waits for these calls a few seconds, and no longer.
    "a stuck worker": """
        pool = make(num_envs=2, batch_size=1, num_threads=2)
        pool.reset()
        pool.send([1], [0])
        assert testing.await_gate_waiting(1)
    """,
    "a stuck step": """
        pool = make(num_envs=1)
        pool.reset()
        call = Call(lambda: pool.step([1]))
        assert testing.await_gate_waiting(1)
    """,
    "a stuck make": """
        call = Call(lambda: make(num_envs=1, construct_gate=1))
        assert testing.await_gate_waiting(1)
    """,
}


# Repeat each: the course of an exit depends on the order in which threads get the GIL.
SLOW = {name for name in EXITS if "stuck" in name or "late" in name}
RUNS = [
    *((name, 3) for name in EXITS if name not in SLOW),
    *(pytest.param(name, 12, marks=pytest.mark.long) for name in EXITS if "stuck" not in name),
]


def script_of(name: str) -> str:
    return PREAMBLE + textwrap.dedent(EXITS[name])


@needs_proc
@pytest.mark.parametrize(("name", "runs"), RUNS)
def test_exit_with_threads_inside(
    run_script: RunScript, run_forked: RunScript, name: str, runs: int
) -> None:
    for run in (run_script, *[run_forked] * (runs - 1)):
        assert run(script_of(name)) == ""


@needs_proc
def test_exits_that_wait(run_script: RunScript, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs them in parallel, because each exit waits for seconds."""
    # With a stuck worker, the other workers are not joined; ThreadSanitizer reports them as leaks.
    options = os.environ.get("TSAN_OPTIONS", "")
    monkeypatch.setenv("TSAN_OPTIONS", f"{options}:report_thread_leaks=0")
    with concurrent.futures.ThreadPoolExecutor() as runs:
        printed = {name: runs.submit(run_script, script_of(name)) for name in sorted(SLOW)}
    assert {name: run.result() for name, run in printed.items()} == dict.fromkeys(SLOW, "")


# The process forks while a thread is inside the pool and sometimes holds its locks.
FORKS = """
n = 100_000
pool = make("Counter", num_envs=n, batch_size=n // 2, num_threads=2, episode_length=0)
pool.reset()
least = pool.stats()["resets"]
assert least == n
ends = False
def run():
    while not ends:
        pool.send(zeros(n))
        pool.recv()
        pool.drain()
running = Call(run)
for _ in range(100):
    child = os.fork()
    if child == 0:
        signal.alarm(int(LIMIT))  # faulthandler's watchdog waits for a thread that is not here
        stats = pool.stats()
        assert stats["resets"] == least and set(stats) >= {"steps", "blocks", "threads_started"}
        assert all(isinstance(value, int) for value in stats.values())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
ends = True
running.result()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(
    bool(os.environ.get("ENVPOOL_SANITIZER")), reason="sanitizers' own locks do not survive a fork"
)
def test_stats_in_a_forked_child(run_script: RunScript) -> None:
    # Newer Pythons warn about a fork with threads, which this test needs.
    assert run_script(SCRIPT + FORKS, "-W", "ignore::DeprecationWarning") == "done\n"
