"""benchmarks.mujoco: the replayed physics, floors, tables, and a run that writes all results."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

pytest.importorskip("mujoco")

import envpool_py
from benchmarks import mujoco, mujoco_limit, mujoco_tape, mujoco_turns, pool_cost, records, run
from benchmarks.cases import MUJOCO_TASKS, mujoco_suite
from benchmarks.mujoco import Measured
from benchmarks.mujoco_limit import WAYS, Limit, LimitError, Turn
from benchmarks.pool_cost import PoolCost, PoolSample
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import CaseResult, KeptWorkers, Result, Timing
from envpool_py.cli.bench.peers import OURS
from envpool_py.cli.bench.sample import Outcome, Sample

SECOND = 1_000_000_000  # ns
SUITE = mujoco_suite(["Ant-v5"], 2)  # 8 environments in order, 16 in batches of 8


def limits_of(loop: float, in_step: float) -> list[Limit]:
    """Returns limits of `SUITE`: our pool at these multiples of the loops' rates."""
    turn = Turn(pool=100.0, loop=100.0 / loop, in_step=100.0 / in_step, batch=50.0)
    return [Limit(line.case, [turn] * 3) for line in SUITE]


def pools_of(make_s: float, env_bytes: float) -> list[PoolCost]:
    """Returns pool costs; EnvPool's pool takes 1 s to make and 1,000 bytes per environment."""
    return [
        PoolCost(OURS, 1024, [PoolSample(make_s, 0.1, env_bytes)]),
        PoolCost("envpool", 1024, [PoolSample(1.0, 0.1, 1000.0)]),
    ]


def rates() -> list[CaseResult]:
    def result(name: str) -> Result:
        return Result(name, [Sample(100, 20_000 if name == OURS else 10_000, SECOND, SECOND)])

    return [CaseResult(line.case, [result(name) for name in line.participants]) for line in SUITE]


def test_the_cases_are_those_of_the_project() -> None:
    suite = mujoco_suite(list(MUJOCO_TASKS), 2)
    assert {task: envpool_py.make_spec(task).frame_skip for task in MUJOCO_TASKS} == MUJOCO_TASKS
    assert [line.case.title for line in suite[:2]] == ["Ant-v5, 8 envs",
                                                       "Ant-v5, 16 envs, batches of 8"]  # fmt: skip
    assert {line.case.task for line in suite} == {
        "Ant-v5", "HalfCheetah-v5", "Humanoid-v5", "Hopper-v5",
    }  # fmt: skip
    assert all(dict(line.floors) == {"envpool": 1.0} for line in suite)
    assert all(line.case.num_threads == 2 for line in suite)


# Limits


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("c++") is None:
        pytest.skip("needs a C++ compiler")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CXX", raising=False)
        patch.delenv("LD_PRELOAD", raising=False)  # a compiler must not load a sanitizer
        return mujoco_limit.build(tmp_path_factory.mktemp("limit"))


@pytest.mark.unsanitized
@pytest.mark.parametrize("task", MUJOCO_TASKS)
@pytest.mark.parametrize("batch_size", [4, 2])
def test_every_way_makes_the_very_steps_of_the_pool(
    library: Path, task: str, batch_size: int
) -> None:
    case = Case(task, 4, batch_size, 2, frame_skip=MUJOCO_TASKS[task])
    # `measure` raises if a replay ends in other states than the pool.
    limit = mujoco_limit.measure(case, library, 0.02, 2)
    assert len(limit.turns) == 2
    for name in ("pool", *WAYS):
        assert limit.rate(name) > 0.0
    assert set(limit.to_json()["ratios"]) == set(WAYS)


class _Recorded:
    """A pool that records the results of each environment since its last reset."""

    def __init__(self, env: Any, num_envs: int) -> None:
        self._env = env
        self._num_envs = num_envs
        self.observations: list[list[Any]] = []
        self.send = env.send

    def async_reset(self, **arguments: Any) -> None:
        self._env.async_reset(**arguments)
        self.observations = [[] for _ in range(self._num_envs)]

    def recv(self) -> Any:
        batch = self._env.recv()
        for env, observation in zip(batch[4]["env_id"], batch[0], strict=True):
            self.observations[env].append(observation.copy())
        return batch


