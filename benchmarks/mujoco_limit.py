"""Compares the step rate of a pool of MuJoCo environments with `mj_step` alone.

The limit is a plain C++ loop that repeats the steps of the pool (`limits/mujoco.cc`, `mujoco_tape`)
on the same number of threads. MuJoCo's own batch API repeats them as well. The speed of a machine
varies within seconds by more than the margin of a floor of 0.95. Therefore the three participants
alternate in short turns in one process, `python -m benchmarks.mujoco_limit`, and ratios are taken
between consecutive turns.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import envpool_py
from benchmarks import mujoco_tape
from benchmarks.child import run_child
from benchmarks.mujoco_turns import FirstReadyTurns
from benchmarks.plain_loop import CompileError, compile_source
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.drivers import OrderedDriver
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.worker import sample_actions

_LIMIT_SECONDS = 300.0
_MESSAGE_SIZE = 1024
_LEAST_STEPS = 20  # least steps of each environment in a turn


class LimitError(Exception):
    """The limit could not be measured; the message says why."""


@dataclasses.dataclass(frozen=True)
class Turn:
    """Steps of an environment per second, in one turn of each participant.

    Attributes:
        pool: our pool.
        loop: the plain loop, whose threads do not wait for each other.
        in_step: the plain loop whose threads wait for each other after each step.
        batch: MuJoCo's own batch API.
    """

    pool: float
    loop: float
    in_step: float
    batch: float


WAYS: tuple[str, ...] = ("loop", "in_step", "batch")
"""Whom the pool is compared with: fields of `Turn`, in the order of `limits/mujoco.cc`."""


@dataclasses.dataclass(frozen=True)
class Limit:
    """All turns of one case."""

    case: Case
    turns: list[Turn]

    def ratio(self, way: str) -> float:
        """The ratio of the pool's rate to that of `way`, from `WAYS`: the median over the turns."""
        return float(statistics.median(turn.pool / getattr(turn, way) for turn in self.turns))

    def rate(self, name: str) -> float:
        """The median of a field of the turns."""
        return float(statistics.median(getattr(turn, name) for turn in self.turns))

    def to_json(self) -> dict[str, Any]:
        """The ratios and every turn, as a JSON object."""
        return {
            "title": self.case.title,
            "case": self.case.to_json(),
            "ratios": {way: self.ratio(way) for way in WAYS},
            "turns": [dataclasses.asdict(turn) for turn in self.turns],
        }


def package_directory(name: str) -> Path:
    """The directory of an installed package; raises LimitError."""
    found = importlib.util.find_spec(name)
    for directory in (found.submodule_search_locations if found else None) or ():
        return Path(directory)
    raise LimitError(f"{name} is not installed")


def build(build_dir: Path) -> Path:
    """Compiles the loop for the installed MuJoCo; returns the library."""
    package = package_directory("mujoco")
    found = next(iter(sorted(package.glob("libmujoco.so.*"))), None)
    if found is None:
        raise LimitError(f"there is no libmujoco.so.* in {package}")
    library = build_dir / "mujoco_limit.so"
    options = ["-shared", "-fPIC", f"-I{package / 'include'}", str(found)]
    try:
        compile_source("mujoco", library, [*options, f"-Wl,-rpath,{package}"])
    except CompileError as error:
        raise LimitError(str(error)) from error
    return library


def model_file(task: str) -> Path:
    """The file of Gymnasium's model of a task."""
    name = str(envpool_py.make_spec(task).options["xml_file"].default)
    return package_directory("gymnasium") / "envs" / "mujoco" / "assets" / name


def measure(case: Case, library: Path, seconds: float, rounds: int) -> Limit:
    """Measures a case in a separate process, with `rounds` turns of `seconds` each."""
    spec = {
        "case": case.to_json(),
        "library": str(library),
        "seconds": seconds,
        "rounds": rounds,
    }
    command = [sys.executable, "-m", "benchmarks.mujoco_limit", json.dumps(spec)]
    turns = json.loads(run_child(command, _LIMIT_SECONDS, LimitError).splitlines()[-1])
    return Limit(case, [Turn(**turn) for turn in turns])


