"""`python -m benchmarks.metaworld`: MetaWorld's tasks beside it; see `make bench-robotics`.

Gymnasium's `SyncVectorEnv` steps MetaWorld's environments one after another. MetaWorld takes
seconds to make an environment, so a pool of 64 is compared with a loop over one of them, which is
not slower.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.cases import SuiteCase
from benchmarks.family import POOL_ENVS, Family, Pools
from envpool_py.cli.bench.case import Case

_SYNC, _SINGLE, _ENVPOOL = "gymnasium-sync", "gymnasium-single", "envpool"
LEAST, LEAST_OF_ENVPOOL, AIM = 6.0, 3.0, 10.0
"""Floors of our rate, divided by MetaWorld's and by EnvPool's, and the aim beside MetaWorld."""

TASKS = {
    "MetaWorld/Reach-v3": "reach-v3",
    "MetaWorld/PickPlace-v3": "pick-place-v3",
    "MetaWorld/DoorOpen-v3": "door-open-v3",
}
"""The tasks, with their names in MetaWorld."""


def suite(tasks: Sequence[str], num_threads: int) -> list[SuiteCase]:
    """The cases of some tasks: each with 8 and with 64 environments."""
    return [
        _line(task, num_envs, num_threads, reference)
        for task in tasks
        for num_envs, reference in ((8, _SYNC), (64, _SINGLE))
    ]


def _line(task: str, num_envs: int, num_threads: int, reference: str) -> SuiteCase:
    case = Case(
        task, num_envs, num_envs, min(num_threads, num_envs),
        peer_tasks={reference: "metaworld:Meta-World/MT1"},
        peer_options={reference: {"env_name": TASKS[task]}},
    )  # fmt: skip
    floors = {_ENVPOOL: LEAST_OF_ENVPOOL, reference: LEAST}
    return SuiteCase(case, (_ENVPOOL, reference), floors, aims={reference: AIM})


FAMILY = Family(
    "metaworld",
    "MetaWorld's tasks",
    tuple(TASKS),
    suite,
    Pools(most_make_s=10.0, peers={_ENVPOOL: POOL_ENVS, _SYNC: 4}),
)

if __name__ == "__main__":
    sys.exit(FAMILY.main())
