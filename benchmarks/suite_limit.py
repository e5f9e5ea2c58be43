"""`python -m benchmarks.suite_limit`: compares dm_control's tasks with EnvPool and plain loops.

The rates of EnvPool are measured as in the other benchmarks. The loops (`limits/suite.cc`) make
only the calls into MuJoCo that the suite's `Physics.step` makes, on the same number of threads and
for the same states and actions. The pool and the loops alternate in short turns in one process, and
ratios are taken between consecutive turns. Prints tables of the rates, and the floors with PASS or
MISS.

The loops replay a tape, a file of these arrays in the machine's own byte order:

    int64    header[6]                        num_envs, num_steps, physics steps in a step, nu,
                                              numbers in a state, nv
    float64  starts[num_envs, state]          mjSTATE_INTEGRATION after the reset
    float64  actions[num_steps, num_envs, nu]
    float64  ends[num_envs, nv]               velocities after the last step
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import envpool_py
from benchmarks import mujoco_limit, run, tables
from benchmarks.cases import SuiteCase, check, checks
from benchmarks.plain_loop import CompileError, compile_source
from envpool_py.cli.bench import report
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.report import format_rate
from envpool_py.cli.output import make_console
from envpool_py.pool import core
from envpool_py.tasks.families.dm_control import models

LEAST_OF_LIMIT = 0.95
"""Floor of our rate, divided by that of the loop whose threads are in step."""
_SECONDS, _QUICK_SECONDS = 0.1, 0.05  # length of a turn
_TURNS, _QUICK_TURNS = 60, 4
_MESSAGE_SIZE = 1024
_MOST_STEPS = 900  # a turn is a part of one episode


@dataclasses.dataclass(frozen=True)
class Task:
    """A task whose observation has all velocities.

    Attributes:
        id: our id, which is also EnvPool's.
        domain, name: domain and name in the suite.
        model: key in `envpool_py.tasks.families.dm_control.models`.
        num_envs: environments in the pools.
        floor: the least ratio of our rate to EnvPool's.
    """

    id: str
    domain: str
    name: str
    model: str
    num_envs: int
    floor: float = 1.1


TASKS = (
    Task("CartpoleSwingup-v1", "cartpole", "swingup", "cartpole 1", 256, 3.0),
    Task("CheetahRun-v1", "cheetah", "run", "cheetah", 16),
    Task("WalkerWalk-v1", "walker", "walk", "walker", 16),
    Task("HumanoidRun-v1", "humanoid", "run", "humanoid", 16),
)


@dataclasses.dataclass(frozen=True)
class Turn:
    """Environment steps per second of our pool, of the loop, and of the loop in step.

    The threads of the loop in step wait for each other after each step, as those of the pool do.
    """

    pool: float
    loop: float
    in_step: float


def build(directory: Path) -> Path:
    """Compiles the loops; raises mujoco_limit.LimitError."""
    package = mujoco_limit.package_directory("mujoco")
    found = next(iter(sorted(package.glob("libmujoco.so.*"))), None)
    if found is None:
        raise mujoco_limit.LimitError(f"there is no libmujoco.so.* in {package}")
    library = directory / "suite_limit.so"
    options = ["-shared", "-fPIC", f"-I{package / 'include'}", str(found)]
    try:
        compile_source("suite", library, [*options, f"-Wl,-rpath,{package}"])
    except CompileError as error:
        raise mujoco_limit.LimitError(str(error)) from error
    return library


class Loops:
    """The loops of a task, which replay a tape."""

    def __init__(self, library: Path, model: Path, tape: Path, num_threads: int) -> None:
        self._functions = ctypes.CDLL(str(library))
        self._functions.suite_make.restype = ctypes.c_void_p
        self._functions.suite_run.restype = ctypes.c_double
        self._message = ctypes.create_string_buffer(_MESSAGE_SIZE)
        made = self._functions.suite_make(
            str(model).encode(), str(tape).encode(), num_threads, self._message
        )
        if made is None:
            raise mujoco_limit.LimitError(self._message.value.decode())
        self._limit = ctypes.c_void_p(made)

    def rate(self, *, in_step: bool) -> float:
        """Replays the tape; returns environment steps per second.

        Args:
            in_step: whether the threads wait for each other after each step.
        """
        rate = float(self._functions.suite_run(self._limit, int(in_step), self._message))
        if rate < 0.0:
            raise mujoco_limit.LimitError(self._message.value.decode())
        return rate

    def close(self) -> None:
        """Frees the loops."""
        self._functions.suite_delete(self._limit)


def starts_of(task: Task, seed: int) -> Any:
    """Returns the states of the suite's environments after their first reset, one per row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings about rendering without a display
        mujoco: Any = importlib.import_module("mujoco")
        suite: Any = importlib.import_module("dm_control.suite")

        env = suite.load(task.domain, task.name)
    rows, signature = [], mujoco.mjtState.mjSTATE_INTEGRATION
    for env_id in range(task.num_envs):
        # Has the effect of a new environment with this seed.
        env.task._random = np.random.RandomState(seed + env_id)
        env.reset()
        model, data = env.physics.model.ptr, env.physics.data.ptr
        row = np.empty(mujoco.mj_stateSize(model, signature))
        mujoco.mj_getState(model, data, row, signature)
        rows.append(row)
    return np.array(rows)


