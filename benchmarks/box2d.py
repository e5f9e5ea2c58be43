"""`python -m benchmarks.box2d`: Box2D tasks beside other libraries; see `make bench-box2d`."""

from __future__ import annotations

import sys

from benchmarks.cases import BOX2D_TASKS, box2d_suite
from benchmarks.family import POOL_ENVS, Family, Pools

FAMILY = Family(
    "box2d",
    "Box2D tasks",
    BOX2D_TASKS,
    box2d_suite,
    # Gymnasium needs a tenth of a second for a reset of CarRacing.
    Pools(most_make_s=1.0, peers={"envpool": POOL_ENVS, "gymnasium-sync": 16}),
)

if __name__ == "__main__":
    sys.exit(FAMILY.main())
