"""Several threads of the program use the package at the same time.

With a GIL, these tests see what happens when a call gives it up. Without one (3.13t and later),
threads run the package's own code at the same time, too.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.pool.core import BatchLog, engine_core_of

from ..at_once import at_once, needs_no_gil
from ..lifecycle import Make, RunScript, zeros

THREADS = 4

MODULES = """
import sys
import envpool_py
from envpool_py import _atari, _core, _mujoco, _procgen
try:
    from envpool_py import _testing
except ImportError:
    pass
for make in (envpool_py.make, envpool_py.make_dm):
    with make("CartPole-v1", num_envs=4, num_threads=2) as pool:
        pool.reset()
print(sys._is_gil_enabled())
"""


@needs_no_gil
def test_the_modules_leave_the_gil_off(run_script: RunScript) -> None:
    assert "PYTHON_GIL" not in os.environ, "this test is about the setting that modules choose"
    assert run_script(MODULES, "-W", "error") == "False\n"


def played(task_id: str, steps: int, **arguments: Any) -> list[Any]:
    """Returns the batches of a new pool whose actions are all 0."""
    with envpool_py.make(task_id, num_envs=6, seed=3, num_threads=2, **arguments) as pool:
        batches: list[Any] = [pool.reset()]
        for _ in range(steps):
            rows = len(batches[-1][-1]["players"]["id"]) if pool.has_players else 6
            shape = (rows, *pool.single_action_space.shape)
            batches.append(pool.step(np.zeros(shape, pool.single_action_space.dtype)))
        return batches


@pytest.mark.parametrize(
    ("task_id", "arguments"),
    [
        ("CartPole-v1", {}),
        ("Pendulum-v1", {"max_episode_steps": 20}),
        ("FrozenLake-v1", {"autoreset_mode": "SameStep", "record_episode_statistics": True}),
        ("MiniGrid-DoorKey-8x8-v0", {"max_steps": 15}),
        ("BabyAI-GoToLocal-v0", {"max_steps": 7}),
        ("Testing/Players-v0", {"named": True}),
    ],
)
def test_a_pool_for_each_thread(
    task_id: str, arguments: dict[str, Any], testing: Any, assert_equal: Any
) -> None:
    play = functools.partial(played, task_id, 150, **arguments)
    alone = [without_times(batch) for batch in play()]
    for batches in at_once([play] * THREADS):
        for batch, expected in zip(batches, alone, strict=True):
            assert_equal(plain(without_times(batch)), plain(expected))


def without_times(batch: Any) -> Any:
    for infos in (batch[-1], batch[-1].get("final_info", {})):
        for name in ("t", "_t"):
            infos.get("episode", {}).pop(name, None)
    return batch


def plain(value: Any) -> Any:
    """Returns results in which texts are arrays, as the comparison expects."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        if value and isinstance(value[0], str):
            return np.array(value)
        return tuple(plain(each) for each in value)
    return value


def key_of(value: Any) -> Any:
    """Returns what equal results have in common."""
    if isinstance(value, dict):
        return tuple((name, key_of(each)) for name, each in sorted(value.items()))
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return tuple(map(key_of, value)) if isinstance(value, tuple) else value


@pytest.mark.parametrize("task_id", ["Testing/Counter-v0", "BabyAI-GoToLocal-v0"])
def test_threads_step_one_pool(task_id: str, testing: Any) -> None:
    """Each batch goes to one of the threads, and all together are those of one thread."""
    steps = 200
    limit = {"max_steps": 3} if task_id.startswith("BabyAI") else {"episode_length": 3}
    arguments = {"num_envs": 5, "seed": 8, "num_threads": 2, **limit}

    def batches(pool: Any, count: int) -> list[Any]:
        made = [pool.step(zeros(5)) for _ in range(count)]  # kept, so that blocks stay leased
        return [key_of(each) for each in made]

    with envpool_py.make(task_id, **arguments) as twin:
        twin.reset()
        expected = Counter(batches(twin, THREADS * steps))
    with envpool_py.make(task_id, **arguments) as pool:
        pool.reset()
        each = at_once([functools.partial(batches, pool, steps)] * THREADS)
    assert sum(map(Counter, each), Counter()) == expected


def test_names_of_players_for_several_threads(testing: Any) -> None:
    arguments = {"num_envs": 5, "named": True, "num_threads": 2, "seed": 4}
    for _ in range(10):
        with envpool_py.make("Testing/FixedPlayers-v0", **arguments) as pool:

            def names(env_ids: list[int], pool: Any = pool) -> None:
                for _ in range(50):
                    players = pool.reset(env_ids)[1]["players"]
                    expected = [f"robot_{number}" for number in players["id"]]
                    assert players["name"].tolist() == expected

            # The batches have different sizes.
            at_once([functools.partial(names, list(range(n))) for n in range(1, 1 + THREADS)])


