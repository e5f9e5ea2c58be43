"""benchmarks.suite_limit: the loops repeat exactly the steps of the pool."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest

pytest.importorskip("mujoco")
pytest.importorskip("dm_control")

import envpool_py
from benchmarks import suite_limit
from benchmarks.mujoco_limit import LimitError
from benchmarks.suite_limit import TASKS, Turn


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("c++") is None:
        pytest.skip("needs a C++ compiler")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CXX", raising=False)
        patch.delenv("LD_PRELOAD", raising=False)  # a compiler must not load a sanitizer
        return suite_limit.build(tmp_path_factory.mktemp("limit"))


@pytest.mark.unsanitized
@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_the_loops_make_the_very_steps_of_the_pool(library: Path, task: suite_limit.Task) -> None:
    small = dataclasses.replace(task, num_envs=3)
    # `measure` raises if a loop ends in other states than the pool.
    (turn,) = suite_limit.measure(small, library, 2, 0.01, 1)
    assert min(turn.pool, turn.loop, turn.in_step) > 0.0


@pytest.mark.unsanitized
def test_other_steps_are_an_error(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starts_of = suite_limit.starts_of
    monkeypatch.setattr(suite_limit, "starts_of", lambda task, seed: starts_of(task, seed + 1))
    small = dataclasses.replace(TASKS[0], num_envs=2)
    with pytest.raises(LimitError, match="in other states than the pool"):
        suite_limit.measure(small, library, 1, 0.01, 1)


def test_ratios_are_medians_over_turns() -> None:
    turns = [Turn(pool=2.0, loop=4.0, in_step=1.0), Turn(3.0, 4.0, 1.0), Turn(100.0, 1.0, 1.0)]
    assert suite_limit.ratio(turns, "loop") == 0.75
    assert suite_limit.ratio(turns, "in_step") == 3.0


def test_cases_are_beside_envpool() -> None:
    lines = suite_limit.lines_of(TASKS, 2)
    assert lines[0].case.title == "CartpoleSwingup-v1, 256 envs"
    assert [dict(line.floors)["envpool"] for line in lines] == [3.0, 1.1, 1.1, 1.1]
    assert {task.id for task in TASKS} <= set(envpool_py.list_all_envs())
