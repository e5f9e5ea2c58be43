"""Gymnasium's vector wrappers give the same results around pools and around its own environments.

The oracle is the same wrapper around `SyncVectorEnv` with equal seeds and actions. Spaces, dtypes,
observations, rewards, flags and infos are compared bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector

import envpool_py

# Gymnasium gives this warning for the spaces of its own wrappers.
pytestmark = pytest.mark.filterwarnings("ignore:.*precision lowered by casting")

Wrap = Callable[[Any], Any]

# Per task: its options, and the number of steps. Episodes end by termination and by truncation.
TASKS: dict[str, tuple[dict[str, Any], int]] = {
    "CartPole-v1": ({"max_episode_steps": 30}, 400),
    "Pendulum-v1": ({"max_episode_steps": 35}, 300),
    "Hopper-v5": ({"max_episode_steps": 40}, 300),  # float64
    "ALE/Breakout-v5": ({"max_episode_steps": 20}, 60),  # image observations
}
CONTINUOUS = ("Pendulum-v1", "Hopper-v5")
VECTORS = ("CartPole-v1", *CONTINUOUS)


def halve(value: Any) -> Any:
    return (value * 0.5).astype(value.dtype)


# Wrappers that do not change the shape and dtype of observations.
ANYWHERE: dict[str, Wrap] = {
    "no wrapper": lambda envs: envs,
    "RecordEpisodeStatistics": lambda envs: vector.RecordEpisodeStatistics(envs),
    "NormalizeObservation": lambda envs: vector.NormalizeObservation(envs),
    "NormalizeReward": lambda envs: vector.NormalizeReward(envs, gamma=0.9),
    "TransformObservation": lambda envs: vector.TransformObservation(envs, halve),
    "VectorizeTransformObservation": lambda envs: vector.VectorizeTransformObservation(
        envs,
        gymnasium.wrappers.TransformObservation,
        func=halve,
        observation_space=envs.single_observation_space,
    ),
    "TransformReward": lambda envs: vector.TransformReward(envs, lambda reward: 0.1 * reward),
    "VectorizeTransformReward": lambda envs: vector.VectorizeTransformReward(
        envs, gymnasium.wrappers.TransformReward, func=lambda reward: 0.1 * reward
    ),
    "ClipReward": lambda envs: vector.ClipReward(envs, -0.5, 0.5),
    "DictInfoToList": lambda envs: vector.DictInfoToList(envs),
    "several": lambda envs: vector.RecordEpisodeStatistics(
        vector.ClipReward(vector.TransformObservation(envs, halve), -0.5, 0.5)
    ),
}
OF_CONTINUOUS_ACTIONS: dict[str, Wrap] = {
    "TransformAction": lambda envs: vector.TransformAction(envs, halve),
    "VectorizeTransformAction": lambda envs: vector.VectorizeTransformAction(
        envs,
        gymnasium.wrappers.TransformAction,
        func=halve,
        action_space=envs.single_action_space,
    ),
    "ClipAction": lambda envs: vector.ClipAction(envs),
    "RescaleAction": lambda envs: vector.RescaleAction(envs, -0.5, 0.5),
}
CASES = [
    *((task, name, wrap) for task in VECTORS for name, wrap in ANYWHERE.items()),
    *(
        ("ALE/Breakout-v5", name, wrap)
        for name, wrap in ANYWHERE.items()
        if "Reward" not in name  # reward wrappers do not depend on the observations
    ),
    (
        "CartPole-v1",
        "TransformAction",
        lambda envs: vector.TransformAction(envs, lambda action: 1 - action),
    ),
    *((task, name, wrap) for task in CONTINUOUS for name, wrap in OF_CONTINUOUS_ACTIONS.items()),
    # Needs observations whose bounds are all finite.
    ("Pendulum-v1", "RescaleObservation", lambda envs: vector.RescaleObservation(envs, -1.0, 1.0)),
    ("Hopper-v5", "DtypeObservation", lambda envs: vector.DtypeObservation(envs, np.float32)),
    ("Hopper-v5", "ReshapeObservation", lambda envs: vector.ReshapeObservation(envs, (11, 1))),
    ("ALE/Breakout-v5", "FlattenObservation", lambda envs: vector.FlattenObservation(envs)),
    ("ALE/Breakout-v5", "GrayscaleObservation", lambda envs: vector.GrayscaleObservation(envs)),
    (
        "ALE/Breakout-v5",
        "ResizeObservation",
        lambda envs: vector.ResizeObservation(envs, (21, 16)),
    ),
]


def refuses(name: str, mode: AutoresetMode) -> bool:
    """Returns whether Gymnasium's wrapper refuses environments in this mode."""
    if name == "NormalizeObservation":
        return mode is not AutoresetMode.NEXT_STEP
    return mode is AutoresetMode.SAME_STEP and ("Observation" in name or name == "several")


@pytest.mark.sampled("mode")
@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    ("task_id", "name", "wrap"), CASES, ids=[f"{task}-{name}" for task, name, _ in CASES]
)
def test_wrapper(
    task_id: str, name: str, wrap: Wrap, mode: AutoresetMode, both: SimpleNamespace
) -> None:
    if name in ("GrayscaleObservation", "ResizeObservation"):
        pytest.importorskip("cv2")
    options, steps = TASKS[task_id]
    reference = both.reference(task_id, mode, **options)
    pool = both.pool(task_id, mode, **options)
    if refuses(name, mode):
        with pytest.raises((ValueError, AssertionError)) as theirs:
            wrap(reference)
        with pytest.raises(theirs.type):
            wrap(pool)
        return
    both.assert_same(wrap(reference), wrap(pool), steps, mode)


