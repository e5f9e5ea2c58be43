"""A float32 action space accepts actions of other dtypes without rounding, as in Gymnasium.

Gymnasium's environments compute with the array as given, whatever its dtype. float64 and integer
actions give other results than the same actions rounded to float32.
"""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.tasks.families.mujoco.tasks import TASKS as MUJOCO

HAS_MUJOCO = all(importlib.util.find_spec(name) for name in ("mujoco", "envpool_py._mujoco"))
CLASSIC = ["MountainCarContinuous-v0", "Pendulum-v1"]
MUJOCO_SOME = ["HalfCheetah-v5", "Hopper-v4", "Reacher-v4"] if HAS_MUJOCO else []
TASK_IDS = [*CLASSIC, *(sorted(MUJOCO) if HAS_MUJOCO else [])]
NUM_ENVS = 6


def wide_actions(task_id: str, steps: int, seed: int) -> np.ndarray:
    """Returns float64 actions (steps, NUM_ENVS, ...) that float32 cannot represent.

    Some are out of bounds; some equal the bounds, which Gymnasium does not clip.
    """
    space: Any = envpool_py.make_spec(task_id).action_space
    low, high = space.low.astype(np.float64), space.high.astype(np.float64)
    rng = np.random.default_rng(seed)
    actions: Any = rng.uniform(1.1 * low, 1.1 * high, (steps, NUM_ENVS, *space.shape))
    actions[5] = high
    actions[9] = low
    assert (actions != actions.astype(np.float32)).any()
    return np.asarray(actions)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("task_id", TASK_IDS)
def test_float64_actions(task_id: str, mode: str, parity: SimpleNamespace) -> None:
    settings: dict[str, Any] = {"num_envs": NUM_ENVS, "max_episode_steps": 25}
    with parity.Lockstep(task_id, autoreset_mode=mode, **settings) as pair:
        pair.reset(3)
        for actions in wide_actions(task_id, 60, 1):
            pair.step(actions)
        # Each call may have another dtype.
        for actions in wide_actions(task_id, 20, 2).astype(np.float32):
            pair.step(actions)
        for actions in wide_actions(task_id, 20, 3):
            pair.step(actions)


@pytest.mark.parametrize("dtype", ["int64", "int8"])
@pytest.mark.parametrize("task_id", [*CLASSIC, *MUJOCO_SOME[:2]])
def test_integer_actions(task_id: str, dtype: str, parity: SimpleNamespace) -> None:
    space: Any = envpool_py.make_spec(task_id).action_space
    rng = np.random.default_rng(4)
    with parity.Lockstep(task_id, num_envs=NUM_ENVS, max_episode_steps=25) as pair:
        pair.reset(5)
        for _ in range(40):
            pair.step(rng.integers(-1, 2, (NUM_ENVS, *space.shape)).astype(dtype))


def test_a_difference_that_grows() -> None:
    """The dtypes must give different results; otherwise these tests would prove nothing."""
    for task_id in TASK_IDS[:3]:
        actions = wide_actions(task_id, 30, 6)
        results = []
        for dtype in (np.float32, np.float64):
            with envpool_py.make(task_id, num_envs=NUM_ENVS) as pool:
                pool.reset(seed=1)
                rewards = [pool.step(each.astype(dtype))[1] for each in actions]
            results.append(np.array(rewards))
        assert (results[0] != results[1]).any()
        np.testing.assert_allclose(results[0], results[1], atol=1e-2)


