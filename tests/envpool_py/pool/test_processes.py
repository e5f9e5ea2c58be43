"""Forking a process that has pools, and interpreter exit with open pools."""

from __future__ import annotations

import os

import pytest

from ..lifecycle import RunScript

FORK = """
import os, sys, threading
import numpy as np
import envpool_py, envpool_py._testing
from envpool_py.errors import ForkedError

IN_FLIGHT = {in_flight}
# ThreadSanitizer cannot follow threads that start after a fork.
sanitized = os.environ.get("ENVPOOL_SANITIZER") == "thread"
OWN = {"num_threads": 1} if sanitized else {"num_threads": 2, "batch_size": 4}
zeros = lambda n: np.zeros(n, np.int64)
pools = [
    envpool_py.make("Testing/Heavy-v0", num_envs=16, batch_size=batch, num_threads=3, work=20_000)
    for batch in (4, 16)
]
for pool in pools:
    pool.reset(seed=0)
    for _ in range(3):
        pool.send(zeros(16))
        pool.drain()
for round in range({rounds}):
    if IN_FLIGHT:
        for pool in pools:
            pool.send(zeros(16))
    child = os.fork()
    if child == 0:
        for pool in pools:
            for call in (
                lambda: pool.step(zeros(16)),
                lambda: pool.send(zeros(16)),
                lambda: pool.recv(),
                lambda: pool.reset(),
                lambda: pool.async_reset(),
                lambda: pool.drain(),
            ):
                try:
                    call()
                except ForkedError:
                    continue
                sys.exit(7)
        if round % 2 == 0:
            for pool in pools:
                pool.close()
            del pools, pool
        # A pool of the child's own works.
        with envpool_py.make("Testing/Heavy-v0", num_envs=8, **OWN) as own:
            own.reset(seed=1)
            assert own.step(zeros(8))[0].shape == (own.batch_size, 2)
        sys.exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, (round, status)
    for pool in pools:
        if IN_FLIGHT:
            pool.drain()
        pool.send(zeros(16))
        pool.recv(60)
        pool.drain()
print("done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(
    os.environ.get("ENVPOOL_SANITIZER") == "address",
    reason="the sanitizer's allocator locks are not released in a forked child (GCC 12)",
)
@pytest.mark.parametrize("in_flight", [False, True])
def test_fork(run_script: RunScript, in_flight: bool) -> None:
    source = FORK.replace("{in_flight}", str(in_flight)).replace("{rounds}", "20")
    # Newer Pythons warn about a fork with threads, which this test needs.
    assert run_script(source, "-W", "ignore::DeprecationWarning") == "done\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_has_a_copy_of_a_pool_without_threads(run_forked: RunScript) -> None:
    """A single environment, too: it goes on as in the parent."""
    output = run_forked(
        """
        import os, gymnasium, numpy as np, envpool_py
        from envpool_py.errors import ClosedError, ForkedError

        env = gymnasium.make("EnvPool/CartPole-v1")
        env.reset(seed=3)
        pool = envpool_py.make("CartPole-v1", num_envs=4, num_threads=1)
        pool.reset(seed=4)
        closed = envpool_py.make("CartPole-v1", num_envs=4, num_threads=1)
        refused = [
            envpool_py.make("CartPole-v1", num_envs=4, num_threads=2),
            envpool_py.make("CartPole-v1", num_envs=4, num_threads=1, render_mode="rgb_array"),
            envpool_py.make("CartPole-v1", num_envs=4, num_threads=1, batch_size=2),
        ]
        refused[2].async_reset()  # starts a thread
        def go_on():
            return b"".join(
                part.tobytes()
                for part in (
                    env.step(0)[0], env.reset()[0], pool.step(np.ones(4, int))[0], pool.reset()[0]
                )
            )
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, go_on())
            env.close()
            pool.close()
            closed.close()
            for each, error in ((pool, ClosedError), (closed, ClosedError), *(
                (each, ForkedError) for each in refused
            )):
                try:
                    each.reset()
                except error as caught:
                    assert error is ClosedError or "behind fork()" in str(caught)
                else:
                    os._exit(2)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        expected = go_on()
        print(os.read(read, 10_000) == expected, len(expected))
        """
    )
    assert output == f"True {(2 + 8) * 16}\n"


# --- Interpreter exit ---------------------------------------------------------

EXIT_PREAMBLE = """
import sys, threading
import numpy as np
import envpool_py, envpool_py._testing as testing

zeros = lambda n: np.zeros(n, np.int64)
def make(name="Heavy", **arguments):
    arguments = {"num_envs": 64, "batch_size": 8, "num_threads": 3, **arguments}
    pool = envpool_py.make(f"Testing/{name}-v0", **arguments)
    pool.reset(seed=0)
    return pool
"""

EXITS = {
    "idle": """
        pool = make(work=1000)
        pool.send(zeros(64))
        for _ in range(8): pool.recv()
    """,
    "never used": "pool = envpool_py.make('Testing/Counter-v0', num_envs=100)",
    "work in flight": """
        pool = make(work=10_000_000)
        pool.send(zeros(64))
    """,
    "results not received": """
        pool = make(work=100)
        pool.send(zeros(64))
        pool.recv()
    """,
    "arrays alive": """
        pool = make(work=100, batch_size=64)
        batches = []
        for _ in range(20):
            batches.append(pool.step(zeros(64)))
        del pool
    """,
    "cycle": """
        pool = make(work=10_000_000)
        pool.send(zeros(64))
        pool.self = pool
        del pool
    """,
    "sys.exit within with": """
        with make(work=10_000_000) as pool:
            pool.send(zeros(64))
            sys.exit(0)
    """,
    "kept by a module": """
        pool = make(work=10_000_000)
        pool.send(zeros(64))
        np.kept_pool = pool
        sys.kept_batch = pool.recv()
    """,
    "daemon thread in recv": """
        pool = make(work=50_000_000)
        pool.send(zeros(64))
        entered = threading.Event()
        def receive():
            entered.set()
            try:
                while True:
                    ids = pool.recv()[4]["env_id"]
                    pool.send(zeros(8), ids)
            except envpool_py.errors.ClosedError:
                pass
        threading.Thread(target=receive, daemon=True).start()
        entered.wait()
    """,
    "daemon thread in step": """
        pool = make(work=10_000, batch_size=64)
        stepped = threading.Event()
        def step():
            try:
                while True:
                    pool.step(zeros(64))
                    stepped.set()
            except envpool_py.errors.ClosedError:
                pass
        threading.Thread(target=step, daemon=True).start()
        stepped.wait()
    """,
}


@pytest.mark.parametrize("name", EXITS)
def test_the_interpreter_exits_cleanly(
    run_script: RunScript, run_forked: RunScript, name: str
) -> None:
    import textwrap

    source = EXIT_PREAMBLE + textwrap.dedent(EXITS[name])
    for run in (run_script, run_forked, run_forked):
        assert run(source) == ""