def test_senders_and_receivers(make: Make) -> None:
    """Each environment's results come in order, whichever thread receives and sends it."""
    num_envs, rounds = 24, 300
    pool = make("Counter", num_envs=num_envs, batch_size=3, num_threads=3, episode_length=0)
    pool.reset(seed=0)
    pool.send(zeros(num_envs))

    def play() -> Counter[int]:
        seen: Counter[int] = Counter()
        for _ in range(rounds):
            observations, *_, infos = pool.recv()
            seen.update(infos["env_id"].tolist())
            for env, count, step in zip(
                infos["env_id"], observations[:, 0], infos["elapsed_step"], strict=True
            ):
                assert count == step, env
            pool.send(zeros(3), infos["env_id"])
        return seen

    seen = sum(at_once([play] * THREADS), Counter())
    assert seen.total() == THREADS * rounds * 3
    pool.drain()
    steps = pool.reset(options={"reset_mask": np.arange(num_envs) == 0})[1]["elapsed_step"]
    assert steps[0] == 0
    for env in range(1, num_envs):
        assert steps[env] == seen[env] + 1  # that of the batch which was discarded


def test_targets_of_several_threads(make: Make) -> None:
    """Each thread's rows are those of its own call; targets end on other threads' calls."""
    pool = make("Counter", num_envs=8, num_threads=2, episode_length=0)
    pool.reset(seed=0)
    core = engine_core_of(pool)

    def step() -> list[int]:
        seen = []
        for _ in range(200):
            rows = np.zeros((8, 3), np.int64)
            core.step_into(zeros(8), None, core.make_target({"obs": rows}), 0)
            assert (rows[:, 0] == rows[0, 0]).all()
            seen.append(int(rows[0, 0]))
        return seen

    seen = sorted(count for counts in at_once([step] * THREADS) for count in counts)
    assert seen == list(range(1, 1 + THREADS * 200))


def test_options_of_several_threads(make: Make) -> None:
    num_envs = 2 * THREADS
    pool = make("Counter", num_envs=num_envs, num_threads=2)
    pool.reset(seed=0)

    def change(thread: int) -> None:
        ids = [2 * thread, 2 * thread + 1]
        for round_ in range(100):
            # Some settings are those of other threads, too.
            labels = ["x" * ((thread * round_) % 90), "x" * (round_ % 7)]
            pool.set_env_options({"label": labels}, ids)
            given = pool.get_env_options(ids, after_reset=True)
            assert [options["label"] for options in given] == labels
            lengths = pool.reset(ids)[1]["label_bytes"]
            assert lengths.tolist() == [len(label) for label in labels]

    at_once([functools.partial(change, thread) for thread in range(THREADS)])


def test_a_log_that_several_threads_read(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with envpool_py.make("CartPole-v1", num_envs=12, batch_size=4, seed=0) as pool:
        pool.record_batches(log)
        pool.async_reset()
        for _ in range(2000):
            pool.send(zeros(4), pool.recv()[4]["env_id"])

    def batches(reader: BatchLog) -> list[tuple[bytes, bytes]]:
        read = []
        while (batch := reader.next()) is not None:
            read.append((batch[0].tobytes(), batch[1].tobytes()))
        return read

    alone = Counter(batches(BatchLog(os.open(log, os.O_RDONLY))))
    assert alone.total() == 2000
    shared = BatchLog(os.open(log, os.O_RDONLY))
    each = at_once([functools.partial(batches, shared)] * THREADS)
    assert sum(map(Counter, each), Counter()) == alone


def test_pools_are_made_and_dropped(testing: Any) -> None:
    """Also the first uses of families, whose modules and libraries are loaded then."""

    def use(task_id: str) -> int:
        steps = 0
        for _ in range(20):
            pool = envpool_py.make(task_id, num_envs=4, batch_size=2, num_threads=2)
            pool.async_reset()
            infos = pool.recv()[-1]
            pool.send(np.zeros((2, *pool.single_action_space.shape)).astype(int), infos["env_id"])
            steps += len(infos["env_id"])
        return steps

    tasks = ["Acrobot-v1", "Taxi-v4", "MiniGrid-Empty-5x5-v0", "Testing/Counter-v0"]
    assert at_once([functools.partial(use, task) for task in tasks * 2]) == [40] * 8


SPECS = """
import threading
import envpool_py
ids = ["CartPole-v1", "FrozenLake-v1", "MiniGrid-Empty-5x5-v0", "LunarLander-v3", "Pong-v5"]
barrier = threading.Barrier(8)
specs = []
def describe(first):
    barrier.wait()
    order = ids[first:] + ids[:first]
    specs.append(sorted(str(envpool_py.make_spec(task_id)) for task_id in order))
    envpool_py.list_all_envs()
threads = [threading.Thread(target=describe, args=(k % len(ids),)) for k in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(specs) == 8 and all(each == specs[0] for each in specs)
print("done")
"""


def test_the_first_specs_of_a_process(run_script: RunScript) -> None:
    assert run_script(SPECS) == "done\n"


CHILD = """
import os
import threading
import numpy as np
import envpool_py
pool = envpool_py.make("CartPole-v1", num_envs=4, num_threads=1, seed=0)
pool.reset()
if (child := os.fork()) == 0:
    barrier, steps = threading.Barrier(4), []
    def step():
        barrier.wait()
        steps.extend(pool.step(np.zeros(4, int))[4]["elapsed_step"])
    threads = [threading.Thread(target=step) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    os._exit(0 if sorted(steps) == [step for step in (1, 2, 3, 4) for _ in range(4)] else 3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_the_first_calls_in_a_child(run_script: RunScript) -> None:
    assert run_script(CHILD) == "0\n"


def test_threads_that_close_one_pool() -> None:
    for _ in range(20):
        pool = envpool_py.make("CartPole-v1", num_envs=64, batch_size=16, num_threads=2)
        pool.async_reset()
        at_once([pool.close] * THREADS)
        assert pool.closed
