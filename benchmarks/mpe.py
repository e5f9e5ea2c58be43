"""`python -m benchmarks.mpe`: compares MPE2 scenarios with MPE2; see `make bench-arena`.

MPE2's environments are stepped with PettingZoo's parallel API, one after another by one thread.
"""

from __future__ import annotations

import sys

from benchmarks.cases import MPE_TASKS, mpe_suite
from benchmarks.family import Family

FAMILY = Family("mpe", "MPE2 scenarios", tuple(MPE_TASKS), mpe_suite)

if __name__ == "__main__":
    sys.exit(FAMILY.main())
