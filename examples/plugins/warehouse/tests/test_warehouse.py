"""The checks of envpool_py, and the rules of the warehouse."""

import numpy as np

import envpool_py
from envpool_py.authoring.conformance.plugin import conformance_tests

TASK = "warehouse:Warehouse-v0"

test_conformance = conformance_tests(TASK)


def towards(robot: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Returns actions that move to the target's row, and then to its column."""
    down, right = (target - robot).T
    vertical = np.where(down > 0, 2, 0)
    return np.where(down != 0, vertical, np.where(right > 0, 1, 3))


def test_parcels_are_delivered() -> None:
    with envpool_py.make(TASK, num_envs=8, seed=0, shelves=0.0, check_outputs=True) as envs:
        observations, _ = envs.reset()
        rewards = np.zeros(8)
        for _ in range(150):
            actions = towards(observations["robot"], observations["target"])
            observations, reward, _, _, infos = envs.step(actions)
            rewards += reward
        assert (infos["delivered"] >= 5).all()
        np.testing.assert_allclose(rewards, 1.01 * infos["delivered"] - 0.01 * 150)


def test_a_plan_is_tried_and_taken_back() -> None:
    with envpool_py.make(TASK, num_envs=1, seed=3) as envs:
        envs.reset()
        before = envs.save_states()
        first = [envs.step([1])[0]["robot"].tolist() for _ in range(3)]
        envs.load_states(before)
        assert [envs.step([1])[0]["robot"].tolist() for _ in range(3)] == first


def test_a_picture() -> None:
    with envpool_py.make(TASK, num_envs=2, seed=0, render_mode="rgb_array") as envs:
        envs.reset()
        pictures = envs.render()
        assert pictures[0].shape == (112, 112, 3)
        assert (pictures[0] == (40, 90, 200)).all(axis=-1).any(), "no robot"
