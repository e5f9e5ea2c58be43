"""Making, closing, dropping, interrupting, forking and leaving; exact counters."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import ClosedError, EnvIdError, NothingInFlightError, RecvTimeoutError

Make = Callable[..., Any]
RunScript = Callable[..., str]

GUARD = 120.0  # seconds after which a `recv` has failed its test
GATE_WORK = 300_000  # makes Gate-v0 dear enough for the pool to share a step among its threads

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc/self")


def zeros(n: int) -> np.ndarray:
    return np.zeros(n, np.int64)


def workers() -> int:
    """Threads of this process that step environments."""
    names = []
    for thread in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # it has ended since it was listed
            names.append((thread / "comm").read_text())
    return sum(name.startswith("envpool-") for name in names)


def workers_are(expected: int) -> bool:
    """Whether there are that many; the kernel lists a thread for a moment after it was joined."""
    for _ in range(100_000):
        if workers() == expected:
            return True
        os.sched_yield()
    return False


# --- Closing -----------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [2, 3])
def test_every_call_on_a_closed_pool_says_so(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=3, batch_size=batch_size)
    pool.reset()
    pool.close()
    pool.close()
    calls: list[Callable[[], Any]] = [
        lambda: pool.step(zeros(3)),
        lambda: pool.step(zeros(1), [0]),
        lambda: pool.send(zeros(3)),
        lambda: pool.recv(),
        lambda: pool.recv(0),
        lambda: pool.reset(),
        lambda: pool.reset(seed=1, options={"low": 3}),
        lambda: pool.async_reset(),
        lambda: pool.drain(),
    ]
    for call in calls:
        with pytest.raises(ClosedError):
            call()
    assert pool.num_envs == len(pool) == 3
    assert "Counter" in repr(pool)


def test_with_closes_also_on_the_way_out_of_an_exception(testing: Any) -> None:
    del testing
    with pytest.raises(KeyError), envpool_py.make("Testing/Counter-v0") as pool:
        raise KeyError
    with pytest.raises(ClosedError):
        pool.reset()


@needs_proc
def test_close_joins_the_threads(make: Make) -> None:
    assert workers_are(0)
    pool = make("Heavy", num_envs=8, batch_size=4, num_threads=3, work=1000)
    pool.reset()
    pool.send(zeros(8))
    pool.recv(GUARD)
    assert workers_are(3)
    pool.close()
    assert workers_are(0)


def test_close_wakes_a_recv_in_another_thread(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=2, batch_size=1, num_threads=1, work=GATE_WORK)
    pool.reset()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    entered = threading.Event()
    outcome: list[BaseException | Any] = []

    def receive() -> None:
        entered.set()
        try:
            outcome.append(pool.recv(GUARD))
        except BaseException as error:
            outcome.append(error)

    receiver = threading.Thread(target=receive)
    closer = threading.Thread(target=pool.close)
    receiver.start()
    entered.wait()
    closer.start()
    # The step itself still waits: the receiver must not wait for it.
    receiver.join(GUARD)
    assert not receiver.is_alive()
    assert len(outcome) == 1
    assert isinstance(outcome[0], ClosedError)
    assert testing.gate_waiting() == 1
    testing.open_gate()
    closer.join(GUARD)
    assert not closer.is_alive()


def test_close_drops_what_is_queued(make: Make, testing: Any) -> None:
    """Of a thousand steps of twenty milliseconds, closing waits for those that have begun."""
    pool = make("Heavy", num_envs=1000, batch_size=10, num_threads=2, work=20_000_000)
    pool.reset()
    before = testing.heavy_steps()
    pool.send(zeros(1000))
    pool.close()
    assert testing.heavy_steps() - before < 1000


@needs_proc
def test_dropping_a_pool_with_work_in_flight(testing: Any) -> None:
    assert workers_are(0)
    pool = envpool_py.make(
        "Testing/Heavy-v0", num_envs=1000, batch_size=10, num_threads=2, work=20_000_000
    )
    pool.reset()
    before = testing.heavy_steps()
    pool.send(zeros(1000))
    gone = weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is None
    assert workers_are(0)
    assert testing.heavy_steps() - before < 1000


def test_instances_go_with_their_pool(testing: Any) -> None:
    alive = testing.failing_instances()
    pool = envpool_py.make("Testing/Failing-v0", num_envs=10)
    obs, _ = pool.reset()
    assert testing.failing_instances() == alive + 10
    del pool
    gc.collect()
    assert testing.failing_instances() == alive
    assert obs.shape == (10, 2)


def test_a_pool_in_a_cycle_is_collected(testing: Any) -> None:
    alive = testing.failing_instances()
    pool: Any = envpool_py.make("Testing/Failing-v0", num_envs=3)
    pool.unwrapped_by = [pool]
    del pool
    gc.collect()
    assert testing.failing_instances() == alive


# --- Ctrl-C ------------------------------------------------------------------


@contextlib.contextmanager
def ctrl_c_during(call: Any, testing: Any, waiting: int) -> Iterator[None]:
    """Sends SIGINT once `waiting` steps wait at a gate and this thread is within the method `call`.

    The signal is repeated until it finds the thread there; only then does its handler raise, as
    Python's own does. Should the call not notice, the gate is opened after a while, which ends it.
    """
    handled, raised = threading.Event(), threading.Event()

    def handle(_: int, frame: Any) -> None:
        if frame is not None and frame.f_code is call.__func__.__code__:
            raised.set()
            handled.set()
            raise KeyboardInterrupt
        handled.set()

    def run() -> None:
        noticed = testing.await_gate_waiting(waiting)
        while noticed and not raised.is_set():
            handled.clear()
            os.kill(os.getpid(), signal.SIGINT)
            noticed = handled.wait(GUARD)
        if not noticed:
            testing.open_gate()

    before = signal.signal(signal.SIGINT, handle)
    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("batch_size", [2, 3])
def test_ctrl_c_during_recv(make: Make, testing: Any, batch_size: int) -> None:
    pool = make("Gate", num_envs=3, batch_size=batch_size, num_threads=3, work=GATE_WORK)
    pool.reset()
    pool.send([1, 1, 1])
    with ctrl_c_during(pool.recv, testing, 3), pytest.raises(KeyboardInterrupt):
        pool.recv()
    assert testing.gate_waiting() == 3
    with pytest.raises(RecvTimeoutError):
        pool.recv(0)
    testing.open_gate()
    obs, *_, infos = pool.recv(GUARD)
    np.testing.assert_array_equal(obs[:, 0], [1] * batch_size)
    assert len(set(infos["env_id"].tolist())) == batch_size
    pool.drain()
    pool.send(zeros(3))
    np.testing.assert_array_equal(pool.recv(GUARD)[0][:, 0], [2] * batch_size)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_during_step(make: Make, testing: Any) -> None:
    """The interrupted step goes on; its results come by `recv`."""
    pool = make("Gate", num_envs=2, num_threads=2, work=GATE_WORK)
    pool.reset()
    for _ in range(5):  # the pool learns that a step is worth sharing
        pool.step(zeros(2))
    # This thread steps one environment, passes the gate once the worker is held there with the
    # other, and then waits for it.
    testing.escort_others(True)
    try:
        with ctrl_c_during(pool.step, testing, 1), pytest.raises(KeyboardInterrupt):
            pool.step([1, 1])
    finally:
        testing.escort_others(False)
    assert testing.gate_waiting() == 1
    with pytest.raises(EnvIdError, match="in flight"):
        pool.step(zeros(2))
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.01)
    testing.open_gate()
    obs, reward, _, _, infos = pool.recv(GUARD)
    assert infos["env_id"].tolist() == [0, 1]
    np.testing.assert_array_equal(obs[:, 0], [6, 6])
    assert reward.shape == (2,)
    with pytest.raises(NothingInFlightError):
        pool.recv(0)
    np.testing.assert_array_equal(pool.step(zeros(2))[0][:, 0], [7, 7])
    assert pool.stats()["steps"] == 14


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("num_envs", [1, 2, 5])
def test_ctrl_c_while_the_calling_thread_steps(make: Make, testing: Any, num_envs: int) -> None:
    """An environment that is being stepped is not torn off; the call ends after it.

    With nobody else to step the rest, `recv` does.
    """
    # A step takes longer than the time for which a stepping thread does not look at signals.
    pool = make("Gate", num_envs=num_envs, num_threads=1, work=100_000_000)
    pool.reset()
    pool.step(zeros(num_envs))

    def run() -> None:
        if testing.await_gate_waiting(1):
            os.kill(os.getpid(), signal.SIGINT)
        testing.open_gate()

    def step() -> None:
        killer.start()
        pool.step(np.ones(num_envs, np.int64))
        killer.join()

    killer = threading.Thread(target=run)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            step()
    finally:
        killer.join()
        signal.signal(signal.SIGINT, before)
    if num_envs > 1:
        obs, *_, infos = pool.recv(GUARD)
        assert infos["env_id"].tolist() == list(range(num_envs))
        np.testing.assert_array_equal(obs[:, 0], [2] * num_envs)
    np.testing.assert_array_equal(pool.step(zeros(num_envs))[0][:, 0], [3] * num_envs)
    assert pool.stats()["steps"] == 3 * num_envs


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_during_step_in_first_ready_mode(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=3, batch_size=2, num_threads=2, work=GATE_WORK)
    pool.reset()
    with ctrl_c_during(pool.step, testing, 2), pytest.raises(KeyboardInterrupt):
        pool.step([1, 1, 0])
    assert testing.gate_waiting() == 2
    testing.open_gate()
    obs, *_ = pool.recv(GUARD)
    np.testing.assert_array_equal(obs[:, 0], [1, 1])
    pool.drain()
    assert pool.stats()["steps"] == 3


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_ctrl_c_during_drain(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=3, batch_size=2, num_threads=3, work=GATE_WORK)
    pool.reset()
    pool.send([1, 1, 1])
    with ctrl_c_during(pool.drain, testing, 3), pytest.raises(KeyboardInterrupt):
        pool.drain()
    testing.open_gate()
    pool.drain()
    pool.send(zeros(3))
    np.testing.assert_array_equal(pool.recv(GUARD)[0][:, 0], [2, 2])


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_other_signals_do_not_interrupt(make: Make, testing: Any) -> None:
    """A handler that returns normally runs while `recv` waits, and `recv` goes on waiting."""
    handled = threading.Event()
    before = signal.signal(signal.SIGUSR1, lambda *_: handled.set())
    try:
        pool = make("Gate", num_envs=2, batch_size=1, num_threads=1, work=GATE_WORK)
        pool.reset()
        pool.send([1], [0])

        def run() -> None:
            if testing.await_gate_waiting(1):
                os.kill(os.getpid(), signal.SIGUSR1)
                handled.wait(GUARD)
            testing.open_gate()

        thread = threading.Thread(target=run)
        thread.start()
        pool.recv(GUARD)
        thread.join()
        assert handled.is_set()
    finally:
        signal.signal(signal.SIGUSR1, before)


# --- Fork --------------------------------------------------------------------

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
    # Newer Pythons warn of a fork with threads, which is what this is about.
    assert run_script(source, "-W", "ignore::DeprecationWarning") == "done\n"


# --- Leaving the interpreter -------------------------------------------------

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
def test_the_interpreter_exits_cleanly(run_script: RunScript, name: str) -> None:
    import textwrap

    source = EXIT_PREAMBLE + textwrap.dedent(EXITS[name])
    for _ in range(3):
        assert run_script(source) == ""


# --- Many --------------------------------------------------------------------


@needs_proc
@pytest.mark.unsanitized
def test_ten_thousand_pools_leave_nothing_behind(run_script: RunScript) -> None:
    """Half of them start threads, a tenth is dropped with work in flight."""
    script = """
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
        for i in range(10_000):
            cycle(i)
        grown = resident() - before
        assert threads() == threads_before, (threads(), threads_before)
        # Four hundred bytes a pool would be as much.
        assert grown < 4_000_000, grown
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


