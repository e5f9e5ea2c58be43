"""Every id: the engine's own threads allocate no memory per step.

One process with counting allocation functions steps all tasks. The allocations of its first
thread, which runs Python, are not checked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envpool_py import _core
from envpool_py.tasks import registry

# The library is beside the compiled modules, which an editable installation keeps apart from the
# sources.
LIBRARY = Path(_core.__file__).parent / "libcounting_malloc.so"

SCRIPT = """
import ctypes, importlib, json, sys, threading
import numpy as np
import tree
import envpool_py

importlib.import_module("envpool_py._testing")
for package in sys.argv[2:]:
    envpool_py.tasks.registry.add(package)
count = ctypes.CDLL(sys.argv[1]).allocations_of_other_threads
count.restype = ctypes.c_uint64
other = threading.Thread(target=lambda: [bytearray(10_000) for _ in range(100)])
other.start()
other.join()
assert count() >= 100, "allocations are not counted"

def run(task_id, mode):
    # Episodes end in the warm-up and while it counts, also those that last.
    with envpool_py.make(
        task_id, num_envs=12, batch_size=4, num_threads=3, seed=0,
        max_episode_steps=9, autoreset_mode=mode,
    ) as pool:
        pool.action_space.seed(0)
        samples = [pool.action_space.sample() for _ in range(16)]
        pool.async_reset()
        def steps(number):
            for i in range(number):
                *_, infos = pool.recv(60)
                rows = len(infos["players"]["env_id"] if "players" in infos else infos["env_id"])
                actions = tree.map_structure(lambda leaf: leaf[:rows], samples[i % 16])
                pool.send(actions, infos["env_id"])
        steps(60)
        # What a thread allocates with its first step is no cost of steps. On a busy machine a
        # worker may take its first one late, so there are three tries. What steps and resets
        # allocate shows in each of them.
        counts = []
        while len(counts) < 3 and 0 not in counts:
            before = count()
            steps(60)
            counts.append(count() - before)
        return min(counts)

print(json.dumps({
    task_id: {mode: run(task_id, mode) for mode in ("NextStep", "SameStep")}
    for task_id in json.load(sys.stdin)
}))
"""


@pytest.fixture(scope="session")
def allocations(
    request: pytest.FixtureRequest, made_once: Callable[..., Path]
) -> dict[str, dict[str, int]]:
    """Returns the counts for all tested ids; one process counts for all processes of the run."""
    pytest.importorskip("envpool_py._testing")  # built together with the library
    if os.environ.get("ENVPOOL_SANITIZER"):
        pytest.skip("sanitizers have allocation functions of their own")
    assert LIBRARY.exists(), f"{LIBRARY} was built, but is not installed there"
    ids = [
        item.callspec.params["task_id"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and "allocations" in item.fixturenames
    ]

    def count(directory: Path) -> None:
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(LIBRARY), *registry.packages()],
            input=json.dumps(ids),
            env={**os.environ, "LD_PRELOAD": str(LIBRARY)},
            # In the repository Python would import the `envpool_py` directory instead.
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        (directory / "counts.json").write_text(ran.stdout)

    counted = made_once("allocations", count) / "counts.json"
    counts: dict[str, dict[str, int]] = json.loads(counted.read_text())
    return counts


def test_steps_allocate_nothing(task_id: str, allocations: dict[str, dict[str, int]]) -> None:
    family = registry.family_of(task_id)
    if family is not None and family.name == "Procgen":
        pytest.skip("the steps are those of Procgen's library, which allocates")
    assert allocations[task_id] == {"NextStep": 0, "SameStep": 0}
