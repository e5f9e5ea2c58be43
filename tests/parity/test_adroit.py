"""AdroitHand: begun from states, with changed attributes, and drawn, as in the reference.

`test_robotics.py` compares the trajectories of these tasks from their usual starts.
"""

from __future__ import annotations

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

TASKS = ["AdroitHandDoor", "AdroitHandHammer", "AdroitHandPen", "AdroitHandRelocate"]
UPRIGHT = np.array([np.cos(0.785), 0.0, np.sin(0.785), 0.0])  # the pen's first orientation


@pytest.fixture
def reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mujoco_log_elsewhere: None) -> None:
    shim(monkeypatch, tmp_path)


def state_of(size: int, joints: dict[int, float], **places: Any) -> dict[str, Any]:
    """Returns a state in which some joints are not at 0."""
    qpos = np.zeros(size)
    qpos[list(joints)] = list(joints.values())
    return {"qpos": qpos, "qvel": np.linspace(-0.1, 0.1, size), **places}


# States in which rewards have other terms: an open door, a nail that is in the board, a pen that
# lies, or has fallen, and a ball that is in the air, or at its goal.
STATES: dict[str, list[dict[str, Any]]] = {
    "AdroitHandDoor": [
        state_of(30, {28: angle, 29: 1.5}, door_body_pos=np.array([-0.25, 0.3, 0.3]))
        for angle in (0.1, 0.5, 1.2, 1.5)
    ],
    "AdroitHandHammer": [
        state_of(33, {26: nail, 27: 0.1, 28: lift, 29: lift, 31: 0.3}, board_pos=np.full(3, 0.1))
        for nail, lift in ((0.0, 0.0), (0.08, 0.1), (0.0895, 0.1))
    ],
    "AdroitHandPen": [
        state_of(30, {24: move, 25: move, 29: 0.2}, desired_orien=orientation)
        for move, orientation in (
            (0.0, UPRIGHT),
            (0.0, np.array([np.cos(0.6), 0.0, np.sin(0.6), 0.0])),
            (0.03, np.array([1.0, 0.0, 0.0, 0.0])),
            (0.2, UPRIGHT),
            (-0.2, UPRIGHT),
        )
    ],
    "AdroitHandRelocate": [
        state_of(36, {33: 0.4}, obj_pos=np.array([0.1, 0.1, height]), target_pos=target)
        for height, target in (
            (0.035, np.array([0.2, 0.1, 0.2])),
            (0.2, np.array([0.2, 0.1, 0.25])),
            (0.2, np.array([0.17, 0.1, 0.2])),
            (0.2, np.array([0.11, 0.1, 0.2])),
        )
    ],
}


@pytest.mark.parametrize("kind", ["", "Sparse"])
@pytest.mark.parametrize("task", TASKS)
def test_states_to_begin_from(task: str, kind: str, parity: SimpleNamespace) -> None:
    task_id = f"{task}{kind}-v1"
    policy = parity.box_policy(task_id)
    rewards, successes = set(), set()
    with parity.Lockstep(task_id, num_envs=2) as pair:
        step = pair.ours.step

        def recorded(actions: np.ndarray) -> Any:
            result = step(actions)
            rewards.update(np.round(result[1]).tolist())
            successes.update(result[4]["success"].tolist())
            return result

        pair.ours.step = recorded
        for seed, state in enumerate(STATES[task]):
            for each in (seed, None):
                pair.run(policy, seed, 2, {"initial_state_dict": state})
                pair.reset(each, {"initial_state_dict": state})
                pair.step(policy(pair.observations, np.random.default_rng(seed)))
            # Numbers that no draw sets stay.
            pair.reset(None)
            pair.step(policy(pair.observations, np.random.default_rng(seed)))
    assert successes == {False, True}
    assert len(rewards) >= (2 if kind else 3)