# --- Counters ----------------------------------------------------------------


@pytest.mark.parametrize("num_threads", [1, 3])
@pytest.mark.parametrize(
    ("mode", "steps_per_env", "episodes_per_env", "resets_per_env"),
    [
        # 20 calls: four steps, then one that only resets, and so on.
        ("NextStep", 16, 4, 1 + 4),
        ("SameStep", 20, 5, 1 + 5),
    ],
)
def test_counters_are_exact(
    make: Make,
    mode: str,
    steps_per_env: int,
    episodes_per_env: int,
    resets_per_env: int,
    num_threads: int,
) -> None:
    num_envs = 10
    for batch_size in (10, 5):
        pool = make(
            "Counter",
            num_envs=num_envs,
            batch_size=batch_size,
            autoreset_mode=mode,
            num_threads=num_threads,
            episode_length=4,
        )
        stats = pool.stats()
        assert [stats[name] for name in ("steps", "episodes", "resets", "failures")] == [0] * 4
        pool.reset(seed=0)
        for _ in range(20):
            if batch_size == num_envs:
                pool.step(zeros(num_envs))
            else:
                pool.send(zeros(num_envs))
                pool.recv(GUARD)
                pool.recv(GUARD)
        stats = pool.stats()
        assert stats["steps"] == steps_per_env * num_envs
        assert stats["episodes"] == episodes_per_env * num_envs
        assert stats["resets"] == resets_per_env * num_envs
        assert stats["failures"] == 0


