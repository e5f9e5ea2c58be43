"""The environments `Testing/...`, which only tests use, for the conformance tests.

They come from `tests/engine/testing_module`, which `make test` builds.
"""

from __future__ import annotations

import contextlib
import importlib

# Ids that cannot pass the general checks, with the reason.
EXEMPT = {
    "Testing/Failing-v0": "a random action makes it raise",
    "Testing/Gate-v0": "a random action waits for the test",
    "Testing/Picture-v0": "a random action makes it raise",
    "Testing/Seeded-v0": "a random action makes it raise",
    "Testing/Serial-v0": "a random action makes it raise",
    "Testing/CountThread-v0": "shows which thread stepped it",
    "Testing/SetsNotEveryInfo-v0": "leaves an info unwritten",
    "BabyAI-SynthS5R2-v0": "some seeds have no level, as in the reference (tests/parity)",
}


def register() -> None:
    """Adds the testing environments to the ids if they are built."""
    with contextlib.suppress(ImportError):
        importlib.import_module("envpool_py._testing")
