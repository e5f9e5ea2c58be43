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


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_class", AWKWARD)
def test_awkward_environments(env_class: Any, mode: str, num_workers: int) -> None:
    compare([env_class] * 3, mode, steps=24, num_workers=num_workers)


@pytest.mark.parametrize("num_workers", [1, 3, 5])
def test_any_number_of_workers(num_workers: int) -> None:
    compare([awkward.ManyInfos] * 5, "SameStep", steps=24, num_workers=num_workers)


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", REGISTERED)
def test_registered_environments(env_id: str, mode: str, num_workers: int) -> None:
    if env_id == "Taxi-v4" and env_id not in gymnasium.registry:
        env_id = "Taxi-v3"
    make = functools.partial(gymnasium.make, env_id)
    compare([make] * 3, mode, steps=120, num_workers=num_workers)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_class", [awkward.Nested, awkward.ManyInfos, awkward.TextObs])
def test_threads(env_class: Any, mode: str) -> None:
    compare([env_class] * 4, mode, steps=24, num_workers=3, workers="threads")
