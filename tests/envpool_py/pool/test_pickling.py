"""Pools in other processes, and options that are not plain data; see also the conformance tests."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec

import envpool_py
from envpool_py.errors import InputError

RunScript = Callable[..., str]

LAKE = ["SFFF", "FHFF", "FFFH", "HFFG"]


@pytest.mark.parametrize(
    "desc",
    [
        LAKE,
        tuple(LAKE),
        [row.encode() for row in LAKE],
        np.array([list(row) for row in LAKE], "S1"),
    ],
    ids=["list", "tuple", "bytes", "array"],
)
def test_maps_travel(desc: Any) -> None:
    with envpool_py.make("FrozenLake-v1", num_envs=4, seed=3, desc=desc) as pool:
        written = json.loads(pool.spec.to_json())["kwargs"]["desc"]
        assert ["".join(row) for row in written] == LAKE
        expected = pool.reset()[0]
        others = [
            pickle.loads(pickle.dumps(pool)),
            copy.deepcopy(pool),
            gymnasium.make_vec(EnvSpec.from_json(pool.spec.to_json())),
        ]
        rng = np.random.default_rng(0)
        for other in others:
            np.testing.assert_array_equal(other.reset()[0], expected)
        for _ in range(60):
            actions = rng.integers(4, size=4)
            expected = pool.step(actions)
            for other in others:
                for mine, theirs in zip(other.step(actions)[:4], expected[:4], strict=True):
                    np.testing.assert_array_equal(mine, theirs)
        for other in others:
            other.close()


def test_what_the_caller_changes_later_does_not_travel() -> None:
    desc = list(LAKE)
    with envpool_py.make("FrozenLake-v1", desc=desc) as pool:
        desc[3] = "no map"
        assert pool.config["desc"] == LAKE
        with pickle.loads(pickle.dumps(pool)) as again:
            assert again.config == pool.config


@pytest.mark.parametrize(
    "seed",
    [
        5,
        np.int64(5),
        np.array(5),
        [5, 6],
        (5, None),
        np.array([5, 6]),
        np.arange(5, 7),
        range(5, 7),
    ],
    ids=repr,
)
def test_seeds_of_any_form_travel(seed: Any) -> None:
    with envpool_py.make("CartPole-v1", num_envs=2, seed=seed) as pool:
        spec = EnvSpec.from_json(pool.spec.to_json())
        with gymnasium.make_vec(spec) as by_spec, copy.copy(pool) as copied:
            expected = pool.reset([0])[0]
            np.testing.assert_array_equal(by_spec.reset([0])[0], expected)
            np.testing.assert_array_equal(copied.reset([0])[0], expected)


def test_numbers_of_numpy_travel() -> None:
    with envpool_py.make("Pendulum-v1", g=np.float32(9.5), num_envs=np.int32(2), seed=1) as pool:
        assert type(pool.config["g"]) is float
        assert json.loads(pool.spec.to_json())["kwargs"]["g"] == 9.5
        with pickle.loads(pickle.dumps(pool)) as again:
            assert again.config == pool.config


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
def test_all_settings_travel(env_type: str) -> None:
    with (
        envpool_py.make(
            "CartPole-v1",
            env_type,
            num_envs=6,
            batch_size=4,
            num_threads=3,
            seed=[1, 2, 3, None, 5, 6],
            autoreset_mode="Disabled",
            max_episode_steps=-1,
            sutton_barto_reward=True,
        ) as pool,
        pickle.loads(pickle.dumps(pool)) as again,
    ):
        assert type(again) is type(pool)
        assert again.config == pool.config
        assert again.autoreset_mode is pool.autoreset_mode
        assert (again.batch_size, again.num_threads) == (4, 3)
        assert again.config["max_episode_steps"] is None
        again.reset()
        again.send([1] * 6)
        result = again.recv(60.0)
        assert not np.asarray(result[1]).any()  # the option arrived


def test_episode_statistics_travel() -> None:
    with envpool_py.make(
        "CartPole-v1", num_envs=2, max_episode_steps=3, record_episode_statistics=True
    ) as pool:
        again = pickle.loads(pickle.dumps(pool))
        by_spec = gymnasium.make_vec(EnvSpec.from_json(pool.spec.to_json()))
    for other in (again, by_spec):
        with other:
            other.reset(seed=0)
            for _ in range(3):
                infos = other.step([0, 1])[4]
            np.testing.assert_array_equal(infos["episode"]["l"], [3, 3])


def test_an_id_that_another_registered_travels() -> None:
    gymnasium.register(
        "Elsewhere/Cart-v0",
        vector_entry_point="envpool_py.tasks.make:make_gymnasium",
        kwargs={"task_id": "CartPole-v1", "sutton_barto_reward": True},
    )
    try:
        with gymnasium.make_vec("Elsewhere/Cart-v0", num_envs=2) as pool:
            assert pool.spec.id == "Elsewhere/Cart-v0"
            with pickle.loads(pickle.dumps(pool)) as again:
                assert again.spec == pool.spec
    finally:
        del gymnasium.registry["Elsewhere/Cart-v0"]


def test_settings_that_this_process_refuses_are_errors_there() -> None:
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        make_again, (pool_class, arguments, options), *_ = pool.__reduce__()
    with pytest.raises(InputError, match=r"num_envs: expected .* got 0"):
        make_again(pool_class, {**arguments, "num_envs": 0}, options)


def test_wrapped_pools_are_copied_with_what_the_wrapper_knows() -> None:
    pool = envpool_py.make("CartPole-v1", num_envs=3, seed=4)
    envs: Any = gymnasium.wrappers.vector.NormalizeObservation(pool)
    envs.reset()
    for _ in range(20):
        envs.step(np.ones(3, np.int64))
    for again in (copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))):
        np.testing.assert_array_equal(again.obs_rms.mean, envs.obs_rms.mean)
        assert again.unwrapped is not pool
        again.update_running_mean = False
        assert again.reset(seed=0)[0].shape == (3, 4)
        again.close()
    envs.close()


@pytest.mark.parametrize("env_type", ["gymnasium", "dm"])
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_pools_go_to_other_processes(env_type: str, method: str, run_script: RunScript) -> None:
    run_script(
        """
        import multiprocessing
        import operator

        import numpy as np

        import envpool_py

        env_type, method = ENV_TYPE, METHOD
        with envpool_py.make("CartPole-v1", env_type, num_envs=4, seed=8) as pool:
            pool.reset()
            pool.step(np.ones(4, np.int64))
            with multiprocessing.get_context(method).Pool(1) as process:
                there = process.apply(operator.methodcaller("reset"), (pool,))
            with envpool_py.make("CartPole-v1", env_type, num_envs=4, seed=8) as again:
                here = again.reset()
        if env_type == "dm":
            assert type(there.observation) is type(here.observation)
            here, there = [here.observation.obs], [there.observation.obs]
        np.testing.assert_array_equal(there[0], here[0])
        """.replace("ENV_TYPE", repr(env_type)).replace("METHOD", repr(method))
    )


def test_time_steps_travel() -> None:
    with envpool_py.make_dm("Taxi-v3", num_envs=3, seed=1) as pool:
        step = pool.reset()
        for again in (pickle.loads(pickle.dumps(step)), copy.deepcopy(step), copy.copy(step)):
            assert type(again.observation) is type(step.observation)
            assert again.observation._fields == step.observation._fields
            for mine, theirs in zip(again.observation, step.observation, strict=True):
                np.testing.assert_array_equal(mine, theirs)
    with envpool_py.make_dm("Taxi-v3", num_envs=3) as other:
        assert type(other.reset().observation) is type(step.observation)
