"""HandReach and HandManipulate of Gymnasium-Robotics: options, pictures, goals and states.

tests/parity/test_robotics.py compares the trajectories of all ids.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, EnvPoolError, OptionError
from envpool_py.pool import env_attributes

from .robotics_pair import shim

pytest.importorskip("envpool_py._mujoco")
pytestmark = [
    pytest.mark.usefixtures("reference"),
    pytest.mark.filterwarnings("ignore:.*is out of date:DeprecationWarning"),
]

BLOCK = "HandManipulateBlock-v1"
TOUCH = "HandManipulateBlockRotateZ_ContinuousTouchSensors-v1"
PEN = "HandManipulatePen-v1"
EGG = "HandManipulateEgg_BooleanTouchSensors-v1"
REACH = "HandReach-v3"


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch, tmp_path)


def policy_of(task_id: str, parity: SimpleNamespace) -> Any:
    box = parity.box_policy(task_id)
    return lambda observations, rng: box(observations["observation"], rng)


OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (REACH, {"reward_type": "dense", "distance_threshold": 0.2}),
    (REACH, {"initial_qpos": {"robot0:FFJ3": 0.2, "robot0:THJ4": -0.5}}),
    (REACH, {"initial_qpos": {}}),
    (BLOCK, {"target_position": "fixed", "target_rotation": "parallel", "reward_type": "dense"}),
    (BLOCK, {"target_position": "ignore", "target_rotation": "z", "rotation_threshold": 1.5}),
    (BLOCK, {"randomize_initial_rotation": False, "ignore_z_target_rotation": True}),
    (
        BLOCK,
        {"randomize_initial_position": False, "distance_threshold": 3, "rotation_threshold": 2},
    ),
    (PEN, {"target_position": "fixed", "rotation_threshold": 2.0, "reward_type": "dense"}),
    (PEN, {"randomize_initial_position": False, "target_rotation": "z"}),
    (TOUCH, {"touch_get_obs": "log"}),
    (TOUCH, {"touch_get_obs": "boolean", "target_position": "random"}),
    (TOUCH, {"touch_get_obs": "off", "touch_visualisation": "off"}),
    (EGG, {"touch_get_obs": "sensordata", "ignore_z_target_rotation": True}),
]


@pytest.mark.parametrize(("task_id", "options"), OPTIONS)
def test_options(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    with parity.Lockstep(task_id, num_envs=2, max_episode_steps=4, **options) as pair:
        pair.check_spaces()
        pair.run(policy_of(task_id, parity), 3, 10)


DEAD: list[tuple[str, dict[str, Any]]] = [
    (REACH, {"relative_control": True}),
    (REACH, {"n_substeps": 10}),
    (BLOCK, {"relative_control": True}),
    (BLOCK, {"initial_qpos": {"robot0:FFJ3": 0.2}}),
    (BLOCK, {"target_rotation": "fixed"}),
    (BLOCK, {"target_rotation": "ignore"}),
    (BLOCK, {"target_position_range": [[-0.1, 0.1]] * 3}),
    (PEN, {"distance_threshold": 0.1}),
    (PEN, {"ignore_z_target_rotation": False}),
    (PEN, {"randomize_initial_rotation": True}),
    (BLOCK, {"touch_get_obs": "log"}),
]


def begin_reference(task_id: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(task_id, disable_env_checker=True, **options)
    env.reset(seed=0)
    env.step(env.action_space.sample())


@pytest.mark.parametrize(("task_id", "options"), DEAD)
def test_options_that_fail_in_the_reference(task_id: str, options: dict[str, Any]) -> None:
    with pytest.raises(EnvPoolError, match=next(iter(options))):
        envpool_py.make(task_id, num_envs=1, **options)
    with pytest.raises((AttributeError, AssertionError, TypeError)):
        begin_reference(task_id, options)


def test_joints_that_a_hand_does_not_have() -> None:
    with pytest.raises(OptionError, match='no joint "FFJ3"'):
        envpool_py.make(REACH, num_envs=1, initial_qpos={"FFJ3": 0.2})
    with pytest.raises(OptionError, match=r'one number as "robot0:FFJ3", got 2'):
        envpool_py.make(REACH, num_envs=1, initial_qpos={"robot0:FFJ3": [0.2, 0.1]})


@pytest.mark.parametrize("task_id", [REACH, TOUCH, PEN])
def test_reseeding_and_float64_actions(task_id: str, parity: SimpleNamespace) -> None:
    policy = policy_of(task_id, parity)
    with parity.Lockstep(task_id, num_envs=2) as pair:
        pair.run_reseeded(lambda *of: policy(*of).astype(np.float64) * 1.01, 3)


def test_reached_goals(parity: SimpleNamespace) -> None:
    """A tenth of the goals of HandReach are the start, which relaxed hands keep."""
    still = np.zeros((16, 20), np.float32)
    reached = 0.0
    with parity.Lockstep(REACH, num_envs=16, distance_threshold=0.1) as pair:
        pair.reset(1)
        for _ in range(3):
            pair.step(still)
        with envpool_py.make(REACH, num_envs=16, distance_threshold=0.1) as pool:
            pool.reset(seed=1)
            *_, rewards, _, _, infos = pool.step(still)
            reached = infos["is_success"].sum()
            np.testing.assert_array_equal(np.signbit(rewards), True)  # -0.0 at a goal
    assert 0 < reached < 16


VALUES: dict[str, list[Any]] = {
    "reward_type": ["dense", "sparse"],
    "target_position": ["fixed", "random"],
    "target_rotation": ["parallel", "z"],
    "ignore_z_target_rotation": [True, False],
    "randomize_initial_position": [False, True],
    "randomize_initial_rotation": [False, True],
    "distance_threshold": [0.5, 0.02],
    "rotation_threshold": [3.0, 0.2],
    "touch_get_obs": ["log", "boolean"],
}


@pytest.mark.parametrize("task_id", [TOUCH, BLOCK, REACH])
def test_attributes(task_id: str, parity: SimpleNamespace) -> None:
    policy = policy_of(task_id, parity)
    with parity.Lockstep(task_id, num_envs=2, max_episode_steps=2) as pair:
        names = env_attributes.names(pair.ours)
        assert set(names) == {
            name for name in VALUES if hasattr(pair.theirs.envs[0].unwrapped, name)
        }
        for seed, name in enumerate(names):
            first = pair.ours.get_attr(name)
            assert first == pair.theirs.get_attr(name)
            pair.reset(seed)
            for envs in (pair.ours, pair.theirs):
                envs.set_attr(name, VALUES[name])
                assert envs.get_attr(name) == tuple(VALUES[name])
            rng = np.random.default_rng(seed)
            for _ in range(4):
                pair.step(policy(pair.observations, rng))
            for envs in (pair.ours, pair.theirs):
                envs.set_attr(name, list(first))


PICTURES: list[tuple[str, dict[str, Any]]] = [
    (REACH, {}),
    (TOUCH, {}),
    (TOUCH, {"touch_visualisation": "always", "touch_get_obs": "off"}),
    (TOUCH, {"touch_visualisation": "off"}),
    (BLOCK, {}),
    (PEN, {"default_camera_config": {"distance": 0.8, "lookat": [1, 0.9, 0.2]}}),
]


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(("task_id", "options"), PICTURES)
def test_first_pictures(task_id: str, options: dict[str, Any], parity: SimpleNamespace) -> None:
    """One picture: after it, the reference continues from other warm starts."""
    size: dict[str, Any] = {"render_mode": "rgb_array", "width": 120, "height": 90}
    with parity.Lockstep(task_id, num_envs=2, **size, **options) as pair:
        pair.run(policy_of(task_id, parity), 3, 5)
        expected = np.stack(pair.theirs.render())
        for _ in range(2):  # drawing changes nothing here
            np.testing.assert_array_equal(np.stack(pair.ours.render()), expected)
        assert expected.std() > 1.0, "nothing is to be seen"


def test_touch_marks_have_the_colours_of_touch() -> None:
    """The three ways to show sensors differ in a picture of the same state."""
    pictures = []
    for marks in ("on_touch", "always", "off"):
        with envpool_py.make(
            TOUCH, num_envs=1, render_mode="rgb_array", touch_visualisation=marks
        ) as pool:
            pool.reset(seed=2)
            pictures.append(pool.render()[0].tobytes())
    assert len(set(pictures)) == 3


@pytest.mark.parametrize("task_id", [TOUCH, REACH])
def test_states(task_id: str) -> None:
    """A loaded state continues equally, also through a reset, which reads what came before."""
    with envpool_py.make(task_id, num_envs=2, max_episode_steps=6) as pool:
        pool.reset(seed=2)
        rng = np.random.default_rng(0)
        actions = rng.uniform(-1, 1, (12, 2, 20)).astype(np.float32)
        for each in actions[:3]:
            pool.step(each)
        state = pool.save_states()
        runs = []
        for _ in range(2):
            pool.load_states(state)
            runs.append([pool.step(each)[0]["observation"].tobytes() for each in actions[3:]])
    assert runs[0] == runs[1]


GOALS: list[tuple[str, dict[str, Any]]] = [
    (REACH, {}),
    ("HandReachDense-v3", {}),
    (BLOCK, {"distance_threshold": 0.5, "rotation_threshold": 1.0}),
    (TOUCH, {"rotation_threshold": 2.0}),
    ("HandManipulateEggDense-v1", {}),
    (PEN, {"rotation_threshold": 1.0}),
    ("HandManipulatePenRotateDense-v1", {}),
    (BLOCK, {"ignore_z_target_rotation": True, "reward_type": "dense"}),
]


@pytest.mark.parametrize(("task_id", "options"), GOALS)
def test_rewards_of_goals(task_id: str, options: dict[str, Any]) -> None:
    theirs: Any = gymnasium.make(task_id, **options).unwrapped
    theirs.reset(seed=0)
    size = theirs.observation_space["desired_goal"].shape[0]
    rng = np.random.default_rng(0)
    achieved = rng.normal(0.0, 0.3, (2000, size))
    desired = achieved + rng.normal(0.0, 0.02, achieved.shape) * rng.integers(0, 2, (2000, 1))
    infos = np.array([{}] * len(achieved))
    with envpool_py.make(task_id, num_envs=2, **options) as pool:
        for count in (2000, 3):
            goals = achieved[:count], desired[:count]
            batch = pool.call("compute_reward", *goals, infos)[0]
            expected = theirs.compute_reward(*goals, infos)
            assert batch.dtype == expected.dtype
            assert batch.tobytes() == expected.tobytes()  # with the signs of zeros
            assert count == 3 or len(np.unique(batch)) > 1
        for a, d in zip(achieved[:50], desired[:50], strict=True):
            one, other = pool.call("compute_reward", a, d, {})[0], theirs.compute_reward(a, d, {})
            assert type(one) is type(other)
            assert one.tobytes() == other.tobytes()
        for name in ("compute_terminated", "compute_truncated"):
            assert pool.call(name, achieved, desired, infos)[0].tolist() == [False] * 2000
            assert pool.call(name, achieved[0], desired[0], {})[0] is False
    theirs.close()


def test_a_small_batch_of_pens() -> None:
    """The reference refuses batches of one or two pens; here each goal is treated by itself."""
    theirs: Any = gymnasium.make("HandManipulatePenDense-v1").unwrapped
    rng = np.random.default_rng(0)
    achieved, desired = rng.normal(size=(2, 2, 7))
    with pytest.raises(IndexError):
        theirs.compute_reward(achieved, desired, {})
    with envpool_py.make("HandManipulatePenDense-v1", num_envs=1) as pool:
        batch = pool.call("compute_reward", achieved, desired, {})[0]
    each = [theirs.compute_reward(a, d, {}) for a, d in zip(achieved, desired, strict=True)]
    assert batch.tolist() == each
    theirs.close()


def test_an_object_that_falls_beside_the_hand() -> None:
    """A failure after a hundred starts, where the reference would try for ever."""
    sideways = {"opt.gravity": [-40.0, 0.0, -9.81]}
    with (
        envpool_py.make("HandManipulatePen-v1", num_envs=1, model=sideways) as pool,
        pytest.raises(EnvironmentFailedError, match="on the palm after one of 100"),
    ):
        pool.reset(seed=0)
