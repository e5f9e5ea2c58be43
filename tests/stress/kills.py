"""Kills workers at random moments of a run under load: `python -m tests.stress.kills`.

A thread kills the workers of a pool of Python environments with SIGKILL at random times, each
worker about equally often. Meanwhile the pool steps as fast as it can, with more processes than
processors. Every result is compared with a twin of the environment in this process. The twin of a
failed environment is made anew, so environments that a death does not concern must continue
unchanged. At the end, no process, descriptor or shared memory of the pool may remain.
"""

from __future__ import annotations

import argparse
import functools
import gc
import os
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium
import numpy as np
from gymnasium import spaces

import envpool_py
from envpool_py import EnvironmentFailedError
from envpool_py.python_envs import launching

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

LONGEST_WAIT = 60.0  # seconds to wait for a batch
ROWS_AFTERWARDS = 20  # per environment, after the last kill
MOST_GROWTH = 20_000  # KiB of resident memory
SAMPLES = 20  # of the memory, per run


class Walk(gymnasium.Env[Any, Any]):
    """Its observations depend on its index, its actions, and its steps since it was made."""

    observation_space: Any = spaces.Box(-np.inf, np.inf, (64,), np.float64)
    action_space: Any = spaces.Discrete(5)

    def __init__(self, index: int) -> None:
        self.np_random = np.random.default_rng(index)
        self.sum = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        self.sum = 0.0
        return self.np_random.random(64), {}

    def step(self, action: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        self.sum += float(action) * self.np_random.random()
        observation = self.np_random.random(64) + self.sum
        draw = self.np_random.random()
        infos = {"sum": self.sum, "text": f"{self.sum:.17g}"}  # one info in a column, one pickled
        return observation, self.sum, draw < 0.02, draw > 0.99, infos


class Twin:
    """An undisturbed environment, reset after its episodes as the pool's environments are."""

    def __init__(self, index: int) -> None:
        self._env = Walk(index)
        self._over = True

    def step(self, action: int) -> tuple[Any, ...]:
        if self._over:
            observation, infos = self._env.reset()
            self._over = False
            return observation, 0.0, False, False, infos
        result = self._env.step(action)
        self._over = result[2] or result[3]
        return result


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes:
        kills: number of workers killed.
        kills_of: the same, for each worker.
        rows: number of results compared with a twin.
        failures: number of failed environments.
        processes: process ids of all workers.
        memory: resident KiB of this process and of the workers' server, sampled during the run.
    """

    kills: int = 0
    kills_of: list[int] = field(default_factory=list)
    rows: int = 0
    failures: int = 0
    processes: set[int] = field(default_factory=set)
    memory: list[tuple[int, int]] = field(default_factory=list)


class Killer(threading.Thread):
    """Kills workers of a pool at random moments within `seconds`."""

    def __init__(self, pool: Any, seconds: float, kills: int, seed: int, outcome: Outcome) -> None:
        super().__init__(daemon=True)
        rng = np.random.default_rng(seed)
        self._pool = pool
        self._moments = np.sort(rng.uniform(0.0, seconds, kills)).tolist()
        self._workers = rng.permutation(np.arange(kills) % pool.num_workers).tolist()
        self._outcome = outcome
        self._ended = threading.Event()
        outcome.kills_of = [0] * pool.num_workers

    def run(self) -> None:
        began = time.monotonic()
        for moment, worker in zip(self._moments, self._workers, strict=True):
            pause = max(0.0, began + moment - time.monotonic())
            while not self._ended.wait(pause):
                if self._kill(worker):
                    break
                pause = 0.001  # the worker was killed and is not yet replaced

    def _kill(self, worker: int) -> bool:
        try:
            os.kill(self._pool.worker_pids[worker], signal.SIGKILL)
        except ProcessLookupError:
            return False
        self._outcome.kills += 1
        self._outcome.kills_of[worker] += 1
        return True

    def __enter__(self) -> Killer:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self.join()


def run(
    seconds: float,
    kills: int,
    *,
    seed: int = 0,
    num_envs: int = 16,
    batch_size: int = 4,
    num_workers: int = 4,
) -> Outcome:
    """Steps a pool until all kills are done and each environment has made its last steps.

    Raises:
        AssertionError: a result differs from the twin's.
        RecvTimeoutError: no batch arrives in time.
    """
    outcome = Outcome()
    functions = [functools.partial(Walk, index) for index in range(num_envs)]
    rng = np.random.default_rng(seed)
    with (
        envpool_py.make_python(functions, batch_size=batch_size, num_workers=num_workers) as pool,
        Killer(pool, seconds, kills, seed, outcome) as killer,
    ):
        twins = [Twin(index) for index in range(num_envs)]
        actions = np.zeros(num_envs, int)
        afterwards = np.zeros(num_envs, int)  # results since the last kill
        began = time.monotonic()
        pool.async_reset()
        while killer.is_alive() or afterwards.min() < ROWS_AFTERWARDS:
            failed: list[int] = []
            try:
                batch = pool.recv(timeout=LONGEST_WAIT)
            except EnvironmentFailedError as failure:
                batch, failed = failure.batch, failure.env_ids
            ids = batch[4]["env_id"].tolist()
            assert len(set(ids)) == batch_size
            for row, env in enumerate(ids):
                if env in failed:
                    twins[env] = Twin(env)
                    continue
                compare(batch, row, twins[env].step(int(actions[env])))
                outcome.rows += 1
                afterwards[env] += not killer.is_alive()
            healthy = np.array([env for env in ids if env not in failed], np.int32)
            if len(healthy) > 0:
                actions[healthy] = rng.integers(0, 5, len(healthy))
                pool.send(actions[healthy], healthy)
            if failed:
                outcome.failures += len(failed)
                pool.async_reset(np.array(failed))
            outcome.processes.update(pool.worker_pids)
            if time.monotonic() - began >= len(outcome.memory) * seconds / SAMPLES:
                outcome.memory.append(resident_kilobytes())
        pool.drain()
    return outcome


def compare(batch: Any, row: int, expected: tuple[Any, ...]) -> None:
    """Asserts that a row equals a twin's result."""
    np.testing.assert_array_equal(batch[0][row], expected[0])
    for part in (1, 2, 3):
        assert batch[part][row] == expected[part]
    infos = batch[4]
    for name in ("sum", "text"):
        assert bool(name in infos and infos[f"_{name}"][row]) == (name in expected[4])
        if name in expected[4]:
            assert infos[name][row] == expected[4][name]


def resident_kilobytes() -> tuple[int, int]:
    """Returns the resident memory in KiB of this process and of the workers' server."""
    server = launching._server
    assert server is not None
    return _resident("self"), _resident(str(server.process.pid))


def _resident(process: str) -> int:
    gc.collect()
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def open_things() -> dict[str, int]:
    """Counts resources that a pool must release.

    These are descriptors and mappings of this process and the workers' server, and shared files.
    """
    gc.collect()
    server = launching._server
    assert server is not None
    counts = {"shared files": len(list(Path("/dev/shm").glob("*envpool*")))}
    for process, name in (("self", "program"), (str(server.process.pid), "server")):
        place = Path("/proc", process)
        counts[f"descriptors of the {name}"] = len(list((place / "fd").iterdir()))
        maps = (place / "maps").read_text()
        counts[f"mappings of the {name}"] = maps.count("memfd:envpool_py")
    return counts


def running(processes: set[int]) -> list[int]:
    """Returns the workers that have not ended, which are children of the server."""
    server = launching._server
    assert server is not None
    listed = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    return sorted(processes & {int(word) for word in listed.split()})


def main(arguments: list[str] | None = None) -> int:
    """Runs for the given time and prints the outcome; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress.kills", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args(arguments)
    run(parsed.seconds / 100, 5, seed=parsed.seed + 1)  # starts the server and fills caches
    before, memory = open_things(), resident_kilobytes()
    outcome = run(parsed.seconds, parsed.kills, seed=parsed.seed)
    after, left = open_things(), running(outcome.processes)
    outcome.memory = [memory, *outcome.memory, resident_kilobytes()]
    growth = [last - first for first, last in zip(memory, outcome.memory[-1], strict=True)]
    print(f"{outcome.rows:,} results equal to the twins'; {outcome.failures} environments failed")
    for part, name in enumerate(("program", "server")):
        sizes = " ".join(str(each[part]) for each in outcome.memory)
        print(f"resident KiB of the {name}: {sizes}")
    print(f"before: {before}\nafter:  {after}\nworkers that have not ended: {left}")
    print(
        f"{outcome.kills} kills, by worker {outcome.kills_of}; {len(outcome.processes)} processes"
    )
    if after != before or left or max(growth) > MOST_GROWTH:
        print(f"failed: something is left, or memory grew by {growth} KiB", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
