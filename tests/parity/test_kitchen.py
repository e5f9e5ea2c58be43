"""FrankaKitchen: with equal seeds and actions, results are bit-equal to the reference's.

The reference's infos are lists of names, in an order that depends on PYTHONHASHSEED; here they are
a bool for each goal.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.pool import env_attributes

from .robotics_pair import shim

pytest.importorskip("envpool_py._mujoco")
pytestmark = pytest.mark.usefixtures("reference")

KITCHEN = "FrankaKitchen-v1"
GOALS = [
    "bottom burner",
    "hinge cabinet",
    "kettle",
    "light switch",
    "microwave",
    "slide cabinet",
    "top burner",
]
GRAVITY = [10.0, 25.0, -9.81]  # m/s^2
INFOS = ["tasks_to_complete", "step_task_completions", "episode_task_completions"]


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch, tmp_path)


class BoolInfos(gymnasium.Wrapper):  # type: ignore[type-arg]
    """Turns the lists of names into arrays with a bool for each goal."""

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**kwargs)
        return observation, self._bools(info)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward, terminated, truncated, self._bools(info)

    def _bools(self, info: dict[str, Any]) -> dict[str, Any]:
        assert info.keys() == set(INFOS)
        for names in info.values():
            assert len(set(names)) == len(names)
        goals = sorted(self.unwrapped.goal)  # type: ignore[attr-defined]
        return {name: np.array([goal in info[name] for goal in goals]) for name in INFOS}


class Sloping(gymnasium.Wrapper):  # type: ignore[type-arg]
    """Changes the direction of gravity, so that things move by themselves."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        env.unwrapped.model.opt.gravity[:] = GRAVITY  # type: ignore[attr-defined]


@pytest.fixture
def kitchens(parity: SimpleNamespace) -> Callable[..., Any]:
    """Returns a function that makes a Lockstep; `slopes`: things move by themselves."""

    def make(*, slopes: bool = False, **options: Any) -> Any:
        wrappers = [Sloping, BoolInfos] if slopes else [BoolInfos]
        pair = parity.Lockstep(KITCHEN, wrappers=wrappers, **options)
        if slopes:
            pair.ours.close()
            pair.ours = envpool_py.make(
                KITCHEN, **options, model={"opt.gravity": GRAVITY}, model_constants=False
            )
        return pair

    return make


def policy(observations: Any, rng: np.random.Generator) -> np.ndarray:
    actions = rng.uniform(-1.3, 1.3, (len(observations["observation"]), 9))
    actions[::3] = np.sign(actions[::3])
    return actions


def test_specs_and_spaces(kitchens: Callable[..., Any], parity: SimpleNamespace) -> None:
    parity.assert_same_limits(KITCHEN)
    with kitchens(num_envs=1) as pair:
        pair.check_spaces()
        assert list(pair.ours.single_observation_space["achieved_goal"]) == GOALS
        assert pair.ours.metadata["render_fps"] == 12


@pytest.mark.parametrize("seed", [0, pytest.param(4711, marks=pytest.mark.long)])
def test_trajectories(seed: int, kitchens: Callable[..., Any]) -> None:
    with kitchens(num_envs=2, max_episode_steps=12) as pair:
        counts = pair.run(policy, seed, 3 * 13)
        pair.run(lambda *of: policy(*of).astype(np.float32), seed, 4)
    assert counts["truncated"] >= 6


@pytest.mark.long
@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_whole_episodes(mode: str, kitchens: Callable[..., Any]) -> None:
    with kitchens(num_envs=2, autoreset_mode=mode) as pair:
        assert pair.run(policy, 31, 300)["truncated"] == 2


def test_reseeding(kitchens: Callable[..., Any]) -> None:
    with kitchens(num_envs=3) as pair:
        pair.run_reseeded(policy, 2)


@pytest.mark.parametrize(
    ("options", "ends", "least"),
    [
        ({"tasks_to_complete": ["slide cabinet", "kettle"]}, True, 8),
        ({"tasks_to_complete": ["kettle"], "terminate_on_tasks_completed": False}, False, 2),
        ({"remove_task_when_completed": False}, False, 20),
        ({"tasks_to_complete": ["kettle"] * 2, "remove_task_when_completed": False}, True, 8),
    ],
)
def test_things_that_are_done(
    options: dict[str, Any], ends: bool, least: float, kitchens: Callable[..., Any]
) -> None:
    rewards = 0.0
    with kitchens(num_envs=2, slopes=True, **options) as pair:
        step = pair.ours.step

        def summed(actions: np.ndarray) -> Any:
            nonlocal rewards
            result = step(actions)
            rewards += float(result[1].sum())
            return result

        pair.ours.step = summed
        counts = pair.run(policy, 5, 20)
    assert (counts["terminated"] > 0) == ends
    assert rewards >= least


@pytest.mark.parametrize(
    "options",
    [
        {"robot_noise_ratio": 0.0, "object_noise_ratio": 0.0},
        {"robot_noise_ratio": 0.3, "object_noise_ratio": -2.0},
        {"frame_skip": 43},
    ],
)
def test_options(options: dict[str, Any], kitchens: Callable[..., Any]) -> None:
    with kitchens(num_envs=2, **options) as pair:
        pair.run(policy, 2, 8)


def test_attributes(kitchens: Callable[..., Any]) -> None:
    values: dict[str, list[Any]] = {
        "terminate_on_tasks_completed": [False, True, False],
        "remove_task_when_completed": [False, True, False],
        "object_noise_ratio": [0.0, 0.5, 3.0],
    }
    with kitchens(num_envs=3, slopes=True, tasks_to_complete=["slide cabinet", "kettle"]) as pair:
        assert set(values) == set(env_attributes.names(pair.ours))
        for seed, (name, each) in enumerate(values.items()):
            first = pair.ours.get_attr(name)
            assert first == pair.theirs.get_attr(name)
            pair.run(policy, seed, 2)
            for envs in (pair.ours, pair.theirs):
                envs.set_attr(name, each)
                assert envs.get_attr(name) == tuple(each)
            for _ in range(8):
                pair.step(policy(pair.observations, np.random.default_rng(seed)))


@pytest.mark.long  # the buffer of the model is large, so that a picture takes minutes without a GPU
@pytest.mark.usefixtures("egl")
def test_pictures(kitchens: Callable[..., Any]) -> None:
    options: dict[str, Any] = {"render_mode": "rgb_array", "width": 120, "height": 90}
    with kitchens(num_envs=1, **options) as pair:
        pair.run(policy, 4, 2)
        expected = np.stack(pair.theirs.render())
        np.testing.assert_array_equal(np.stack(pair.ours.render()), expected)
    assert expected.std() > 1.0, "nothing is to be seen"
