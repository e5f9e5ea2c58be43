"""A call for which one allocation fails: a MemoryError, and the process goes on."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from envpool_py import _core

LIBRARY = Path(_core.__file__).parent / "libcounting_malloc.so"

SCRIPT = """
import ctypes, sys
import envpool_py
from envpool_py import _core

library = ctypes.CDLL(sys.argv[1])
library.allocations_of_this_thread.restype = ctypes.c_uint64
library.fail_allocation.argtypes = [ctypes.c_uint64]
arguments = {}
original = _core.Pool

class Recorded(original):
    def __init__(self, *args, **keywords):
        arguments["all"] = args, keywords
        super().__init__(*args, **keywords)

import envpool_py.pool.core as core
core._core.Pool = Recorded
envpool_py.make("CartPole-v1", num_threads=1).close()
core._core.Pool = original
args, keywords = arguments["all"]

def make():
    original(*args, **keywords).close(0.0)

make()
before = library.allocations_of_this_thread()
make()
count = library.allocations_of_this_thread() - before
failed = 0
for after in range(count):
    library.fail_allocation(after)
    try:
        make()
    except MemoryError:
        failed += 1
make()
print(count > 10, failed > count // 2)
"""


# Each call of a pool, with a pool of its own for each allocation that fails.
CALLS = """
import ctypes, json, sys
import numpy as np
import envpool_py

library = ctypes.CDLL(sys.argv[1])
library.allocations_of_this_thread.restype = ctypes.c_uint64
library.fail_allocation.argtypes = [ctypes.c_uint64]
NEVER = 2**62
task, options = sys.argv[2], json.loads(sys.argv[3])

def made():
    pool = envpool_py.make(task, num_envs=3, batch_size=2, num_threads=1, seed=1, **options)
    pool.reset()
    return pool

with made() as pool:
    rows = 3 * pool.num_players if pool.has_players else 3
    action = np.stack([pool.single_action_space.sample() for _ in range(rows)])

def at_rest(pool):
    return pool

def sent(pool):
    pool.send(action)
    return pool

def saved(pool):
    pool.states = pool.save_states()
    return pool

CALLS = {
    "reset": (at_rest, lambda pool: pool._core.reset(None, 7, None, None)),
    "step": (at_rest, lambda pool: pool._core.step(action)),
    "send": (at_rest, lambda pool: pool._core.send(action)),
    "recv": (sent, lambda pool: pool._core.recv()),
    "async_reset": (at_rest, lambda pool: pool._core.async_reset(None, None)),
    "drain": (sent, lambda pool: pool._core.drain()),
    "health": (sent, lambda pool: pool._core.health()),
    "save_states": (at_rest, lambda pool: pool._core.save_states()),
    "load_states": (saved, lambda pool: pool._core.load_states(pool.states)),
}
if options.get("render_mode"):
    CALLS["render"] = (at_rest, lambda pool: pool._core.render(None))

def works(pool):
    pool.drain()
    pool.reset()
    for _ in range(3):
        pool.send(action)
        pool.recv()
        pool.drain()

for name, (prepare, call) in CALLS.items():
    with made() as pool:
        prepare(pool)
        before = library.allocations_of_this_thread()
        call(pool)
        count = library.allocations_of_this_thread() - before
    failed = 0
    for after in range(count):
        with made() as pool:
            prepare(pool)
            library.fail_allocation(after)
            try:
                call(pool)
            except (MemoryError, envpool_py.EnvironmentFailedError):
                failed += 1
            finally:
                library.fail_allocation(NEVER)
            works(pool)
    print(name, count, failed)
"""


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs the library of an editable installation")
@pytest.mark.unsanitized  # a sanitizer has allocation functions of its own
def test_each_allocation_of_a_new_pool_may_fail(tmp_path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(LIBRARY)],
        cwd=tmp_path,
        env={**os.environ, "LD_PRELOAD": str(LIBRARY)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (run.returncode, run.stdout) == (0, "True True\n"), run.stderr


@pytest.mark.skipif(not LIBRARY.is_file(), reason="needs the library of an editable installation")
@pytest.mark.unsanitized  # a sanitizer has allocation functions of its own
@pytest.mark.parametrize(
    ("task_id", "options", "package"),
    [
        ("CartPole-v1", {"record_episode_statistics": True}, None),
        ("FrozenLake-v1", {"map_name": "8x8"}, None),
        ("MiniGrid-DoorKey-5x5-v0", {"render_mode": "rgb_array"}, None),
        ("LunarLander-v3", {}, None),
        ("MPE-SimpleTag-v3", {}, None),
        ("Pong-v5", {"render_mode": "rgb_array"}, "ale_py"),
        ("Hopper-v5", {}, "mujoco"),
        ("CoinrunEasy-v0", {"step_timeout": 1000.0}, "procgen"),
    ],
)
def test_each_allocation_of_a_call_may_fail(
    task_id: str, options: dict[str, object], package: str | None, tmp_path: Path
) -> None:
    """The call raises a MemoryError or succeeds all the same, and the pool goes on."""
    if package is not None and importlib.util.find_spec(package) is None:
        pytest.skip(f"needs {package}")
    run = subprocess.run(
        [sys.executable, "-c", CALLS, str(LIBRARY), task_id, json.dumps(options)],
        cwd=tmp_path,
        env={**os.environ, "LD_PRELOAD": str(LIBRARY)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    lines = [line.split() for line in run.stdout.splitlines()]
    assert len(lines) == 9 + ("render_mode" in options)
    assert sum(int(failed) for _, _, failed in lines) > 0