@pytest.mark.parametrize("task_id", TASK_IDS[:3])
def test_partial_ids_and_first_ready_batches(task_id: str) -> None:
    """Each environment's action keeps its dtype, whichever call passes it."""
    steps = 30
    actions = wide_actions(task_id, steps, 7)
    wide = np.random.default_rng(8).random((steps, NUM_ENVS)) < 0.5  # True: the action is float64

    def of(step: int, envs: np.ndarray, is_wide: bool) -> np.ndarray:
        rows: np.ndarray = actions[step, envs]
        return rows if is_wide else rows.astype(np.float32)

    expected: dict[tuple[int, int], bytes] = {}
    with envpool_py.make(task_id, num_envs=NUM_ENVS, max_episode_steps=11) as pool:
        pool.reset(seed=2)
        for step in range(steps):
            for is_wide in (False, True):
                envs = np.flatnonzero(wide[step] == is_wide)
                if len(envs) == 0:
                    continue
                observations, rewards, *_ = pool.step(of(step, envs, is_wide), envs)
                for row, env in enumerate(envs.tolist()):
                    expected[env, step] = observations[row].tobytes() + rewards[row].tobytes()
    got: dict[tuple[int, int], bytes] = {}
    with envpool_py.make(
        task_id, num_envs=NUM_ENVS, batch_size=1, num_threads=2, max_episode_steps=11
    ) as pool:
        pool.async_reset(seed=2)
        taken = np.full(NUM_ENVS, -1)
        sent = NUM_ENVS
        while sent > 0:
            observations, rewards, *_, infos = pool.recv(60)
            sent -= 1
            env = int(infos["env_id"][0])
            if taken[env] >= 0:
                got[env, int(taken[env])] = observations[0].tobytes() + rewards[0].tobytes()
            taken[env] += 1
            if taken[env] < steps:
                step = int(taken[env])
                pool.send(of(step, np.array([env]), bool(wide[step, env])), [env])
                sent += 1
    assert got == expected


@pytest.mark.skipif(not HAS_MUJOCO, reason="MuJoCo is not installed")
def test_infos_of_mixed_dtypes() -> None:
    """In a batch with both dtypes the info is float64, and all values are kept."""
    actions = np.random.default_rng(1).uniform(-1, 1, (4, 6))
    costs = -0.1 * np.square(actions).sum(axis=1)
    with envpool_py.make("HalfCheetah-v5", num_envs=4) as pool:
        pool.reset(seed=0)
        narrow = pool.step(actions.astype(np.float32))[-1]["reward_ctrl"]
        assert narrow.dtype == np.float32
        pool.send(actions[:2], [0, 1])
        pool.send(actions[2:].astype(np.float32), [2, 3])
        infos = pool.recv(60)[-1]
        assert infos["reward_ctrl"].dtype == np.float64
        assert infos["_reward_ctrl"].all()
        np.testing.assert_allclose(infos["reward_ctrl"][:2], costs[:2], rtol=1e-15)
        np.testing.assert_array_equal(infos["reward_ctrl"][2:], narrow[2:].astype(np.float64))
    spec = envpool_py.make_spec("HalfCheetah-v5")
    assert [info.dtype for info in spec.infos if info.name == "reward_ctrl"] == ["float32"]


def test_nan_and_shapes_are_refused_and_change_nothing() -> None:
    with (
        envpool_py.make("Pendulum-v1", num_envs=2) as pool,
        envpool_py.make("Pendulum-v1", num_envs=2) as untouched,
    ):
        pool.reset(seed=1)
        untouched.reset(seed=1)
        for bad in (np.array([[0.1], [np.nan]]), np.zeros((2, 2)), np.zeros((3, 1))):
            with pytest.raises(ValueError, match="actions"):
                pool.step(bad)
        good = np.array([[0.1], [1e300]])
        for mine, other in zip(pool.step(good)[:2], untouched.step(good)[:2], strict=True):
            np.testing.assert_array_equal(mine, other)


def test_float16_is_taken_as_float32() -> None:
    actions = np.array([[0.3], [-1.7]], np.float16)
    with envpool_py.make("Pendulum-v1", num_envs=2) as pool:
        pool.reset(seed=1)
        half = pool.step(actions)[:2]
        pool.reset(seed=1)
        for mine, other in zip(half, pool.step(actions.astype(np.float32))[:2], strict=True):
            np.testing.assert_array_equal(mine, other)


def test_pictures_of_the_torque() -> None:
    """Gymnasium rounds the size of the arrow in the action's dtype."""
    gymnasium = pytest.importorskip("gymnasium")
    pytest.importorskip("pygame")
    pytest.importorskip("cv2")
    theirs = gymnasium.make("Pendulum-v1", render_mode="rgb_array")
    with envpool_py.make("Pendulum-v1", render_mode="rgb_array") as ours:
        theirs.reset(seed=3)
        ours.reset(seed=3)
        for torque in np.random.default_rng(0).uniform(-2, 2, 5):
            theirs.step(np.array([torque]))
            ours.step(np.array([[torque]]))
            np.testing.assert_array_equal(ours.render()[0], theirs.render())
    theirs.close()