@pytest.mark.parametrize("batch_size", [4, 8])
def test_what_has_been_received_has_been_counted(make: Make, batch_size: int) -> None:
    pool = make("Counter", num_envs=8, batch_size=batch_size, num_threads=2, episode_length=0)
    pool.reset()
    for call in range(1, 2001):
        pool.send(zeros(8))
        for _ in range(8 // batch_size):
            pool.recv(GUARD)
        assert pool.stats()["steps"] == 8 * call


def test_counters_of_disabled_autoreset_and_partial_resets(make: Make) -> None:
    pool = make("Counter", num_envs=6, autoreset_mode="Disabled", episode_length=2)
    pool.reset()
    pool.step(zeros(6))
    pool.step(zeros(6))
    pool.reset(env_id=[0, 3])
    pool.reset(options={"reset_mask": np.array([False, True, False, False, False, True])})
    pool.step(zeros(4), [0, 1, 3, 5])
    pool.async_reset([2, 4])
    pool.drain()
    stats = pool.stats()
    assert stats["steps"] == 6 + 6 + 4
    assert stats["episodes"] == 6
    assert stats["resets"] == 6 + 2 + 2 + 2


def test_times_are_counted_where_they_are_spent(make: Make, testing: Any) -> None:
    pool = make("Gate", num_envs=2, batch_size=1, num_threads=1, work=GATE_WORK)
    names = ("step_ns", "idle_ns", "recv_wait_ns")
    assert set(names) <= set(pool.stats())
    pool.reset()
    before = pool.stats()
    pool.send([1], [0])
    assert testing.await_gate_waiting(1)
    with pytest.raises(RecvTimeoutError):
        pool.recv(0.02)
    assert pool.stats()["recv_wait_ns"] - before["recv_wait_ns"] >= 10_000_000
    testing.open_gate()
    pool.recv(GUARD)
    pool.close()
    after = pool.stats()
    assert after["step_ns"] - before["step_ns"] >= 10_000_000  # the step waited as long as `recv`
    assert after["steps"] == 1
    for name in names:
        assert after[name] >= 0
    assert all(isinstance(value, int) for value in after.values())
