"""`python -m benchmarks.robotics`: robots beside their references; see `make bench-robotics`.

Tasks of Gymnasium-Robotics and MaMuJoCo. Their references step one environment after another:
Gymnasium's `SyncVectorEnv`, and for MaMuJoCo a loop over PettingZoo's parallel API. With this
MuJoCo, some environments of Gymnasium-Robotics can only be made without assertions
(PYTHONOPTIMIZE=1).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from benchmarks.cases import SuiteCase
from benchmarks.family import POOL_ENVS, Family, Pools
from envpool_py.cli.bench.case import Case

_SYNC, _ENVPOOL, _PARALLEL = "gymnasium-sync", "envpool", "mamujoco"
_MAZE, _FETCH, _HAND = {_SYNC: 4.0, _ENVPOOL: 1.5}, {_SYNC: 2.5}, {_SYNC: 2.3}
_ADROIT, _AGENTS = {_SYNC: 2.0}, {_PARALLEL: 3.0}

FLOORS: Mapping[str, Mapping[str, float]] = {
    "PointMaze_UMaze-v3": _MAZE,
    "AntMaze_UMaze-v5": {_SYNC: 3.0},
    "FetchReach-v4": _FETCH,
    "FetchPush-v4": _FETCH,
    "FetchPickAndPlace-v4": _FETCH,
    "HandReach-v3": _HAND,
    "HandManipulateBlock-v1": _HAND,
    "AdroitHandDoor-v1": _ADROIT,
    "AdroitHandPen-v1": _ADROIT,
    "FrankaKitchen-v1": {},
    "MaMuJoCo/Ant-v1": _AGENTS,
    "MaMuJoCo/HalfCheetah-v1": _AGENTS,
}
"""The tasks, each with the least ratios of our rate to those of other libraries."""

_DIVISIONS = {"MaMuJoCo/Ant-v1": "2x4", "MaMuJoCo/HalfCheetah-v1": "2x3"}
_SIZES = (8, 64)


def suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of some tasks: each with 8 and with 64 environments."""
    return [_line(task, num_envs, num_threads) for task in tasks for num_envs in _SIZES]


def _line(task: str, num_envs: int, num_threads: int) -> SuiteCase:
    if task in _DIVISIONS:
        peers = [_PARALLEL]
        peer_tasks = {_PARALLEL: task.removeprefix("MaMuJoCo/").removesuffix("-v1")}
        options = {"agent_conf": _DIVISIONS[task]}
    else:
        # EnvPool has no AntMaze.
        peers = [_SYNC] if task.startswith("AntMaze") else [_ENVPOOL, _SYNC]
        peer_tasks = {_SYNC: f"gymnasium_robotics:{task}"}
        options = {}
    case = Case(
        task, num_envs, num_envs, min(num_threads, num_envs),
        options=options, peer_tasks=peer_tasks,
    )  # fmt: skip
    aims = {_SYNC: 3.0} if task.startswith("Fetch") else {}
    return SuiteCase(case, tuple(peers), FLOORS[task], aims=aims)


FAMILY = Family(
    "robotics",
    "tasks of Gymnasium-Robotics and MaMuJoCo",
    tuple(FLOORS),
    suite,
    Pools(most_make_s=10.0, peers={_ENVPOOL: POOL_ENVS, _SYNC: 4, _PARALLEL: 4}),
)

if __name__ == "__main__":
    sys.exit(FAMILY.main())
