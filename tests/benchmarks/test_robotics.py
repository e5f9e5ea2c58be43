"""benchmarks.robotics and benchmarks.metaworld: the cases, and the environments of the peers."""

from __future__ import annotations

import dataclasses
import importlib.util

import pytest

import envpool_py
from benchmarks import metaworld, robotics
from benchmarks.cases import SuiteCase
from benchmarks.family import POOL_ENVS
from envpool_py.cli.bench.case import Case
from envpool_py.cli.bench.measure import Timing, launch_worker
from envpool_py.cli.bench.peers import OURS, PARTICIPANTS
from envpool_py.cli.bench.unavailable import UnavailableError

ROBOTS = robotics.suite(tuple(robotics.FLOORS), 2)
METAWORLD = metaworld.suite(tuple(metaworld.TASKS), 2)


def case_of(task: str, num_envs: int) -> SuiteCase:
    (found,) = (
        line
        for line in ROBOTS + METAWORLD
        if (line.case.task, line.case.num_envs) == (task, num_envs)
    )
    return found


def test_the_cases() -> None:
    assert {line.case.task for line in ROBOTS} == robotics.FLOORS.keys()
    assert {line.case.task for line in ROBOTS + METAWORLD} <= {*envpool_py.list_all_envs()}
    for line in ROBOTS + METAWORLD:
        assert {*line.floors} | {*line.aims} <= {*line.peers}
    assert case_of("FetchPush-v4", 64).aims == {"gymnasium-sync": 3.0}
    assert case_of("MetaWorld/Reach-v3", 64).floors == {"gymnasium-single": 6.0, "envpool": 3.0}


def test_pools() -> None:
    sizes = {
        task: {name: case.num_envs for name, case in family.pool_cases(task, lines, True).items()}
        for family, task, lines in (
            (robotics.FAMILY, "FetchPush-v4", ROBOTS),
            (robotics.FAMILY, "MaMuJoCo/Ant-v1", ROBOTS),
            (metaworld.FAMILY, "MetaWorld/Reach-v3", METAWORLD),
        )
    }
    few = {OURS: POOL_ENVS, "envpool": 64, "gymnasium-sync": 4}
    assert sizes == {
        "FetchPush-v4": few,
        "MaMuJoCo/Ant-v1": {OURS: POOL_ENVS, "mamujoco": 4},
        "MetaWorld/Reach-v3": few,
    }


@pytest.mark.parametrize(
    ("task", "peer", "module"),
    [
        ("PointMaze_UMaze-v3", "gymnasium-sync", "gymnasium_robotics"),
        ("MetaWorld/Reach-v3", "gymnasium-sync", "metaworld"),
        ("MaMuJoCo/HalfCheetah-v1", "mamujoco", "gymnasium_robotics"),
    ],
)
def test_participants_step_the_same_tasks(task: str, peer: str, module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs {module}")
    if module == "metaworld" and pytest.importorskip("mujoco").mjNEQDATA > 11:
        pytest.skip("MetaWorld 3.1.1 cannot make its environments with this MuJoCo")
    case = dataclasses.replace(case_of(task, 8).case, num_envs=2, batch_size=2)
    for name in (OURS, peer):
        outcome = launch_worker(name, case, Timing(0.02, 0.01, 1))
        assert outcome.sample is not None, (name, outcome.reason)
        assert outcome.sample.rows > 0


def test_a_task_that_mamujoco_lacks() -> None:
    pytest.importorskip("gymnasium_robotics")
    with pytest.raises(UnavailableError, match="MaMuJoCo has no CartPole-v1"):
        PARTICIPANTS["mamujoco"].start(Case("CartPole-v1", 1, 1, 1))
