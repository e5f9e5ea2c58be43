"""Measures settings for the search of `bench.tuning`, with pools in this process."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from envpool_py.cli.bench.drivers import make_consumer
from envpool_py.cli.bench.tuning import Setting
from envpool_py.cli.bench.worker import sample_actions
from envpool_py.errors import EnvPoolError
from envpool_py.players.rows import PlayerRows
from envpool_py.tasks.make import make

__all__ = ["PolicyError", "PoolMeasurer", "default_most_envs", "import_policy", "worker_counts"]

Policy = Callable[[Any], Any]
"""Returns the actions for a batch of observations."""

_WARM_UP_BATCHES = 3


class PolicyError(Exception):
    """The policy cannot be imported, or does not return actions; the message says why."""


def import_policy(name: str) -> Policy:
    """Imports "module:function".

    Raises:
        PolicyError: there is no such module or function.
    """
    module, _, attribute = name.partition(":")
    try:
        policy: Policy = getattr(importlib.import_module(module), attribute)
    except Exception as error:  # importing a module can raise any exception
        raise PolicyError(f"{name}: {type(error).__name__}: {error}") from error
    if not callable(policy):
        raise PolicyError(f"{name}: expected a function, got {type(policy).__name__}")
    return policy


class PoolMeasurer:
    """Measures settings of one task.

    Args:
        task: id of the task.
        options: options of the environments.
        in_python: whether workers are processes.
        policy: computes actions; None: actions are random, sampled beforehand.
        consumer_us: without a policy, microseconds that the simulated policy takes for a batch.
        consumer_waits: whether the simulated policy waits for that time instead of computing.
        longest_s: longest time to make a pool, seconds; pools expected to take longer are not
            tried.
    """

    def __init__(
        self,
        task: str,
        options: dict[str, Any],
        *,
        in_python: bool,
        policy: Policy | None,
        consumer_us: float,
        consumer_waits: bool,
        longest_s: float = math.inf,
    ) -> None:
        self.task = task
        self.options = options
        self.in_python = in_python
        self._policy = policy
        self._consume = make_consumer(consumer_us, consumer_waits)
        # Seconds per environment to make and warm up a pool. The minimum over all pools, because
        # the first pool of a task also loads data that later pools share.
        self._making_s = math.inf
        self._largest = 0  # number of environments of the pools made so far
        self._longest_s = longest_s

    def arguments(self, setting: Setting) -> dict[str, Any]:
        """Returns the arguments of `make` for a setting."""
        arguments: dict[str, Any] = {"num_envs": setting.num_envs}
        if setting.batch_size != setting.num_envs:
            arguments["batch_size"] = setting.batch_size
        arguments["num_workers" if self.in_python else "num_threads"] = setting.workers
        return {**arguments, **self.options}

    def __call__(self, setting: Setting, seconds: float) -> float:
        """Returns steps per second; 0.0 if the setting cannot be used or takes too long to make."""
        larger = setting.num_envs > self._largest > 0
        if larger and self._making_s * setting.num_envs > self._longest_s:
            return 0.0
        start = time.perf_counter()
        try:
            pool: Any = make(self.task, seed=0, **self.arguments(setting))
        except (EnvPoolError, MemoryError, OSError):
            return 0.0  # for example too many threads for this system
        with contextlib.closing(pool):
            loop = self._loop(pool, setting)
            for _ in range(_WARM_UP_BATCHES):
                next(loop)
            made = time.perf_counter()
            self._making_s = min(self._making_s, (made - start) / setting.num_envs)
            self._largest = max(self._largest, setting.num_envs)
            return _rate(loop, setting.batch_size, seconds)

    def _loop(self, pool: Any, setting: Setting) -> Iterator[None]:
        """Steps the pool and the policy; yields after each batch."""
        respond = self._responder(pool, setting.batch_size)
        if self._policy is None and getattr(pool, "players_vary", False):
            pool = PlayerRows(pool)
        if setting.batch_size == setting.num_envs:
            observations = pool.reset()[0]
            while True:
                observations = pool.step(respond(observations))[0]
                yield
        pool.async_reset()
        while True:
            observations, _, _, _, infos = pool.recv()
            pool.send(respond(observations), infos["env_id"])
            yield

    def _responder(self, pool: Any, batch_size: int) -> Policy:
        if self._policy is not None:
            return self._policy
        rows = batch_size * getattr(pool, "num_players", 1)
        batches = itertools.cycle(sample_actions(pool.single_action_space, rows, 0))
        consume = self._consume
        if consume is None:
            return lambda _: next(batches)

        def respond(_: Any) -> Any:
            consume()
            return next(batches)

        return respond


def _rate(loop: Iterator[None], rows: int, seconds: float) -> float:
    """Returns rows per second, of at least `seconds`."""
    calls = 0
    chunk = 1
    start = now = time.perf_counter()
    while now - start < seconds:
        for _ in range(chunk):
            next(loop)
        calls += chunk
        now = time.perf_counter()
        if now - start < seconds / 50:
            chunk *= 2  # reading the clock must not count
    return calls * rows / (now - start)


def worker_counts(system: dict[str, Any], in_python: bool, waits: bool) -> list[int]:
    """Returns the numbers of threads, or of worker processes, that are worth trying, ascending.

    Args:
        system: the result of `system_info`.
        in_python: whether the workers are processes.
        waits: whether environments wait rather than compute (only in Python), so that more workers
            than processors may be faster.
    """
    cpus = len(system["cpus"])
    threads = system["default_num_threads"]
    cores = sum(node["cores"] for node in system["numa_nodes"])
    fast = sum(node["fast_cores"] for node in system["numa_nodes"])
    counts = {1, cpus, threads, max(1, threads - 1), min(cores, threads), min(fast, threads)}
    counts |= {2**k for k in range(threads.bit_length())}
    if in_python:
        counts |= {0, 2 * threads} | ({4 * threads, 8 * threads, 16 * threads} if waits else set())
    return sorted(counts)


def default_most_envs(system: dict[str, Any]) -> int:
    """Returns the largest `num_envs` to try if the user gives none."""
    return max(256, 32 * len(system["cpus"]))
