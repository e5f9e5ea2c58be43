"""The Gymnasium API: attributes, results, send and recv, resets."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import envpool_py


def make(task_id: str = "CartPole-v1", **arguments: Any) -> envpool_py.GymnasiumPool:
    return envpool_py.make_gymnasium(task_id, **arguments)


def test_vector_env_is_a_direct_base() -> None:
    # Some libraries check only the direct bases.
    assert VectorEnv in envpool_py.GymnasiumPool.__bases__


def test_attributes() -> None:
    with make(num_envs=6, batch_size=3, num_threads=2) as envs:
        assert (envs.num_envs, envs.batch_size, envs.num_threads) == (6, 3, 2)
        assert envs.is_async
        assert len(envs) == 6
        assert envs.render_mode is None
        assert envs.unwrapped is envs
        ids = envs.all_env_ids
        assert ids.dtype == np.int32
        np.testing.assert_array_equal(ids, np.arange(6))
        ids[:] = 0
        np.testing.assert_array_equal(envs.all_env_ids, np.arange(6))


def test_metadata_belongs_to_the_instance() -> None:
    before = dict(VectorEnv.metadata)
    with make(autoreset_mode="SameStep") as same, make(autoreset_mode="Disabled") as disabled:
        assert same.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
        assert disabled.metadata["autoreset_mode"] is AutoresetMode.DISABLED
        assert disabled.autoreset_mode is AutoresetMode.DISABLED
    assert before == VectorEnv.metadata
    assert "metadata" not in vars(envpool_py.GymnasiumPool)


def test_a_pool_that_could_not_be_made_has_nothing_to_close() -> None:
    # Gymnasium before 1.4 calls `close` when it collects an object whose `__init__` failed.
    pool = object.__new__(envpool_py.GymnasiumPool)
    assert pool.closed
    pool.close()
    with make() as envs:
        assert not envs.closed
    assert envs.closed


def test_repr_names_task_and_sizes() -> None:
    with make(num_envs=8) as envs:
        assert repr(envs) == str(envs) == "GymnasiumPool(CartPole-v1, num_envs=8)"
    with make(num_envs=8, batch_size=2) as envs:
        assert repr(envs) == "GymnasiumPool(CartPole-v1, num_envs=8, batch_size=2)"


def test_spaces_are_batched_as_gymnasium_does() -> None:
    reference = gymnasium.make_vec("CartPole-v1", num_envs=5, vectorization_mode="sync")
    with make(num_envs=5) as envs:
        assert envs.single_observation_space == reference.single_observation_space
        assert envs.single_action_space == reference.single_action_space
        assert envs.observation_space == reference.observation_space
        assert envs.action_space == reference.action_space
        assert envs.observation_space == batch_space(envs.single_observation_space, 5)
        envs.action_space.seed(7)
        reference.action_space.seed(7)
        np.testing.assert_array_equal(envs.action_space.sample(), reference.action_space.sample())
    reference.close()


def test_the_batched_observation_space_takes_memory_only_if_asked_for() -> None:
    with make(num_envs=5) as envs:
        assert "observation_space" not in vars(envs)
        assert envs.observation_space is envs.observation_space
        other = batch_space(envs.single_observation_space, 2)
        envs.observation_space = other
        assert envs.observation_space is other


def test_pools_do_not_share_the_generators_of_their_spaces() -> None:
    with make(num_envs=64) as envs, make(num_envs=64) as others:
        assert envs.action_space is not others.action_space
        assert envs.single_action_space is not others.single_action_space


def test_reset_is_keyword_only_beyond_env_id() -> None:
    parameters = inspect.signature(envpool_py.GymnasiumPool.reset).parameters
    assert [name for name in parameters if name != "self"] == ["env_id", "seed", "options"]
    assert parameters["seed"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["options"].kind is inspect.Parameter.KEYWORD_ONLY


def test_step_result() -> None:
    with make(num_envs=3) as envs:
        observations, infos = envs.reset(seed=1)
        assert observations.shape == (3, 4)
        assert observations.dtype == np.float32
        np.testing.assert_array_equal(infos["elapsed_step"], [0, 0, 0])
        observations, rewards, terminated, truncated, infos = envs.step([1, 0, 1])
        assert observations in envs.observation_space
        assert rewards.dtype == np.float64
        assert terminated.dtype == truncated.dtype == np.bool_
        assert rewards.shape == terminated.shape == truncated.shape == (3,)
        assert set(infos) == {"env_id", "_env_id", "elapsed_step", "_elapsed_step"}
        assert infos["env_id"].dtype == infos["elapsed_step"].dtype == np.int32
        np.testing.assert_array_equal(infos["env_id"], [0, 1, 2])
        np.testing.assert_array_equal(infos["elapsed_step"], [1, 1, 1])
        for mask in (infos["_env_id"], infos["_elapsed_step"]):
            assert mask.dtype == np.bool_
            assert mask.all()


@pytest.mark.parametrize(
    "actions",
    [
        [1, 0, 1],
        (1, 0, 1),
        np.array([1, 0, 1], np.int32),
        np.array([1, 0, 1], np.uint8),
        np.array([1, 0, 1], ">i8"),
        np.array([1, 9, 0, 9, 1, 9])[::2],
        np.array([[1, 0, 1]]).reshape(3),
    ],
    ids=["list", "tuple", "int32", "uint8", "big endian", "strided", "reshaped"],
)
def test_forms_of_one_action(actions: Any, assert_equal: Callable[..., None]) -> None:
    with make(num_envs=3, seed=2) as envs, make(num_envs=3, seed=2) as twin:
        envs.reset()
        twin.reset()
        assert_equal(envs.step(actions), twin.step(np.array([1, 0, 1])))


def test_actions_are_read_before_step_returns() -> None:
    with make(num_envs=3, seed=2) as envs, make(num_envs=3, seed=2) as twin:
        envs.reset()
        twin.reset()
        actions = np.array([1, 0, 1])
        envs.send(actions)
        actions[:] = 7  # the caller may change the array after `send` returns
        np.testing.assert_array_equal(envs.recv()[0], twin.step([1, 0, 1])[0])


def test_step_of_a_subset(assert_equal: Callable[..., None]) -> None:
    with make(num_envs=4, seed=3) as envs, make(num_envs=4, seed=3) as twin:
        envs.reset()
        twin.reset()
        whole = twin.step([1, 0, 0, 1])
        part = envs.step([1, 1], [3, 0])
        for mine, theirs in zip(part[:4], whole[:4], strict=True):
            np.testing.assert_array_equal(mine, theirs[[3, 0]])
        np.testing.assert_array_equal(part[4]["env_id"], [3, 0])
        rest = envs.step([0, 0], env_id=np.array([1, 2], np.uint8))
        for mine, theirs in zip(rest[:4], whole[:4], strict=True):
            np.testing.assert_array_equal(mine, theirs[[1, 2]])
        assert_equal(envs.step([0, 1, 0, 1]), twin.step([0, 1, 0, 1]))


def test_send_and_recv_equal_step(assert_equal: Callable[..., None]) -> None:
    with make(num_envs=4, seed=3) as envs, make(num_envs=4, seed=3) as twin:
        envs.async_reset()
        observations, _, _, _, infos = envs.recv()
        expected, expected_infos = twin.reset()
        assert_equal(observations, expected)
        assert_equal(infos, expected_infos)
        for step in range(50):
            actions = [(step + i) % 2 for i in range(4)]
            envs.send(actions[2:], [2, 3])
            envs.send(actions[:2], [0, 1])
            assert_equal(envs.recv(), twin.step(actions))


def test_recv_of_a_reset_has_no_reward_and_no_end() -> None:
    with make(num_envs=4) as envs:
        envs.async_reset(seed=4)
        _, rewards, terminated, truncated, infos = envs.recv()
        assert not rewards.any()
        assert not terminated.any()
        assert not truncated.any()
        assert not infos["elapsed_step"].any()


def test_first_ready_serves_every_environment() -> None:
    with (
        make(num_envs=9, batch_size=4, num_threads=2, seed=5) as envs,
        make(num_envs=9, seed=5) as twin,
    ):
        twin.reset()
        # Environment i always takes action i % 2, so results depend only on the number of steps.
        expected = [twin.step(np.arange(9) % 2) for _ in range(60)]
        envs.async_reset()
        steps = np.zeros(9, int)
        while steps.min() < 30 and steps.max() < 60:
            observations, rewards, terminated, truncated, infos = envs.recv()
            ids = infos["env_id"]
            assert len(ids) == len(set(ids.tolist())) == 4
            for row, env in enumerate(ids):
                if steps[env]:
                    reference = expected[steps[env] - 1]
                    np.testing.assert_array_equal(observations[row], reference[0][env])
                    assert rewards[row] == reference[1][env]
                    assert terminated[row] == reference[2][env]
                    assert truncated[row] == reference[3][env]
            steps[ids] += 1
            envs.send(ids % 2, ids)


def test_first_ready_reset_waits_for_all_and_step_for_a_batch() -> None:
    with make(num_envs=6, batch_size=2, seed=5) as envs, make(num_envs=6, seed=5) as twin:
        observations, infos = envs.reset()
        np.testing.assert_array_equal(observations, twin.reset()[0])
        np.testing.assert_array_equal(infos["env_id"], np.arange(6))
        expected = twin.step([0] * 6)[0]
        observations, _, _, _, infos = envs.step([0] * 6)
        assert observations.shape == (2, 4)
        np.testing.assert_array_equal(observations, expected[infos["env_id"]])


@pytest.mark.parametrize("batch_size", [2, 4])
def test_drain_drops_what_is_in_flight(batch_size: int) -> None:
    with make(num_envs=4, batch_size=batch_size, seed=5) as envs, make(num_envs=4, seed=5) as twin:
        envs.drain()
        envs.reset()
        twin.reset()
        envs.send([1, 1, 1], [0, 1, 2])
        envs.drain()
        twin.step([1, 1, 1], [0, 1, 2])
        expected = twin.step([0, 1, 0, 1])[0]
        envs.send([0, 1, 0, 1])
        for _ in range(4 // batch_size):
            observations, *_, infos = envs.recv()
            np.testing.assert_array_equal(observations, expected[infos["env_id"]])


def test_seeds_of_a_reset() -> None:
    with make(num_envs=4) as envs:
        expected = envs.reset(seed=20)[0]
        for seed in (
            np.int64(20),
            np.uint8(20),
            [20, 21, 22, 23],
            (20, 21, 22, 23),
            [np.int32(20), 21, 22, 23],
            np.array([20, 21, 22, 23]),
            np.arange(20, 24, dtype=np.uint64),
        ):
            np.testing.assert_array_equal(envs.reset(seed=seed)[0], expected)  # type: ignore[arg-type]
        np.testing.assert_array_equal(envs.reset([3, 1], seed=[23, 21])[0], expected[[3, 1]])
        # With a single seed, environment i gets seed + i, also in a partial reset.
        np.testing.assert_array_equal(envs.reset([3, 1], seed=20)[0], expected[[3, 1]])
        envs.async_reset([3, 1, 0, 2], seed=[23, 21, 20, 22])
        observations, *_, infos = envs.recv()
        np.testing.assert_array_equal(observations, expected[infos["env_id"]])


def test_seed_none_in_a_list_lets_that_generator_run_on() -> None:
    with make(num_envs=3, seed=1) as envs, make(num_envs=3, seed=1) as twin:
        envs.reset()
        twin.reset()
        following = twin.reset()[0]
        mixed = envs.reset(seed=[None, 50, None])[0]
        np.testing.assert_array_equal(mixed[[0, 2]], following[[0, 2]])
        np.testing.assert_array_equal(mixed[1], twin.reset([1], seed=[50])[0][0])


def test_seeds_have_64_bits() -> None:
    with make(num_envs=2) as envs:
        top = 2**64 - 1
        high = envs.reset(seed=[top, 2**63])[0]
        low = envs.reset(seed=[2**32 - 1, 0])[0]
        assert not np.array_equal(high, low)
        np.testing.assert_array_equal(envs.reset(seed=[top, 2**63])[0], high)
    reference = gymnasium.make("CartPole-v1")
    np.testing.assert_array_equal(high[0], reference.reset(seed=top)[0])


def test_reset_options_apply_to_that_reset_only() -> None:
    with make(num_envs=4, seed=0) as envs:
        observations, _ = envs.reset(options={"low": 0.25, "high": 0.5})
        assert ((observations >= 0.25) & (observations <= 0.5)).all()
        observations, _ = envs.reset([0, 1], options={"low": -0.5, "high": -0.25})
        assert ((observations >= -0.5) & (observations <= -0.25)).all()
        observations, _ = envs.reset(options={})
        assert (np.abs(observations) <= 0.05).all()


def test_reset_mask_returns_all_rows_and_touches_only_its_own() -> None:
    mask = np.array([True, False, False, True])
    options = {"reset_mask": mask, "low": 0.25, "high": 0.5}
    kept = dict(options)
    with make(num_envs=4, seed=8) as envs, make(num_envs=4, seed=8) as twin:
        envs.reset()
        twin.reset()
        stepped = envs.step([1, 0, 1, 0])[0]
        twin.step([1, 0, 1, 0])
        observations, infos = envs.reset(options=options)
        assert options.keys() == kept.keys()
        assert options["reset_mask"] is mask
        np.testing.assert_array_equal(mask, [True, False, False, True])
        assert observations.shape == (4, 4)
        np.testing.assert_array_equal(infos["env_id"], np.arange(4))
        np.testing.assert_array_equal(infos["elapsed_step"], [0, 1, 1, 0])
        assert (observations[[0, 3]] >= 0.25).all()
        np.testing.assert_array_equal(observations[[1, 2]], stepped[[1, 2]])
        np.testing.assert_array_equal(envs.step([1, 1], [1, 2])[0], twin.step([1, 1], [1, 2])[0])


def test_reset_mask_equals_gymnasium() -> None:
    mask = np.array([True, False, True])
    reference = gymnasium.make_vec(
        "CartPole-v1",
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.DISABLED},
    )
    with make(num_envs=3, autoreset_mode="Disabled") as envs:
        for pool in (envs, reference):
            pool.reset(seed=4)
            pool.step(np.array([1, 1, 1]))
        mine = envs.reset(seed=[9, None, 8], options={"reset_mask": mask})[0]
        theirs = reference.reset(seed=[9, None, 8], options={"reset_mask": mask})[0]  # type: ignore[arg-type]
        np.testing.assert_array_equal(mine, theirs)
    reference.close()


def test_stats_count_what_happened() -> None:
    with make("Pendulum-v1", num_envs=4, num_threads=2, max_episode_steps=5) as envs:
        envs.reset(seed=0)
        before = envs.stats()
        for _ in range(12):  # two whole episodes, each with its resetting step
            envs.step(np.zeros((4, 1), np.float32))
        after = envs.stats()
        assert all(type(value) is int for value in after.values())
        assert after["steps"] - before["steps"] == 4 * 10
        assert after["episodes"] - before["episodes"] == 4 * 2
        assert after["resets"] - before["resets"] == 4 * 2
        assert after["failures"] == 0
        assert after["step_ns"] >= before["step_ns"] >= 0
        assert after["threads_started"] <= 2


def test_spec_makes_an_equal_pool() -> None:
    arguments: dict[str, Any] = {
        "num_envs": 3,
        "num_threads": 2,
        "seed": np.int64(12),
        "autoreset_mode": "SameStep",
        "max_episode_steps": 9,
        "sutton_barto_reward": True,
    }
    with make(**arguments) as envs:
        assert envs.spec is not None
        assert envs.spec.id == "EnvPool/CartPole-v1"
        assert envs.spec.max_episode_steps == 9
        assert envs.spec.reward_threshold == 475.0
        spec = gymnasium.envs.registration.EnvSpec.from_json(envs.spec.to_json())
        assert json.loads(envs.spec.to_json())["kwargs"]["seed"] == 12
        again = gymnasium.make_vec(spec)
        assert isinstance(again, envpool_py.GymnasiumPool)
        assert again.autoreset_mode is AutoresetMode.SAME_STEP
        assert again.num_threads == 2
        np.testing.assert_array_equal(envs.reset()[0], again.reset()[0])
        for _ in range(30):
            for mine, theirs in zip(
                envs.step([1, 1, 0])[:4], again.step([1, 1, 0])[:4], strict=True
            ):
                np.testing.assert_array_equal(mine, theirs)
        again.close()


@pytest.mark.parametrize(("limit", "in_spec"), [(None, 200), (-1, None), (7, 7)])
def test_spec_carries_the_step_limit(limit: int | None, in_spec: int | None) -> None:
    with make("Pendulum-v1", max_episode_steps=limit) as envs:
        assert envs.spec is not None
        assert envs.spec.max_episode_steps == in_spec
        again = gymnasium.make_vec(envs.spec)
        assert again.spec is not None
        again.reset(seed=0)
        truncated_at = None
        for step in range(1, 260):
            if again.step(np.zeros((1, 1), np.float32))[3][0]:
                truncated_at = step
                break
        assert truncated_at == in_spec
        again.close()


def test_wrappers_of_gymnasium_apply() -> None:
    if gymnasium.__version__.startswith("1.1."):
        pytest.skip("DictInfoToList takes no statistics in this Gymnasium")
    wrappers = gymnasium.wrappers.vector
    with make("Pendulum-v1", num_envs=4, max_episode_steps=6) as pool:
        envs: Any = wrappers.RecordEpisodeStatistics(wrappers.NormalizeObservation(pool))
        envs = wrappers.ClipReward(envs, -1.0, 1.0)
        envs = wrappers.DictInfoToList(envs)
        envs.reset(seed=0)
        ends = 0
        for _ in range(14):
            observations, rewards, _, truncated, infos = envs.step(envs.action_space.sample())
            assert np.isfinite(observations).all()
            assert (np.abs(rewards) <= 1.0).all()
            assert len(infos) == 4
            if truncated.any():
                ends += 1
                assert all(info["episode"]["l"] == 6 for info in infos)
        assert ends == 2


def test_final_obs_and_final_info() -> None:
    with make("Pendulum-v1", num_envs=3, max_episode_steps=2, autoreset_mode="SameStep") as envs:
        envs.reset(seed=0)
        envs.reset([1], seed=[9])
        actions = np.ones((3, 1), np.float32)
        infos = envs.step(actions)[4]
        assert "final_obs" not in infos
        assert "final_info" not in infos
        envs.reset([1], seed=[9])
        observations, _, terminated, truncated, infos = envs.step(actions)
        np.testing.assert_array_equal(truncated, [True, False, True])
        assert not terminated.any()
        np.testing.assert_array_equal(infos["_final_obs"], truncated)
        np.testing.assert_array_equal(infos["_final_info"], truncated)
        final = infos["final_obs"]
        assert final.dtype == np.float32
        assert final.shape == (3, 3)
        assert not final[1].any()
        assert not np.array_equal(final[0], observations[0])
        np.testing.assert_array_equal(infos["elapsed_step"], [0, 1, 0])
        np.testing.assert_array_equal(infos["final_info"]["elapsed_step"], [2, 0, 2])
        np.testing.assert_array_equal(infos["final_info"]["_elapsed_step"], truncated)