class OnlyAtTheTop(gymnasium.vector.VectorWrapper):
    """Removes the statistics from "final_info", where only wrappers of environments have them."""

    def step(self, actions: Any) -> Any:
        result = super().step(actions)
        infos = result[4]
        if "episode" in infos:
            inner = infos["final_info"].pop("episode")
            np.testing.assert_equal({key: inner[key] for key in "rlt"}, infos["episode"])
            np.testing.assert_equal(infos["final_info"].pop("_episode"), infos["_episode"])
        return result


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("in_engine", [False, True], ids=["wrapper", "engine"])
def test_statistics_in_lists(mode: AutoresetMode, in_engine: bool, both: SimpleNamespace) -> None:
    if gymnasium.__version__.startswith("1.1."):
        pytest.skip("DictInfoToList takes no such infos in this Gymnasium")
    if in_engine and mode is AutoresetMode.SAME_STEP and gymnasium.__version__.startswith("1.2."):
        pytest.skip("the wrapper leaves out the first step of an episode in this Gymnasium")
    options, steps = TASKS["CartPole-v1"]
    theirs = vector.RecordEpisodeStatistics(both.reference("CartPole-v1", mode, **options))
    mine = both.pool("CartPole-v1", mode, record_episode_statistics=in_engine, **options)
    if not in_engine:
        mine = vector.RecordEpisodeStatistics(mine)
    elif mode is AutoresetMode.SAME_STEP:
        mine = OnlyAtTheTop(mine)
    both.assert_same(vector.DictInfoToList(theirs), vector.DictInfoToList(mine), steps, mode)


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Hopper-v5", "Blackjack-v1"])
@pytest.mark.parametrize("to_list", [False, True], ids=["dictionary", "list"])
def test_final_obs_per_environment(task_id: str, to_list: bool, both: SimpleNamespace) -> None:
    mode = AutoresetMode.SAME_STEP
    options = {} if task_id == "Blackjack-v1" else {"max_episode_steps": 30}
    theirs = both.reference(task_id, mode, **options)
    mine = envpool_py.FinalObsPerEnv(both.pool(task_id, mode, **options))
    if to_list:  # without it, the wrapper accepts only array observations; Blackjack's are tuples
        theirs, mine = vector.DictInfoToList(theirs), vector.DictInfoToList(mine)
    both.assert_same(theirs, mine, 200, mode)


def test_final_obs_per_environment_is_none_elsewhere(both: SimpleNamespace) -> None:
    pool = both.pool("Pendulum-v1", AutoresetMode.SAME_STEP, max_episode_steps=4)
    envs = envpool_py.FinalObsPerEnv(pool)
    envs.reset(seed=0)
    actions = np.zeros((both.num_envs, 1), np.float32)
    for _ in range(2):
        assert "final_obs" not in envs.step(actions)[4]
    pool.reset([1])
    for _ in range(2):
        infos = envs.step(actions)[4]
    assert infos["final_obs"].dtype == object
    assert infos["final_obs"][1] is None
    assert infos["final_obs"][0].shape == infos["final_obs"][2].shape == (3,)
    np.testing.assert_array_equal(infos["_final_obs"], [True, False, True])


@pytest.mark.parametrize("task_id", VECTORS)
def test_numpy_to_torch(task_id: str, both: SimpleNamespace, torch: Any) -> None:
    mode = AutoresetMode.NEXT_STEP
    options, steps = TASKS[task_id]
    theirs = vector.NumpyToTorch(both.reference(task_id, mode, **options))
    mine = vector.NumpyToTorch(both.pool(task_id, mode, **options))
    assert_same_tensors(theirs, mine, steps, mode, both, torch)


@pytest.mark.parametrize("task_id", VECTORS)
def test_array_conversion(task_id: str, both: SimpleNamespace, torch: Any) -> None:
    pytest.importorskip("array_api_compat")
    if "ArrayConversion" not in vector.__all__:
        pytest.skip("this Gymnasium has no such wrapper")
    mode = AutoresetMode.NEXT_STEP
    options, steps = TASKS[task_id]

    def wrap(envs: Any) -> Any:
        return vector.ArrayConversion(envs, env_xp=np, target_xp=torch)

    theirs = wrap(both.reference(task_id, mode, **options))
    mine = wrap(both.pool(task_id, mode, **options))
    assert_same_tensors(theirs, mine, steps, mode, both, torch)


def assert_same_tensors(
    theirs: Any, mine: Any, steps: int, mode: AutoresetMode, both: SimpleNamespace, torch: Any
) -> None:
    theirs.action_space.seed(3)
    actions = [torch.from_numpy(theirs.action_space.sample()) for _ in range(steps)]
    ends = 0
    for left, right in zip(
        both.play(theirs, actions.__getitem__, steps, mode),
        both.play(mine, actions.__getitem__, steps, mode),
        strict=True,
    ):
        for one, other in zip(left[:-1], right[:-1], strict=True):
            assert type(other) is type(one) is torch.Tensor
            assert other.dtype == one.dtype
            assert torch.equal(other, one)
        assert left[-1].keys() <= right[-1].keys()
        if len(left) == 5:
            ends += int((left[2] | left[3]).sum())
    assert ends >= both.num_envs