@pytest.mark.parametrize("task", TASKS)
def test_states_of_the_reference(task: str) -> None:
    """What the reference's get_env_state returns, without what set_env_state does not take."""
    task_id = f"{task}-v1"
    theirs: Any = gymnasium.make(task_id)
    rng = np.random.default_rng(0)
    with envpool_py.make(task_id, num_envs=1) as pool:
        theirs.reset(seed=3)
        for _ in range(20):
            theirs.step(rng.uniform(-1, 1, theirs.action_space.shape).astype(np.float32))
        state = theirs.unwrapped.get_env_state()
        taken = {name: state[name] for name in STATES[task][0]}
        expected, _ = theirs.reset(seed=4, options={"initial_state_dict": taken})
        observations, _ = pool.reset(seed=4, options={"initial_state_dict": taken})
        assert observations[0].tobytes() == expected.tobytes()
    theirs.close()


@pytest.mark.parametrize("task", TASKS)
def test_saved_states_have_the_places(task: str) -> None:
    task_id = f"{task}-v1"
    results = []
    with envpool_py.make(task_id, num_envs=2) as first, envpool_py.make(task_id, num_envs=2) as two:
        actions = np.full(first.action_space.shape, 0.2, np.float32)
        first.reset(seed=1, options={"initial_state_dict": STATES[task][1]})
        states = first.save_states()
        two.reset(seed=9)
        two.load_states(states)
        for pool in (first, two):
            observations = [pool.step(actions)[0] for _ in range(3)]
            observations.append(pool.reset()[0])
            results.append(np.stack(observations).tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("task", TASKS)
def test_attributes(task: str, parity: SimpleNamespace) -> None:
    task_id = f"{task}-v1"
    policy = parity.box_policy(task_id)
    values = {"sparse_reward": [True, False, True], "frame_skip": [1, 3, 7]}
    with parity.Lockstep(task_id, num_envs=3, max_episode_steps=4) as pair:
        assert set(values) == set(env_attributes.names(pair.ours))
        for seed, (name, each) in enumerate(values.items()):
            assert pair.ours.get_attr(name) == pair.theirs.get_attr(name)
            pair.run(policy, seed, 2)
            for envs in (pair.ours, pair.theirs):
                envs.set_attr(name, each)
                assert envs.get_attr(name) == tuple(each)
            for _ in range(5):
                pair.step(policy(pair.observations, np.random.default_rng(seed)))


@pytest.mark.parametrize("task", TASKS)
def test_a_changed_model(task: str) -> None:
    """Changes come after the reference's own ones, and reset draws stay."""
    task_id = f"{task}-v1"
    theirs: Any = gymnasium.make(task_id)
    model = theirs.unwrapped.model
    gains = model.actuator_gainprm.copy()
    gains[-1, 0] = 3.0
    friction = model.geom_friction * 0.5
    model.actuator_gainprm[:], model.geom_friction[:] = gains, friction
    changes = {
        "actuator_gainprm": {"A_THJ0": gains[-1].tolist()},
        "geom_friction": friction.tolist(),
    }
    rng = np.random.default_rng(0)
    with envpool_py.make(task_id, num_envs=1, model=changes, model_constants=False) as pool:
        expected, _ = theirs.reset(seed=4)
        observations, _ = pool.reset(seed=4)
        for _ in range(10):
            assert observations[0].tobytes() == expected.tobytes()
            action = rng.uniform(-1, 1, theirs.action_space.shape).astype(np.float32)
            expected, reward, *_ = theirs.step(action)
            observations, rewards, *_ = pool.step(action[None])
            assert rewards[0] == reward
    theirs.close()


@pytest.mark.usefixtures("egl")
@pytest.mark.parametrize(
    "task", [TASKS[0], *(pytest.param(task, marks=pytest.mark.long) for task in TASKS[1:])]
)
def test_pictures(task: str, parity: SimpleNamespace) -> None:
    task_id = f"{task}-v1"
    policy = parity.box_policy(task_id)
    options: dict[str, Any] = {"render_mode": "rgb_array", "width": 120, "height": 90}
    for camera in ({}, {"camera_name": "vil_camera"}):
        with parity.Lockstep(task_id, num_envs=2, **options, **camera) as pair:
            pair.reset(4)
            for _ in range(3):
                expected = np.stack(pair.theirs.render())
                np.testing.assert_array_equal(np.stack(pair.ours.render()), expected)
                for _ in range(5):
                    pair.step(policy(pair.observations, np.random.default_rng(0)))
            assert expected.std() > 1.0, "nothing is to be seen"
