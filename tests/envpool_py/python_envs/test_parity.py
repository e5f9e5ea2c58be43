"""Results equal those of `gymnasium.vector.SyncVectorEnv`: values, dtypes, infos."""

from __future__ import annotations

import functools
from typing import Any

import gymnasium
import pytest

from . import awkward
from .comparing import compare

MODES = ["NextStep", "SameStep", "Disabled"]
AWKWARD = [
    awkward.Nested,
    awkward.ManyInfos,
    awkward.TextObs,
    awkward.SequenceObs,
    awkward.GraphObs,
    awkward.EmptyBox,
    awkward.BigImage,
]
REGISTERED = [
    "CartPole-v1",
    "MountainCarContinuous-v0",
    "Acrobot-v1",
    "FrozenLake-v1",
    "Taxi-v4",
    "Blackjack-v1",
]


@pytest.mark.parametrize("num_workers", [0, 1, 2, 5])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_class", AWKWARD)
def test_awkward_environments(env_class: Any, mode: str, num_workers: int) -> None:
    compare([env_class] * 5, mode, steps=40, num_workers=num_workers)


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", REGISTERED)
def test_registered_environments(env_id: str, mode: str, num_workers: int) -> None:
    if env_id == "Taxi-v4" and env_id not in gymnasium.registry:
        env_id = "Taxi-v3"
    make = functools.partial(gymnasium.make, env_id)
    compare([make] * 3, mode, steps=250, num_workers=num_workers)
