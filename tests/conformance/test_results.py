"""Every id: the form of results, and which environment each row belongs to."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space

import envpool_py

NUM_ENVS = 5
STEPS = 40
SHORT = 6  # steps per episode, so that a few episodes end in every run


def make(task_id: str, **arguments: Any) -> Any:
    arguments = {"num_envs": NUM_ENVS, "num_threads": 2, "max_episode_steps": SHORT, **arguments}
    return envpool_py.make(task_id, **arguments)


@pytest.mark.every_id(short=True)
def test_spaces(task_id: str) -> None:
    spec = envpool_py.make_spec(task_id)
    with make(task_id) as pool:
        assert isinstance(pool, gymnasium.vector.VectorEnv)
        assert pool.single_observation_space == spec.observation_space
        assert pool.single_action_space == spec.action_space
        assert pool.observation_space == batch_space(spec.observation_space, NUM_ENVS)
        assert pool.action_space == batch_space(spec.action_space, NUM_ENVS)


def assert_layout(space: gymnasium.Space[Any], observation: Any, rows: int) -> None:
    """Asserts nesting, dtypes and shapes of a batch with `rows` rows."""
    if isinstance(space, gymnasium.spaces.Dict):
        assert type(observation) is dict
        assert observation.keys() == space.spaces.keys()
        for name, child in space.spaces.items():
            assert_layout(child, observation[name], rows)
    elif isinstance(space, gymnasium.spaces.Tuple):
        assert type(observation) is tuple
        for child, part in zip(space.spaces, observation, strict=True):
            assert_layout(child, part, rows)
    else:
        assert type(observation) is np.ndarray
        assert observation.dtype == space.dtype
        assert space.shape is not None
        assert observation.shape == (rows, *space.shape)


def assert_infos(spec: envpool_py.TaskSpec, infos: dict[str, Any], rows: int) -> None:
    fields = {info.name: info for info in spec.infos}
    allowed = {"env_id", "elapsed_step", "final_obs", "final_info", *fields}
    names = {name for name in infos if not name.startswith("_")}
    assert {"env_id", "elapsed_step"} <= names <= allowed
    assert infos.keys() == names | {"_" + name for name in names}
    for name in names - {"final_obs", "final_info"}:
        mask = infos["_" + name]
        assert (mask.dtype, mask.shape) == (np.bool_, (rows,))
        assert mask.any(), name
        value = infos[name]
        if name in fields:
            assert value.dtype == fields[name].dtype
            assert value.shape == (rows, *fields[name].shape)
            assert not value[~mask].any()
        else:
            assert (value.dtype, value.shape) == (np.int32, (rows,))
            assert mask.all()


@pytest.mark.every_id(short=True)
def test_a_few_steps(task_id: str, tools: SimpleNamespace) -> None:
    """In every run, also of ids that others of their family stand for."""
    spec = envpool_py.make_spec(task_id)
    with make(task_id, num_envs=2, seed=8) as pool:
        assert_layout(spec.observation_space, pool.reset()[0], 2)
        for actions in tools.actions(task_id, 3, 2):
            observations, rewards, _, _, infos = pool.step(actions)
            assert_layout(spec.observation_space, observations, 2)
            outside = task_id in tools.first_observation_outside
            assert outside or observations in pool.observation_space
            assert np.isfinite(rewards).all()
            assert_infos(spec, infos, 2)


@pytest.mark.every_id
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_layout_and_bounds(task_id: str, mode: str, tools: SimpleNamespace) -> None:
    spec = envpool_py.make_spec(task_id)
    ends = 0
    with make(task_id, autoreset_mode=mode) as pool:
        observations, infos = pool.reset(seed=3)
        first_may_be_outside = task_id in tools.first_observation_outside
        assert_layout(spec.observation_space, observations, NUM_ENVS)
        assert first_may_be_outside or observations in pool.observation_space
        assert_infos(spec, infos, NUM_ENVS)
        for actions in tools.actions(task_id, STEPS, NUM_ENVS):
            observations, rewards, terminated, truncated, infos = pool.step(actions)
            assert_layout(spec.observation_space, observations, NUM_ENVS)
            assert first_may_be_outside or observations in pool.observation_space
            assert type(rewards) is np.ndarray
            assert (rewards.dtype, rewards.shape) == (np.float64, (NUM_ENVS,))
            assert np.isfinite(rewards).all()
            for flags in (terminated, truncated):
                assert type(flags) is np.ndarray
                assert (flags.dtype, flags.shape) == (np.bool_, (NUM_ENVS,))
            assert_infos(spec, infos, NUM_ENVS)
            np.testing.assert_array_equal(infos["env_id"], np.arange(NUM_ENVS))
            ended = terminated | truncated
            ends += int(ended.sum())
            assert ("final_obs" in infos) == (mode == "SameStep" and ended.any())
            if "final_obs" in infos:
                assert_layout(spec.observation_space, infos["final_obs"], NUM_ENVS)
                np.testing.assert_array_equal(infos["_final_obs"], ended)
                np.testing.assert_array_equal(infos["_final_info"], ended)
                assert infos["final_info"]["elapsed_step"][ended].min() >= 1
                for leaf in tools.leaves(infos["final_obs"]):
                    assert not leaf[~ended].any()
                finals = tools.rows(infos["final_obs"], ended)
                space = batch_space(pool.single_observation_space, int(ended.sum()))
                assert first_may_be_outside or finals in space
    assert ends >= NUM_ENVS


def every_array(result: tuple[Any, ...], tools: SimpleNamespace) -> list[np.ndarray]:
    return [leaf for part in result for leaf in tools.leaves(part)]


@pytest.mark.every_id
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_arrays_belong_to_the_caller(task_id: str, mode: str, tools: SimpleNamespace) -> None:
    with (
        make(task_id, autoreset_mode=mode, seed=1) as pool,
        make(task_id, autoreset_mode=mode, seed=1) as twin,
    ):
        held: list[tuple[np.ndarray, np.ndarray]] = []
        results = [pool.reset()]
        tools.assert_equal(results[0], twin.reset())
        for actions in tools.actions(task_id, STEPS, NUM_ENVS):
            result = pool.step(actions)
            # What the caller wrote into earlier arrays has not reached the environments.
            tools.assert_equal(result, twin.step(actions))
            results.append(result)
            for array in every_array(results[-2], tools):
                assert array.flags.writeable
                assert array.flags.c_contiguous
                assert array.flags.aligned
                assert array.ctypes.data % 64 == 0
                array.view(np.uint8).fill(0x5A)
                held.append((array, array.copy()))
        for array, copy in held:
            np.testing.assert_array_equal(array.view(np.uint8), copy.view(np.uint8))
        arrays = [array for array, _ in held if array.nbytes]
        spans = sorted(
            (array.ctypes.data, array.ctypes.data + array.nbytes)
            for array in {id(array): array for array in arrays}.values()
        )
        assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


@pytest.mark.every_id
def test_results_of_recv_are_laid_out_alike(task_id: str, tools: SimpleNamespace) -> None:
    spec = envpool_py.make_spec(task_id)
    actions = tools.actions(task_id, STEPS, NUM_ENVS)
    with make(task_id, batch_size=2) as pool:
        pool.async_reset(seed=2)
        steps = np.zeros(NUM_ENVS, int)
        for _ in range(STEPS):
            result = pool.recv()
            observations, rewards, terminated, truncated, infos = result
            assert_layout(spec.observation_space, observations, 2)
            assert rewards.shape == terminated.shape == truncated.shape == (2,)
            assert_infos(spec, infos, 2)
            for array in every_array(result, tools):
                assert array.flags.writeable
                assert array.ctypes.data % 64 == 0
            ids = infos["env_id"]
            pool.send(actions[steps[ids], ids], ids)
            steps[ids] += 1
        assert steps.min() >= 1
