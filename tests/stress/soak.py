"""Steps environments of all families at full load, with faults: `python -m tests.stress.soak`.

Pools of every installed family run side by side. Each of them is compared with a twin: an ordered
pool of one thread, with the same seeds and actions, that nothing disturbs. The disturbed pools are
ordered or first-ready and have several threads; their arrays are kept for a while and must not
change; they are saved, thrown away and loaded again; environments throw, are slow, and their worker
processes are killed, stopped and exceed their time limit, as steps in C++ do; signals interrupt
every call. An
environment that no fault concerns must give the results of its twin, bit for bit. At the end, no
pool may have lost a result, and the memory of the process must not have grown by more than 2 %
since the end of the warm-up.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import faulthandler
import gc
import importlib
import importlib.util
import io
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cloudpickle
import gymnasium
import numpy as np

import envpool_py
from envpool_py.errors import MissingPackageError

# Worker processes cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

LONGEST_CALL = 120.0  # seconds
SIGNALS_PER_SECOND = 50
WARM_UP = 0.25  # of the whole time
MOST_GROWTH = 0.02
SAMPLE_SECONDS = 2.0
MOST_KEPT = 100  # results of a station
HAS_GATES = importlib.util.find_spec("envpool_py._testing") is not None
STEPS_OF_A_LIFE = 2_000  # after about as many, a station makes its pools anew

# Actions of `Faulty`, beside 0.
RAISES, DIES, IS_SLOW = 1, 2, 3
SLOW_SECONDS = 2.0


class Faulty(gymnasium.Env[Any, Any]):
    """Its observations depend on its seed and its number of steps; actions are faults."""

    observation_space: Any = gymnasium.spaces.Box(-np.inf, np.inf, (8,), np.float64)
    action_space: Any = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self.np_random.random(8), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if action == RAISES:
            raise ValueError("as told")
        if action == DIES:
            os.kill(os.getpid(), random.SystemRandom().choice([signal.SIGKILL, signal.SIGSTOP]))
        if action == IS_SLOW:
            time.sleep(SLOW_SECONDS)
        self.steps += 1
        return self.np_random.random(8), 1.0, self.steps == 50, False, {}


@dataclass
class Tally:
    """What happened."""

    results: int = 0  # compared with those of a twin
    faults: collections.Counter[str] = field(default_factory=collections.Counter)
    lives: int = 0  # pools that were made
    signals: int = 0


@dataclass(frozen=True)
class Plan:
    """A kind of pool.

    Attributes:
        name: for messages.
        make: makes the disturbed pool or, given True, its twin.
        num_envs: number of environments.
        ordered: whether the disturbed pool is ordered.
        saves: whether it is saved and loaded.
        num_players: number of players of an environment, each with an action.
        faults: actions that make an environment fail, with their probabilities per step of the
            pool, and whether such an action concerns all environments of the worker.
    """

    name: str
    make: Callable[[bool], Any]
    num_envs: int
    ordered: bool
    saves: bool = True
    num_players: int = 1
    faults: tuple[tuple[int, float, bool], ...] = ()


class Station:
    """A disturbed pool and its twin."""

    def __init__(self, plan: Plan, tally: Tally, seed: int) -> None:
        self._plan, self._tally = plan, tally
        self._random = np.random.default_rng(seed)
        self._kept: list[tuple[Any, Any]] = []
        self._space: Any = None  # of actions; None: all are 0
        self._run = self._lives()

    def advance(self) -> None:
        """Steps the pools for a while."""
        next(self._run)

    def end(self) -> None:
        """Closes the pools."""
        self._run.close()

    def _lives(self) -> Iterator[None]:
        while True:
            self._tally.lives += 1
            yield from self._life()

    def _life(self) -> Iterator[None]:
        plan = self._plan
        pool, twin = plan.make(False), plan.make(True)
        self._space = None if plan.faults else pool.single_action_space
        try:
            # Rows of the twin that the disturbed pool has not returned yet, by environment.
            expected: list[collections.deque[Any]] = [
                collections.deque() for _ in range(plan.num_envs)
            ]
            taken = np.zeros(plan.num_envs, int)  # actions, by environment
            disturbed = np.zeros(plan.num_envs, bool)
            seed = int(self._random.integers(2**32))
            twin_steps = 0

            def of_twin(result: Any) -> None:
                for env in range(plan.num_envs):
                    expected[env].append(_row(result, env))

            def actions(ids: Any) -> Any:
                steps = taken[ids]
                taken[ids] += 1
                return self._actions(seed, ids, steps)

            of_twin(_of_reset(twin.reset(seed=seed)))
            last = None
            if plan.ordered:
                every = np.arange(plan.num_envs)
                self._check(_of_reset(pool.reset(seed=seed)), every, expected, disturbed)
            else:
                pool.async_reset(seed=seed)
            for step in range(int(self._random.integers(STEPS_OF_A_LIFE // 2, STEPS_OF_A_LIFE))):
                if plan.ordered:
                    ids = np.arange(plan.num_envs)
                    result = pool.step(self._with_fault(actions(ids), ids, disturbed))
                else:
                    if last is not None:
                        pool.send(self._with_fault(actions(last), last, disturbed), last)
                    result = pool.recv()
                    ids = last = np.array(result[4]["env_id"])
                while any(not expected[env] for env in ids):
                    every = np.arange(plan.num_envs)
                    of_twin(twin.step(self._actions(seed, every, np.full(len(every), twin_steps))))
                    twin_steps += 1
                self._check(result, ids, expected, disturbed)
                self._keep(result)
                if plan.saves and self._random.random() < 0.002:
                    pool, last = self._reloaded(pool, last)
                if step % 20 == 19:
                    yield
        finally:
            pool.close(LONGEST_CALL)
            twin.close(LONGEST_CALL)

    def _actions(self, seed: int, ids: Any, steps: Any) -> Any:
        """Actions that depend on the arguments alone."""
        if self._space is None:
            return np.zeros(len(ids), np.int64)
        space, actions = self._space, []
        for env, step in zip(ids.tolist(), steps.tolist(), strict=True):
            draw = np.random.default_rng((seed, env, step))
            for _ in range(self._plan.num_players):
                if isinstance(space, gymnasium.spaces.Box):
                    actions.append(draw.uniform(space.low, space.high).astype(space.dtype))
                else:
                    actions.append(draw.integers(space.n))
        return np.stack(actions)

    def _check(self, result: Any, ids: Any, expected: Any, disturbed: Any) -> None:
        errors = result[4]
        for row, env in enumerate(ids):
            wanted = expected[env].popleft()
            if "_error" in errors and errors["_error"][row]:
                assert disturbed[env], (self._plan.name, env, errors["error"][row])
            if not disturbed[env]:
                found = _row(result, row)
                assert found == wanted, (self._plan.name, int(env), found, wanted)
                self._tally.results += 1

    def _with_fault(self, actions: Any, ids: Any, disturbed: Any) -> Any:
        for fault, probability, of_worker in self._plan.faults:
            if self._random.random() >= probability:
                continue
            item = int(self._random.integers(len(ids)))
            actions[item] = fault
            disturbed[ids[item]] = True
            if of_worker:  # the two workers take turns in the environments
                disturbed |= np.arange(self._plan.num_envs) % 2 == ids[item] % 2
            self._tally.faults[f"{self._plan.name}: action {fault}"] += 1
        return actions

    def _keep(self, result: Any) -> None:
        """Keeps the arrays of some results, which must not change while they are kept."""
        if self._random.random() < 0.1:
            parts = [*_parts(result[0]), *result[1:4]]
            arrays = [part for part in parts if isinstance(part, np.ndarray)]
            self._kept.append((arrays, [array.copy() for array in arrays]))
        if len(self._kept) > MOST_KEPT or (self._kept and self._random.random() < 0.05):
            arrays, copies = self._kept.pop(int(self._random.integers(len(self._kept))))
            for array, copied in zip(arrays, copies, strict=True):
                np.testing.assert_array_equal(array, copied)

    def _reloaded(self, pool: Any, last: Any) -> tuple[Any, Any]:
        """Saves the pool, and continues in another one."""
        if not self._plan.ordered:
            return pool, last  # what is in flight would be dropped
        file = io.BytesIO()
        pool.save(file)
        pool.close(LONGEST_CALL)
        file.seek(0)
        self._tally.faults[f"{self._plan.name}: saved and loaded"] += 1
        loaded, _ = envpool_py.load(file, num_threads=int(self._random.integers(1, 4)))
        return loaded, last


def _of_reset(result: Any) -> Any:
    """The result of a reset in the form of that of a step."""
    observations, infos = result
    rows, envs = len(_parts(observations)[0]), len(infos["env_id"])
    return observations, np.zeros(rows), np.zeros(envs, bool), np.zeros(envs, bool), infos


def _parts(observations: Any) -> list[Any]:
    return list(observations.values()) if isinstance(observations, dict) else [observations]


def _row(result: Any, row: int) -> tuple[Any, ...]:
    """The row of an environment; with players, the rows of its players."""
    observations, reward, terminated, truncated, infos = result
    rows: Any = [row]
    if "players" in infos:
        rows = np.flatnonzero(infos["players"]["env_id"] == infos["env_id"][row])
    values = tuple(
        part[rows].tobytes() if isinstance(part, np.ndarray) else repr([part[i] for i in rows])
        for part in _parts(observations)
    )
    return (*values, reward[rows].tobytes(), bool(terminated[row]), bool(truncated[row]))


# --- The pools

TASKS = {  # with the number of environments
    "CartPole-v1": 64,
    "Acrobot-v1": 32,
    "FrozenLake-v1": 32,
    "Taxi-v4": 32,
    "LunarLander-v3": 16,
    "BipedalWalker-v3": 8,
    "MiniGrid-Dynamic-Obstacles-8x8-v0": 16,
    "BabyAI-GoToLocal-v0": 16,
    "MPE-SimpleTag-v3": 16,
    "Pong-v5": 8,
    "HalfCheetah-v5": 8,
    "MaMuJoCo/Reacher-v1": 8,
    "CheetahRun-v1": 8,
    "PointMaze_UMaze-v3": 8,
    "FetchPush-v4": 4,
    "MetaWorld/Reach-v3": 4,
    "CoinrunEasy-v0": 8,
}


def _of_task(task_id: str, num_envs: int, ordered: bool) -> Plan:
    def make(is_twin: bool) -> Any:
        if is_twin or ordered:
            return envpool_py.make(task_id, num_envs=num_envs, num_threads=1 if is_twin else 3)
        return envpool_py.make(
            task_id, num_envs=num_envs, batch_size=max(num_envs // 3, 1), num_threads=3
        )

    players = envpool_py.make_spec(task_id).players
    num_players = 1 if players is None else players.max_players
    kind = "ordered" if ordered else "first ready"
    return Plan(f"{task_id}, {kind}", make, num_envs, ordered, num_players=num_players)


def _in_python(name: str, faults: Any, ordered: bool, **arguments: Any) -> Plan:
    num_envs = 8

    def make(is_twin: bool) -> Any:
        if is_twin:
            return envpool_py.make_python([Faulty] * num_envs, num_workers=0)
        return envpool_py.make_python(
            [Faulty] * num_envs,
            batch_size=None if ordered else 3,
            on_error="reset",
            max_failures=10**6,
            **arguments,
        )

    return Plan(name, make, num_envs, ordered, saves=False, faults=faults)


def _with_late_steps(ordered: bool) -> Plan:
    """Environments in C++ whose steps with action 1 end when `open_gate` is called."""
    num_envs = 8
    importlib.import_module("envpool_py._testing")  # has the task

    def make(is_twin: bool) -> Any:
        disturbed = {
            "batch_size": None if ordered else 3,
            "num_threads": 3,
            "on_error": "reset",
            "max_failures": 10**6,
            "step_timeout": 0.2,
        }
        arguments = {"num_threads": 1} if is_twin else disturbed
        return envpool_py.make("Testing/Gate-v0", num_envs=num_envs, **arguments)

    kind = "ordered" if ordered else "first ready"
    late = ((1, 0.002, False),)
    return Plan(f"late steps, {kind}", make, num_envs, ordered, saves=False, faults=late)


def _open_gate() -> None:
    """Lets late steps end that were given up."""
    testing = importlib.import_module("envpool_py._testing")
    testing.open_gate(1)
    testing.close_gate(1)


def plans() -> list[Plan]:
    """The pools of all families whose packages are installed."""
    found = []
    for task_id, num_envs in TASKS.items():
        with contextlib.suppress(MissingPackageError):
            found += [_of_task(task_id, num_envs, ordered) for ordered in (True, False)]
    throws = ((RAISES, 0.003, False),)
    dies = (*throws, (DIES, 0.001, True), (IS_SLOW, 0.0005, True))
    for ordered in (True, False):
        kind = "ordered" if ordered else "first ready"
        if HAS_GATES:
            found.append(_with_late_steps(ordered))
        found += [
            _in_python(f"Python in the caller, {kind}", throws, ordered, num_workers=0),
            _in_python(
                f"Python in threads, {kind}", throws, ordered, workers="threads", num_workers=2
            ),
            _in_python(
                f"Python in processes, {kind}", dies, ordered, num_workers=2, step_timeout=0.5
            ),
        ]
    return found


# --- The run


def _resident() -> int:
    """The resident memory of this process, bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Soak:
    """Advances all stations in turns."""

    def __init__(self, seconds: float, seed: int) -> None:
        self._seconds = seconds
        self._tally = Tally()
        self._stations = [
            Station(plan, self._tally, seed + number) for number, plan in enumerate(plans())
        ]
        self._random = random.Random(seed)
        self.memory: list[tuple[float, int]] = []  # time since the beginning, bytes

    def run(self) -> Tally:
        """Runs; raises an AssertionError if something is wrong."""
        began = sampled = shown = time.monotonic()
        with self._interrupted():
            while (now := time.monotonic()) - began < self._seconds:
                faulthandler.dump_traceback_later(10 * LONGEST_CALL, exit=True)
                self._random.choice(self._stations).advance()
                if HAS_GATES and self._random.random() < 0.02:
                    _open_gate()
                if now - sampled >= SAMPLE_SECONDS:
                    sampled = now
                    gc.collect()
                    self.memory.append((now - began, _resident()))
                if now - shown >= 30:
                    shown = now
                    print(
                        f"{now - began:6.0f} s  {self._tally.results:,} results  "
                        f"{sum(self._tally.faults.values()):,} faults  "
                        f"{_resident() / 2**20:,.0f} MiB",
                        flush=True,
                    )
        faulthandler.cancel_dump_traceback_later()
        if HAS_GATES:
            _open_gate()
        for station in self._stations:
            station.end()
        return self._tally

    @contextlib.contextmanager
    def _interrupted(self) -> Iterator[None]:
        """Sends this thread signals at random moments."""
        over = threading.Event()
        main = threading.main_thread().ident
        assert main is not None

        def note(*_: Any) -> None:
            self._tally.signals += 1

        def send() -> None:
            while not over.wait(random.expovariate(SIGNALS_PER_SECOND)):
                signal.pthread_kill(main, signal.SIGUSR1)

        before = signal.signal(signal.SIGUSR1, note)
        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
            signal.signal(signal.SIGUSR1, before)

    def growth(self) -> float:
        """By which share the memory grew from the first to the last third after the warm-up."""
        after = [size for at, size in self.memory if at >= WARM_UP * self._seconds]
        third = max(len(after) // 3, 1)
        first, last = np.mean(after[:third]), np.mean(after[-third:])
        return float(last / first - 1)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.stress.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--memory", action=argparse.BooleanOptionalAction, default=True, help="check the memory"
    )
    parsed = parser.parse_args(arguments)
    logging.getLogger("envpool_py").setLevel(logging.ERROR)
    # Environments in Python that threads step are here on purpose.
    warnings.filterwarnings("ignore", "the threads of this pool step one after", RuntimeWarning)
    soak = Soak(60 * parsed.minutes, parsed.seed)
    tally = soak.run()
    for fault, count in sorted(tally.faults.items()):
        print(f"{fault:60} {count:8,}")
    growth = soak.growth()
    print(
        f"{tally.results:,} results equal to their twins', {sum(tally.faults.values()):,} faults, "
        f"{tally.signals:,} signals, {tally.lives:,} pairs of pools, memory {growth:+.2%}"
    )
    if parsed.memory and growth > MOST_GROWTH:
        print(f"the memory has grown by more than {MOST_GROWTH:.0%}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