def turn(pool: Any, actions: Any, seed: int) -> tuple[float, Any]:
    """One turn of our pool; returns its rate and the last observations."""
    pool.reset(seed=seed)
    step = pool.step
    start = time.perf_counter()
    for action in actions:
        result = step(action)
    seconds = time.perf_counter() - start
    return len(actions) * pool.num_envs / seconds, result[0]


def measure(task: Task, library: Path, num_threads: int, seconds: float, turns: int) -> list[Turn]:
    """Measures a task in alternating turns of about `seconds`."""
    seed = 0
    rng = np.random.default_rng(seed)
    spec = envpool_py.make_spec(task.id)
    size = np.prod(spec.action_space.shape or (), dtype=int)
    with (
        envpool_py.make(task.id, num_envs=task.num_envs, num_threads=num_threads) as pool,
        tempfile.TemporaryDirectory() as directory,
    ):
        draw = rng.uniform(-1.0, 1.0, (_MOST_STEPS, task.num_envs, size))
        rate, _ = turn(pool, draw[:20], seed)
        num_steps = int(np.clip(rate * seconds / task.num_envs, 20, _MOST_STEPS))
        actions = draw[:num_steps]
        _, observations = turn(pool, actions, seed)
        ends = observations["velocity"]
        starts = starts_of(task, seed)
        tape, model = Path(directory) / "tape", Path(directory) / "model.xml"
        model.write_text(models.text_of(task.model))
        header = [
            task.num_envs, num_steps, spec.frame_skip, size,
            starts.shape[1], ends.shape[1],
        ]  # fmt: skip
        with tape.open("wb") as out:
            np.array(header, np.int64).tofile(out)
            for array in (starts, actions, ends):
                np.ascontiguousarray(array, np.float64).tofile(out)
        loops = Loops(library, model, tape, num_threads)
        found = [
            Turn(
                turn(pool, actions, seed)[0],
                loops.rate(in_step=False),
                loops.rate(in_step=True),
            )
            for _ in range(turns)
        ]
        loops.close()
    return found


def ratio(turns: Sequence[Turn], way: str) -> float:
    """The ratio of our rate to that of a loop: the median over the turns."""
    return float(statistics.median(each.pool / getattr(each, way) for each in turns))


def lines_of(tasks: Sequence[Task], num_threads: int) -> list[SuiteCase]:
    """The cases of the tasks, with EnvPool as peer."""
    return [
        SuiteCase(
            Case(task.id, task.num_envs, task.num_envs, num_threads),
            ("envpool",), {"envpool": task.floor},
        )
        for task in tasks
    ]  # fmt: skip


def limit_table(limits: Sequence[tuple[Case, Sequence[Turn]]]) -> Table:
    """One row per case: our rate, and its ratio to each loop, from alternating turns."""
    table = tables.make_table(
        "Steps per second beside the calls into MuJoCo alone, and ours as a multiple: a plain C++ "
        "loop; one whose threads are in step"
    )
    for heading in ("ours", "loop", "in step"):
        table.add_column(heading, justify="right")
    for case, turns in limits:
        rates = {
            way: format_rate(statistics.median(getattr(each, way) for each in turns))
            for way in ("pool", "loop", "in_step")
        }
        beside = (f"{rates[way]}\n{ratio(turns, way):.3f}" for way in ("loop", "in_step"))
        table.add_row(case.title, rates["pool"], *beside)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Measures and prints; returns the exit code."""
    ids = [task.id for task in TASKS]
    what = "tasks of dm_control's suite"
    arguments = run.parse_family("suite_limit", what, ids, argv)
    tasks = [task for task in TASKS if task.id in arguments.tasks]
    num_threads = arguments.num_threads or min(2, len(core.system_info()["cpus"]))
    seconds = _QUICK_SECONDS if arguments.quick else _SECONDS
    turns = _QUICK_TURNS if arguments.quick else _TURNS
    out, errors = make_console(), make_console(stderr=True)
    lines, system = lines_of(tasks, num_threads), core.system_info()
    timing = run.make_timing(arguments)
    rates = run.measure_lines(lines, timing, num_threads, system["cpu"], errors)
    with tempfile.TemporaryDirectory() as directory:
        library = build(Path(directory))
        limits = [
            (line.case, measure(task, library, num_threads, seconds, turns))
            for line, task in zip(lines, tasks, strict=True)
        ]
    found = checks(lines, rates)
    found += [
        check(
            case.title, "times a plain C++ loop, its threads in step", ratio(each, "in_step"),
            LEAST_OF_LIMIT, at_least=True,
        )
        for case, each in limits
    ]  # fmt: skip
    for table in (tables.rate_table(rates), limit_table(limits), tables.floor_table(found)):
        out.print(table)
    for text in report.problems(rates):
        errors.print(text, soft_wrap=True)
    record = {
        **run.make_record(rates, found, timing, system),
        "limits": [
            {"title": case.title, "turns": [dataclasses.asdict(turn) for turn in each]}
            for case, each in limits
        ],
    }
    run.write_results(arguments.name, record)
    return run.exit_code(arguments, found)


if __name__ == "__main__":
    sys.exit(main())
