"""`thread_affinity` and `numa`: the processors on which worker threads run."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
import envpool_py.compat.envpool as envpool
from envpool_py import _core
from envpool_py.errors import InputError, InputTypeError, OptionError

from ..lifecycle import Make, needs_proc, zeros

TASKS = Path("/proc/self/task")
CPUS: list[int] = _core.system_info()["cpus"]
pytestmark = [
    needs_proc,
    pytest.mark.skipif(_core._os_layer != "linux", reason="threads are not bound"),
]


def threads() -> set[str]:
    """Returns the ids of all threads of this process."""
    return {task.name for task in TASKS.iterdir()}


def worker_cpus(pool: Any, before: set[str]) -> list[list[int]]:
    """Starts all workers; returns the processors of each, in the order of the workers.

    Args:
        pool: the pool.
        before: the threads before the pool was made. Workers that help to construct the
            environments start while it is made.
    """
    pool.async_reset()
    pool.drain()
    found: dict[int, list[int]] = {}
    while len(found) < pool.num_threads:  # a thread gets its name after it is bound
        os.sched_yield()
        for task in TASKS.iterdir():
            name = (task / "comm").read_text().strip() if task.name not in before else ""
            if name.startswith("envpool-"):
                cpus = sorted(os.sched_getaffinity(int(task.name)))
                found[int(name.removeprefix("envpool-"))] = cpus
    assert sorted(found) == list(range(pool.num_threads))
    return [found[worker] for worker in range(pool.num_threads)]


def test_by_default_workers_use_all_processors_of_the_only_node(make: Make) -> None:
    if len(_core.system_info()["numa_nodes"]) > 1:
        pytest.skip("this machine has several NUMA nodes")
    for numa in ("auto", "off"):
        before = threads()
        with make("Counter", num_envs=4, num_threads=3, numa=numa) as pool:
            assert worker_cpus(pool, before) == [CPUS] * 3


def test_cores_binds_each_worker_to_one_processor(make: Make) -> None:
    before = threads()
    with make("Counter", num_envs=64, num_threads=len(CPUS), thread_affinity="cores") as pool:
        bound = worker_cpus(pool, before)
        assert sorted(bound) == [[cpu] for cpu in CPUS]
        pool.reset()
        pool.step(zeros(64))


def test_nodes_binds_each_worker_to_a_node(make: Make) -> None:
    nodes = [node["cpus"] for node in _core.system_info()["numa_nodes"]]
    before = threads()
    with make("Counter", num_envs=4, num_threads=2, thread_affinity="nodes") as pool:
        assert all(cpus in nodes for cpus in worker_cpus(pool, before))


def test_a_list_names_the_processors_of_each_worker(make: Make) -> None:
    last = CPUS[-1]
    for affinity, expected in (
        ([last], [[last]] * 3),
        ([last, CPUS], [[last], CPUS, [last]]),
        (np.array([CPUS[0], last]), [[CPUS[0]], [last], [CPUS[0]]]),
    ):
        before = threads()
        with make("Counter", num_envs=4, num_threads=3, thread_affinity=affinity) as pool:
            assert worker_cpus(pool, before) == expected


def test_results_do_not_depend_on_it() -> None:
    rows = []
    for affinity in (None, "cores", "nodes", [CPUS[0]]):
        with envpool_py.make(
            "CartPole-v1", num_envs=64, num_threads=3, seed=1, thread_affinity=affinity
        ) as pool:
            pool.reset()
            rows.append([pool.step(np.arange(64) % 2)[0] for _ in range(20)])
    for other in rows[1:]:
        np.testing.assert_array_equal(rows[0], other)


def test_copies_keep_it(make: Make) -> None:
    with make("Counter", num_threads=1, thread_affinity=[CPUS[-1]], numa="off") as pool:
        copy = pickle.loads(pickle.dumps(pool))
        assert copy.arguments.thread_affinity == [[CPUS[-1]]]
        assert copy.arguments.numa == "off"
        copy.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"thread_affinity": "core"}, InputError, "expected 'cores' or 'nodes', got 'core'.*cores"),
        ({"thread_affinity": 3}, InputTypeError, "thread_affinity: expected None, .*got int 3"),
        ({"thread_affinity": []}, InputTypeError, "thread_affinity: expected None, .*got list"),
        ({"thread_affinity": [[]]}, InputTypeError, "got an item"),
        ({"thread_affinity": ["0"]}, InputTypeError, "got an item '0'"),
        ({"thread_affinity": [0.5]}, InputTypeError, "thread_affinity: expected processors"),
        ({"thread_affinity": [True]}, InputTypeError, "got bool True"),
        ({"thread_affinity": [-1]}, InputError, "got processor -1"),
        ({"thread_affinity": [2**40]}, InputError, "got processor"),
        ({"thread_affinity": [60_000]}, InputError, "this process may use .*, got 60000"),
        ({"numa": "on"}, InputError, "numa: expected 'auto' or 'off', got 'on'"),
        ({"numa": None}, InputTypeError, "numa: expected 'auto' or 'off'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        envpool_py.make("CartPole-v1", **arguments)


def test_environments_in_python_have_no_such_threads() -> None:
    task = "AffinityCartPole-v0"
    gymnasium.register(task, entry_point=gymnasium.spec("CartPole-v1").entry_point)
    try:
        for arguments in (
            {"numa": "off"},
            {"thread_affinity": "cores"},
            {"thread_affinity": np.array([0, 0])},
        ):
            with pytest.raises(InputError, match=r"not supported for .* written in Python"):
                envpool_py.make(task, **arguments)
    finally:
        del gymnasium.registry[task]


def test_envpools_offset_counts_usable_processors() -> None:
    before = threads()
    pool = envpool.make_gymnasium(
        "CartPole-v1", num_envs=4, batch_size=2, num_threads=2, thread_affinity_offset=1
    )
    bound = worker_cpus(pool.pool, before)
    assert bound == [[CPUS[(1 + worker) % len(CPUS)]] for worker in range(2)]
    pool.close()
    with pytest.raises(OptionError, match="thread_affinity_offset"):
        envpool_py.make("CartPole-v1", thread_affinity_offset=1)
