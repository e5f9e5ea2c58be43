"""`python -m benchmarks.robotics`: robots beside their references; see `make bench-robotics`.

Tasks of Gymnasium-Robotics, MetaWorld and MaMuJoCo. Gymnasium steps the reference's environments in
one process, one after another (`SyncVectorEnv`), and so are those of MaMuJoCo stepped, with
PettingZoo's parallel API. MetaWorld takes seconds to make an environment: with 64 of them, our rate
is compared with that of one of its environments in a loop, which is not slower.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.cases import SuiteCase
from benchmarks.family import POOL_ENVS, Family, Pools
from envpool_py.cli.bench.case import Case

_SYNC, _SINGLE, _ENVPOOL, _PARALLEL = "gymnasium-sync", "gymnasium-single", "envpool", "mamujoco"

MAZE = {_SYNC: 4.0, _ENVPOOL: 1.5}
FETCH, HAND, ADROIT, META = {_SYNC: 2.5}, {_SYNC: 2.3}, {_SYNC: 2.0}, {_SYNC: 6.0, _ENVPOOL: 3.0}
AIMS = {"Fetch": {_SYNC: 3.0}, "MetaWorld": {_SYNC: 10.0}}
"""Aims by the beginning of the id."""

FLOORS = {
    "PointMaze_UMaze-v3": MAZE,
    "AntMaze_UMaze-v5": {_SYNC: 3.0},
    "FetchReach-v4": FETCH,
    "FetchPush-v4": FETCH,
    "FetchPickAndPlace-v4": FETCH,
    "HandReach-v3": HAND,
    "HandManipulateBlock-v1": HAND,
    "AdroitHandDoor-v1": ADROIT,
    "AdroitHandPen-v1": ADROIT,
    "FrankaKitchen-v1": {},
    "MetaWorld/Reach-v3": META,
    "MetaWorld/PickPlace-v3": META,
    "MetaWorld/DoorOpen-v3": META,
    "MaMuJoCo/Ant-v1": {_PARALLEL: 3.0},
    "MaMuJoCo/HalfCheetah-v1": {_PARALLEL: 3.0},
}
"""The tasks, each with the least ratios of our rate to those of other libraries."""

_METAWORLD_NAMES = {
    "MetaWorld/Reach-v3": "reach-v3",
    "MetaWorld/PickPlace-v3": "pick-place-v3",
    "MetaWorld/DoorOpen-v3": "door-open-v3",
}
_DIVISIONS = {"MaMuJoCo/Ant-v1": "2x4", "MaMuJoCo/HalfCheetah-v1": "2x3"}
_FEW, _MANY = 8, 64


def suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of some tasks: each with 8 and with 64 environments."""
    return [_line(task, num_envs, num_threads) for task in tasks for num_envs in (_FEW, _MANY)]


def _line(task: str, num_envs: int, num_threads: int) -> SuiteCase:
    floors = dict(FLOORS[task])
    aims = next((aims for start, aims in AIMS.items() if task.startswith(start)), {})
    peers = [_SYNC] if task.startswith("AntMaze") else [_ENVPOOL, _SYNC]
    peer_tasks = {_SYNC: f"gymnasium_robotics:{task}"}
    options, peer_options = {}, {}
    if task in _METAWORLD_NAMES:
        peer_tasks = dict.fromkeys((_SYNC, _SINGLE), "metaworld:Meta-World/MT1")
        named = {"env_name": _METAWORLD_NAMES[task]}
        peer_options = {**dict.fromkeys((_SYNC, _SINGLE), named), _ENVPOOL: {}}
        if num_envs > _FEW:
            peers = [_ENVPOOL, _SINGLE]
            floors = {_SINGLE: floors[_SYNC], _ENVPOOL: floors[_ENVPOOL]}
            aims = {_SINGLE: aims[_SYNC]}
    elif task in _DIVISIONS:
        scenario = task.removeprefix("MaMuJoCo/").removesuffix("-v1")
        peers, peer_tasks = [_PARALLEL], {_PARALLEL: scenario}
        options = {"agent_conf": _DIVISIONS[task]}
    case = Case(
        task, num_envs, num_envs, min(num_threads, num_envs),
        options=options, peer_tasks=peer_tasks, peer_options=peer_options,
    )  # fmt: skip
    return SuiteCase(case, tuple(peers), floors, aims=aims)


FAMILY = Family(
    "robotics",
    "tasks of Gymnasium-Robotics, MetaWorld and MaMuJoCo",
    tuple(FLOORS),
    suite,
    Pools(most_make_s=10.0, peers={_ENVPOOL: POOL_ENVS, _SYNC: 4, _PARALLEL: 4}),
)

if __name__ == "__main__":
    sys.exit(FAMILY.main())