@pytest.mark.unsanitized
def test_first_ready_each_environment_does_what_it_does_in_order(library: Path) -> None:
    case = Case("CartPole-v1", 6, 2, 2, seed=4)
    options: dict[str, Any] = {"num_envs": 6, "num_threads": 2, "seed": 4}
    actions = [np.array(batch) for batch in itertools.product((0, 1), repeat=6)][5:40:3]
    first_ready: Any = envpool_py.make("CartPole-v1", batch_size=2, **options)
    in_order: Any = envpool_py.make("CartPole-v1", **options)
    with contextlib.closing(first_ready), contextlib.closing(in_order):
        recorded = _Recorded(first_ready, 6)
        turns = mujoco_turns.FirstReadyTurns(library, recorded, case, actions)
        turns.begin()
        turns.advance(31)
        turns.begin()
        turns.advance(200)
        turns.close()
        expected = [in_order.reset(seed=4)[0]]
        longest = max(map(len, recorded.observations))
        for action in itertools.islice(itertools.cycle(actions), longest - 1):
            expected.append(in_order.step(action)[0])
        for env, observations in enumerate(recorded.observations):
            assert len(observations) > 50
            np.testing.assert_array_equal(
                observations, [batch[env] for batch in expected[: len(observations)]]
            )


@pytest.mark.unsanitized
def test_a_replay_that_ends_elsewhere_is_an_error(library: Path, tmp_path: Path) -> None:
    tape = tmp_path / "tape"
    functions = mujoco_limit.Library(library)
    model = mujoco_limit.model_file("Hopper-v5")
    case = Case("Hopper-v5", 2, 2, 1, frame_skip=MUJOCO_TASKS["Hopper-v5"])
    actions = [np.full((2, 3), 0.1 * k, np.float32) for k in range(-5, 5)]
    mujoco_tape.record(case, actions, 6, functions.model_size(model), tape)
    limit = functions.make(model, tape, 2)
    assert all(functions.rate(limit, way) > 0.0 for way in WAYS)
    functions.delete(limit)

    written = bytearray(tape.read_bytes())
    controls = 7 * 8 + 2 * 3 * 4  # the controls of the first step, which is the reset
    written[controls : controls + 4] = np.float32(0.5).tobytes()
    tape.write_bytes(written)
    limit = functions.make(model, tape, 2)
    for way in WAYS:
        with pytest.raises(LimitError, match="ended in other states than the pool"):
            functions.rate(limit, way)
    functions.delete(limit)

    tape.write_bytes(written[:-1])
    with pytest.raises(LimitError, match="expected a whole tape, got a part of one"):
        functions.make(model, tape, 2)
    with pytest.raises(LimitError, match="expected a tape of this model, got something else"):
        functions.make(mujoco_limit.model_file("Ant-v5"), tape, 2)


def test_what_keeps_the_limits_from_being_measured_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(LimitError, match="no compiler called no-such-compiler"):
        mujoco_limit.build(tmp_path)
    with pytest.raises(LimitError, match=r"nothing\.so"):
        mujoco_limit.measure(SUITE[0].case, tmp_path / "nothing.so", 0.01, 1)


def test_ratios_are_of_turns_that_follow_each_other() -> None:
    turns = [Turn(1.0, 2.0, 1.0, 4.0), Turn(10.0, 10.0, 5.0, 5.0), Turn(3.0, 4.0, 1.0, 6.0)]
    limit = Limit(SUITE[0].case, turns)
    assert [limit.ratio(way) for way in WAYS] == [0.75, 2.0, 0.5]
    assert limit.rate("pool") == 3.0


# Floors and tables


