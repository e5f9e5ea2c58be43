"""The tasks for the tests of rollouts and tensors: at least one of each family.

Rollouts refuse tasks with players, which the scenarios of MPE2 and MaMuJoCo are.
"""

from __future__ import annotations

from typing import Any

import pytest

import envpool_py
from envpool_py.errors import MissingPackageError
from envpool_py.tasks import registry

# In addition to the first task of each family: other kinds of spaces, and texts.
_MORE = ["CartPole-v1", "FrozenLake-v1", "Blackjack-v1", "Pendulum-v1", "MiniGrid-Empty-5x5-v0"]
TASKS = sorted(
    {
        *_MORE,
        *(
            min(family.tasks)
            for name, family in registry.all_families().items()
            if name not in ("mamujoco", "mpe")
        ),
    }
)


def make(task: str, **arguments: Any) -> Any:
    """Makes a pool; skips the test if the task's package is not installed."""
    try:
        return envpool_py.make(task, **arguments)
    except MissingPackageError as error:
        pytest.skip(str(error))
