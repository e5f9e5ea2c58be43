"""The dm_env API: time steps, specs, and agreement with the Gymnasium API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dm_env
import numpy as np
import pytest
from dm_env import specs

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InputError, ResetNeededError
from envpool_py.pool import dm_pool

FIRST, MID, LAST = (int(kind) for kind in dm_env.StepType)


def make(task_id: str = "CartPole-v1", **arguments: Any) -> Any:
    return envpool_py.make_dm(task_id, **arguments)


def test_is_a_dm_env() -> None:
    with make(num_envs=4, batch_size=2) as envs:
        assert isinstance(envs, dm_env.Environment)
        assert dm_env.Environment in type(envs).__bases__
        assert repr(envs) == "DmPool(CartPole-v1, num_envs=4, batch_size=2)"
        assert len(envs) == 4
        assert envs.is_async


def test_time_step() -> None:
    with make(num_envs=3) as envs:
        first = envs.reset(seed=0)
        assert isinstance(first, dm_env.TimeStep)
        np.testing.assert_array_equal(first.step_type, [FIRST] * 3)
        np.testing.assert_array_equal(first.reward, [0.0] * 3)
        np.testing.assert_array_equal(first.discount, [1.0] * 3)
        assert first.observation._fields == ("obs", "env_id", "elapsed_step")
        mid = envs.step(np.array([0, 1, 0]))
        np.testing.assert_array_equal(mid.step_type, [MID] * 3)
        np.testing.assert_array_equal(mid.reward, [1.0] * 3)
        np.testing.assert_array_equal(mid.observation.env_id, [0, 1, 2])
        np.testing.assert_array_equal(mid.observation.elapsed_step, [1, 1, 1])
        assert mid.step_type.dtype == np.int32
        assert mid.reward.dtype == mid.discount.dtype == np.float64


def validate(spec: Any, value: Any) -> None:
    if isinstance(spec, dict):
        assert spec.keys() == value.keys()
        for key in spec:
            validate(spec[key], value[key])
    elif isinstance(spec, tuple):
        assert type(spec) is type(value)
        for child, part in zip(spec, value, strict=True):
            validate(child, part)
    else:
        spec.validate(value)


@pytest.mark.parametrize("task_id", ["CartPole-v1", "Pendulum-v1", "Acrobot-v1"])
def test_results_conform_to_the_specs(task_id: str) -> None:
    with make(task_id, num_envs=5, max_episode_steps=12) as envs:
        spec = envs.step_spec()
        assert isinstance(spec, dm_env.TimeStep)
        validate(spec, envs.reset(seed=0))
        action_spec = envs.action_spec()
        assert type(action_spec) is specs.BoundedArray
        assert action_spec.shape[0] == 5
        rng = np.random.default_rng(0)
        for _ in range(40):
            shape = action_spec.shape
            if action_spec.dtype.kind == "i":
                actions = rng.integers(
                    action_spec.minimum, action_spec.maximum, shape, endpoint=True
                )
            else:
                actions = rng.uniform(action_spec.minimum, action_spec.maximum, shape)
            action_spec.validate(actions.astype(action_spec.dtype))
            validate(spec, envs.step(actions.astype(action_spec.dtype)))


def test_discount_is_zero_on_termination_and_one_on_truncation() -> None:
    with make("CartPole-v1", num_envs=2, max_episode_steps=200) as envs:
        envs.reset(seed=0)
        for _ in range(100):  # a constant push makes the pole fall
            step = envs.step(np.ones(2, np.int64))
            ended = step.step_type == LAST
            np.testing.assert_array_equal(step.discount, np.where(ended, 0.0, 1.0))
            if ended.any():
                break
        assert ended.any()
    with make("Pendulum-v1", num_envs=2, max_episode_steps=4) as envs:
        envs.reset(seed=0)
        for i in range(1, 5):
            step = envs.step(np.zeros((2, 1), np.float32))
            np.testing.assert_array_equal(step.step_type, [LAST if i == 4 else MID] * 2)
            np.testing.assert_array_equal(step.discount, [1.0, 1.0])


def test_the_step_after_the_last_resets_and_ignores_the_action() -> None:
    def episode(envs: Any, action: float) -> Any:
        envs.reset(seed=1)
        for _ in range(4):
            last = envs.step(np.zeros((2, 1), np.float32))
        np.testing.assert_array_equal(last.step_type, [LAST] * 2)
        return envs.step(np.full((2, 1), action, np.float32))

    with make("Pendulum-v1", num_envs=2, max_episode_steps=4) as envs:
        first = episode(envs, 0.0)
        np.testing.assert_array_equal(first.step_type, [FIRST] * 2)
        np.testing.assert_array_equal(first.reward, [0.0] * 2)
        np.testing.assert_array_equal(first.discount, [1.0] * 2)
        np.testing.assert_array_equal(first.observation.elapsed_step, [0, 0])
        np.testing.assert_array_equal(episode(envs, 2.0).observation.obs, first.observation.obs)


def test_step_before_reset_starts_a_sequence() -> None:
    # dm_env's contract requires this.
    with make(num_envs=3, seed=6) as envs, make(num_envs=3, seed=6) as twin:
        step = envs.step(np.zeros(3, np.int64))
        np.testing.assert_array_equal(step.step_type, [FIRST] * 3)
        np.testing.assert_array_equal(step.observation.obs, twin.reset().observation.obs)


def test_without_autoreset_a_last_step_needs_a_reset() -> None:
    with make("Pendulum-v1", num_envs=2, max_episode_steps=1, autoreset_mode="Disabled") as envs:
        envs.reset(seed=0)
        actions = np.zeros((2, 1), np.float32)
        np.testing.assert_array_equal(envs.step(actions).step_type, [LAST] * 2)
        with pytest.raises(ResetNeededError, match="reset"):
            envs.step(actions)
        envs.reset([1])
        np.testing.assert_array_equal(envs.step(actions[:1], [1]).step_type, [LAST])


def test_same_trajectory_as_the_gymnasium_api() -> None:
    with (
        make(num_envs=6, seed=9) as envs,
        envpool_py.make_gymnasium("CartPole-v1", num_envs=6, seed=9) as gym_envs,
    ):
        np.testing.assert_array_equal(envs.reset().observation.obs, gym_envs.reset()[0])
        gym_envs.action_space.seed(0)
        was_last = np.zeros(6, bool)
        for _ in range(120):
            actions = gym_envs.action_space.sample()
            step = envs.step(actions)
            observations, rewards, terminated, truncated, infos = gym_envs.step(actions)
            np.testing.assert_array_equal(step.observation.obs, observations)
            np.testing.assert_array_equal(step.reward, rewards)
            ended = terminated | truncated
            expected = np.where(was_last, FIRST, np.where(ended, LAST, MID))
            np.testing.assert_array_equal(step.step_type, expected)
            np.testing.assert_array_equal(step.discount, np.where(terminated, 0.0, 1.0))
            np.testing.assert_array_equal(step.observation.elapsed_step, infos["elapsed_step"])
            was_last = ended


def test_send_and_recv(assert_equal: Callable[..., None]) -> None:
    with make(num_envs=4, seed=3) as envs, make(num_envs=4, seed=3) as twin:
        envs.async_reset()
        assert_equal(tuple(envs.recv())[:3], tuple(twin.reset())[:3])
        for step in range(30):
            actions = [(step + i) % 2 for i in range(4)]
            envs.send(actions[1:], [1, 2, 3])
            envs.send(actions[:1], [0])
            mine, theirs = envs.recv(timeout=None), twin.step(actions)
            assert_equal(tuple(mine)[:3], tuple(theirs)[:3])
            assert_equal(tuple(mine.observation), tuple(theirs.observation))


def test_first_ready_batches() -> None:
    with make(num_envs=6, batch_size=2, num_threads=2) as envs:
        envs.async_reset(seed=1)
        for _ in range(30):
            step = envs.recv()
            ids = step.observation.env_id
            assert step.observation.obs.shape == (2, 4)
            assert len(set(ids.tolist())) == 2
            envs.send(np.zeros(2, np.int64), ids)


def test_reset_of_some_and_by_mask() -> None:
    with make(num_envs=4, seed=3) as envs:
        envs.reset()
        stepped = envs.step([1, 1, 1, 1])
        some = envs.reset([2, 0], seed=[5, 6])
        np.testing.assert_array_equal(some.observation.env_id, [2, 0])
        np.testing.assert_array_equal(some.step_type, [FIRST] * 2)
        mask = np.array([False, True, False, False])
        full = envs.reset(options={"reset_mask": mask})
        assert full.observation.obs.shape == (4, 4)
        np.testing.assert_array_equal(full.observation.obs[3], stepped.observation.obs[3])
        np.testing.assert_array_equal(full.observation.elapsed_step, [0, 0, 0, 1])
        with pytest.raises(InputError, match="reset_mask"):
            envs.reset([0], options={"reset_mask": mask})


@pytest.mark.parametrize(
    ("names", "fields"),
    [
        ([], []),
        (["lives", "x_position"], ["lives", "x_position"]),
        (["TimeLimit.truncated", "a b"], ["TimeLimit_truncated", "a_b"]),
        (["class", "lambda"], ["class_", "lambda_"]),
        (["_hidden", "2nd", "__", ""], ["hidden", "info_2nd", "info", "info_2"]),
        (["obs", "env_id", "elapsed_step"], ["obs_2", "env_id_2", "elapsed_step_2"]),
        (["a.b", "a_b", "a b"], ["a_b", "a_b_2", "a_b_3"]),
    ],
)
def test_names_of_info_fields(names: list[str], fields: list[str]) -> None:
    assert dm_pool._field_names(names) == fields


def test_info_fields_are_always_there() -> None:
    pytest.importorskip("envpool_py._testing")
    with (
        make("Testing/MultiField-v0", num_envs=3) as envs,
        envpool_py.make_gymnasium("Testing/MultiField-v0", num_envs=3) as gym_envs,
    ):
        spec = envs.step_spec()
        step = envs.reset(seed=0)
        infos = gym_envs.reset(seed=0)[1]
        task = envpool_py.make_spec("Testing/MultiField-v0")
        assert step.observation._fields[3:] == tuple(info.name for info in task.infos)
        absent = set()
        for _ in range(25):
            validate(spec, step)
            for info in task.infos:
                value = getattr(step.observation, info.name)
                assert value.dtype == info.dtype
                assert value.shape == (3, *info.shape)
                if info.name in infos:
                    np.testing.assert_array_equal(value, infos[info.name])
                else:
                    absent.add(info.name)
                    assert not value.any()
            step = envs.step([1, 0, 1])
            infos = gym_envs.step([1, 0, 1])[4]
        assert "never" in absent


def test_a_failure_carries_a_time_step() -> None:
    pytest.importorskip("envpool_py._testing")
    with make("Testing/Failing-v0", num_envs=3) as envs:
        envs.reset(seed=0)
        with pytest.raises(EnvironmentFailedError) as caught:
            envs.step([0, 1, 0])
        assert caught.value.env_ids == [1]
        batch = caught.value.batch
        assert isinstance(batch, dm_env.TimeStep)
        np.testing.assert_array_equal(batch.observation.env_id[[0, 2]], [0, 2])
        np.testing.assert_array_equal(batch.observation.steps, [1, 0, 1])
        with pytest.raises(EnvironmentFailedError) as caught:
            envs.reset([1], options={"fail": True})
        assert isinstance(caught.value.batch, dm_env.TimeStep)
        envs.reset([1])
        envs.send([1, 0, 0])
        with pytest.raises(EnvironmentFailedError) as caught:
            envs.recv()
        assert caught.value.env_ids == [0]