@pytest.mark.parametrize(
    ("limits", "costs", "verdicts"),
    [
        (limits_of(0.95, 0.95), pools_of(0.2, 1000.0), ["PASS"] * 4),
        (limits_of(0.94, 1.0), pools_of(0.21, 1001.0), ["PASS", "MISS", "MISS", "MISS"]),
        (limits_of(1.0, 0.94), pools_of(0.1, 500.0), ["MISS", "PASS", "PASS", "PASS"]),
        ([], [], ["UNKNOWN"] * 4),
    ],
)
def test_floors(limits: list[Limit], costs: list[PoolCost], verdicts: list[str]) -> None:
    found = mujoco.more_checks(Measured([], costs, limits), SUITE, 1024)
    assert [floor.verdict for floor in found] == verdicts
    assert [(floor.case, floor.what) for floor in found] == [
        ("Ant-v5, 8 envs", "at least 0.95 times a plain C++ loop, its threads in step"),
        ("Ant-v5, 16 envs, batches of 8", "at least 0.95 times a plain C++ loop"),
        ("Ant-v5, 1,024 envs", "at least 5 times faster to make than EnvPool"),
        ("Ant-v5, 1,024 envs", "at least 1 times less memory than EnvPool"),
    ]


def test_tables_are_whole_on_a_narrow_terminal() -> None:
    everything = Measured(rates(), pools_of(0.25, 345e3), limits_of(0.91, 0.97))
    found = mujoco.more_checks(everything, SUITE, 1024)
    out = io.StringIO()
    mujoco.show(Console(file=out, width=80), everything, found)
    text = out.getvalue()
    for expected in ("20.0 k", "2.00x", "0.910", "0.970", "2.000", "0.25", "345", "PASS", "MISS"):
        assert expected in text
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_time_to_make_is_compared_by_environment() -> None:
    costs = pools_of(0.5, 1.0)
    assert pool_cost.make_ratio(costs, "envpool") == 2.0
    costs[1].num_envs = 64
    assert pool_cost.make_ratio(costs, "envpool") == 32.0
    assert pool_cost.make_ratio(costs[:1], "envpool") is None


# The command


@pytest.mark.parametrize(
    ("arguments", "tasks", "pool_envs", "name"),
    [
        ([], tuple(MUJOCO_TASKS), 1024, "latest.mujoco"),
        (["--name", "kept"], tuple(MUJOCO_TASKS), 1024, "kept"),
        (["--quick"], tuple(MUJOCO_TASKS), 64, "latest.mujoco"),
        (["Hopper-v5", "Ant-v5", "Hopper-v5"], ("Hopper-v5", "Ant-v5"), 1024, "latest.mujoco"),
    ],
)
def test_arguments(arguments: list[str], tasks: tuple[str, ...], pool_envs: int, name: str) -> None:
    parsed = mujoco.parse(arguments)
    assert (parsed.tasks, parsed.pool_envs) == (tasks, pool_envs)
    assert parsed.name == name


def test_a_task_that_is_none_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        mujoco.parse(["Hoper-v5"])
    assert 'did you mean "Hopper-v5"' in capsys.readouterr().err


def test_a_run_prints_and_writes_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    broken: dict[str, Any] = {}

    def launch(name: str, case: Case, timing: Timing) -> Outcome:
        return Outcome("ok", Sample(100, 20_000 if name == OURS else 10_000, SECOND, SECOND))

    def measure(case: Case, library: Path, seconds: float, turns: int) -> Limit:
        if broken:
            raise LimitError("no such thing")
        return Limit(case, [Turn(9.0, 9.0, 9.0, 9.0)] * turns)

    monkeypatch.setattr(KeptWorkers, "launch", staticmethod(launch))
    monkeypatch.setattr(mujoco_limit, "build", lambda directory: directory)
    monkeypatch.setattr(mujoco_limit, "measure", measure)
    monkeypatch.setattr(pool_cost, "measure_pools", lambda cases, rounds, **_: pools_of(0.1, 10.0))
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_ROOT", tmp_path)
    assert mujoco.main(["--check", "--name", "named"]) == 0
    out, err = capsys.readouterr()
    for expected in ("Environment steps per second", "beside mj_step", "A pool of Ant-v5"):
        assert expected in out
    assert "MISS" not in out
    record = json.loads((tmp_path / "named.json").read_text())
    assert len(record["limits"]) == len(record["cases"]) == 8
    assert len(record["floors"]) == 8 + 8 + 2
    assert [library["name"] for library in record["pools"]["libraries"]] == [OURS, "envpool"]
    assert (tmp_path / "named.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert "wrote named.json" in err.splitlines()

    broken["yes"] = True
    assert mujoco.main(["--check", "Ant-v5"]) == 1
    assert "no limits: no such thing" in capsys.readouterr().err.splitlines()