class Library:
    """The functions of `limits/mujoco.cc`."""

    def __init__(self, file: Path) -> None:
        self._functions = ctypes.CDLL(str(file))
        self._functions.limit_make.restype = ctypes.c_void_p
        self._functions.limit_run.restype = ctypes.c_double
        self._message = ctypes.create_string_buffer(_MESSAGE_SIZE)

    def error(self) -> LimitError:
        """Returns the error with the reason why the latest call failed."""
        return LimitError(self._message.value.decode())

    def model_size(self, model: Path) -> tuple[int, int]:
        """The numbers of positions and velocities of a model."""
        nq, nv = ctypes.c_int(), ctypes.c_int()
        name = str(model).encode()
        if not self._functions.limit_size(name, ctypes.byref(nq), ctypes.byref(nv), self._message):
            raise self.error()
        return nq.value, nv.value

    def make(self, model: Path, tape: Path, num_threads: int) -> ctypes.c_void_p:
        """Makes a loop for `rate` from a tape."""
        made = self._functions.limit_make(
            str(model).encode(), str(tape).encode(), num_threads, self._message
        )
        if made is None:
            raise self.error()
        return ctypes.c_void_p(made)

    def rate(self, limit: ctypes.c_void_p, way: str) -> float:
        """Replays the tape in one of `WAYS`; returns steps of an environment per second."""
        rate = float(self._functions.limit_run(limit, WAYS.index(way), self._message))
        if rate < 0.0:
            raise self.error()
        return rate

    def delete(self, limit: ctypes.c_void_p) -> None:
        """Frees a loop of `make`."""
        self._functions.limit_delete(limit)


class _PoolTurns:
    """Turns of our pool, each starting with a reset, with a fixed number of steps per environment.

    Every turn repeats the steps of the tape. In first-ready mode some environments are a few steps
    ahead of others when a turn ends.
    """

    def __init__(self, case: Case, file: Path) -> None:
        self._case = case
        self._env = PARTICIPANTS[OURS].make(case)
        # One row per environment, even if a batch has fewer rows.
        self.actions = sample_actions(self._env.single_action_space, case.num_envs, case.seed)
        self._first_ready = (
            FirstReadyTurns(file, self._env, case, self.actions) if case.first_ready else None
        )

    def rate(self, num_steps: int) -> float:
        """Steps of an environment per second."""
        rows = num_steps * self._case.num_envs
        if self._first_ready is not None:
            # All environments are in flight when the clock starts, and when it stops.
            self._first_ready.begin()
            calls = rows // self._case.batch_size
            start = time.perf_counter()
            self._first_ready.advance(calls)
            return calls * self._case.batch_size / (time.perf_counter() - start)
        driver = OrderedDriver(self._env, self._case.num_envs, self._case.seed)
        actions = itertools.islice(itertools.cycle(self.actions), num_steps)
        start = time.perf_counter()
        driver.advance(actions)
        return rows / (time.perf_counter() - start)

    def close(self) -> None:
        """Closes the pool."""
        if self._first_ready is not None:
            self._first_ready.close()
        self._env.close()


def measure_here(case: Case, file: Path, seconds: float, rounds: int) -> list[Turn]:
    """Measures in this process with a library that `build` made; see `measure`."""
    library = Library(file)
    model = model_file(case.task)
    pool = _PoolTurns(case, file)
    pool.rate(_LEAST_STEPS)
    num_steps = max(_LEAST_STEPS, int(pool.rate(_LEAST_STEPS) * seconds / case.num_envs))
    with tempfile.TemporaryDirectory() as directory:
        tape = Path(directory) / "tape"
        # The tape is recorded in order, even if the pool is first-ready. Its first step is a reset.
        ordered = dataclasses.replace(case, batch_size=case.num_envs)
        size = library.model_size(model)
        mujoco_tape.record(ordered, pool.actions, num_steps + 1, size, tape)
        limit = library.make(model, tape, case.num_threads)
    turns = [
        Turn(pool.rate(num_steps), *(library.rate(limit, way) for way in WAYS))
        for _ in range(rounds)
    ]
    library.delete(limit)
    pool.close()
    return turns


def main(argv: Sequence[str]) -> int:
    """Measures the case in the one argument (JSON), prints the turns, returns the exit code."""
    spec = json.loads(argv[0])
    case = Case.from_json(spec["case"])
    try:
        turns = measure_here(case, Path(spec["library"]), spec["seconds"], spec["rounds"])
    except LimitError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps([dataclasses.asdict(turn) for turn in turns]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
