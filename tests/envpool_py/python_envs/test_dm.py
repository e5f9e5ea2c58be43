"""Pools of Python environments with dm_env's interface, compared with Gymnasium's."""

from __future__ import annotations

import functools
import pickle
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.errors import EnvironmentFailedError, InputError, ResetNeededError

from . import awkward
from .comparing import assert_same

dm_env = pytest.importorskip("dm_env")

FIRST, MID, LAST = 0, 1, 2
WORKERS = [0, 2]


@pytest.mark.parametrize("num_workers", WORKERS)
@pytest.mark.parametrize("env_class", [awkward.Nested, awkward.ManyInfos, awkward.EmptyBox])
def test_as_in_gymnasiums_form(env_class: Any, num_workers: int) -> None:
    with (
        envpool_py.make_python(
            env_class, 4, env_type="dm", num_workers=num_workers, seed=2
        ) as dm_pool,
        envpool_py.make_python(env_class, 4, num_workers=0, seed=2) as pool,
    ):
        time_step = dm_pool.reset()
        observations, infos = pool.reset()
        assert_same(time_step.observation.obs, observations)
        assert_same(time_step.observation.infos, infos)
        assert (time_step.step_type == FIRST).all()
        ended = np.zeros(4, bool)
        for _ in range(30):
            actions = pool.action_space.sample()
            time_step = dm_pool.step(actions)
            observations, rewards, terminations, truncations, infos = pool.step(actions)
            ends = terminations | truncations
            assert_same(time_step.observation.obs, observations)
            assert_same(time_step.observation.infos, infos)
            assert_same(time_step.observation.elapsed_step, infos["elapsed_step"])
            np.testing.assert_array_equal(time_step.reward, rewards)
            expected = np.where(ended, FIRST, np.where(ends, LAST, MID))
            np.testing.assert_array_equal(time_step.step_type, expected)
            np.testing.assert_array_equal(time_step.discount, np.where(terminations, 0.0, 1.0))
            ended = ends


class Plain(awkward.Nested):
    action_space = awkward.spaces.MultiDiscrete([2, 3], start=[1, -1])


def test_specs() -> None:
    with envpool_py.make_python(Plain, 3, env_type="dm", num_workers=0) as pool:
        specs = pool.observation_spec()
        assert specs._fields == ("obs", "env_id", "elapsed_step")
        action_spec = pool.action_spec()
        assert action_spec.shape == (3, 2)
        assert (action_spec.minimum.tolist(), action_spec.maximum.tolist()) == ([1, -1], [2, 1])
        for time_step in (pool.reset(), pool.step(np.ones((3, 2), int))):
            validate(specs, time_step.observation)
            pool.reward_spec().validate(time_step.reward)
            pool.discount_spec().validate(time_step.discount)
            pool.step_type_spec().validate(time_step.step_type)


def validate(spec: Any, value: Any) -> None:
    if isinstance(spec, dict):
        assert set(spec) == set(value)
        for key in spec:
            validate(spec[key], value[key])
    elif isinstance(spec, tuple):
        for one, other in zip(spec, value, strict=True):
            validate(one, other)
    else:
        spec.validate(value)


def test_asynchronous() -> None:
    with envpool_py.make_python(
        awkward.Base, 4, batch_size=2, num_workers=2, env_type="dm", seed=1
    ) as pool:
        pool.async_reset()
        for _ in range(10):
            time_step = pool.recv()
            assert time_step.observation.obs.shape == (2, 3)
            pool.send(np.zeros(2, int), time_step.observation.env_id)


def test_time_steps_can_be_pickled() -> None:
    with envpool_py.make_python(awkward.ManyInfos, 2, num_workers=0, env_type="dm") as pool:
        observation = pool.reset().observation
        copy = pickle.loads(pickle.dumps(observation))
        assert_same(tuple(copy), tuple(observation))
        assert_same(copy.infos, observation.infos)


def test_failures_and_calls() -> None:
    with envpool_py.make_python(
        awkward.Obedient, 3, num_workers=1, env_type="dm", autoreset_mode="Disabled"
    ) as pool:
        pool.reset()
        with pytest.raises(EnvironmentFailedError) as failure:
            pool.step(np.array([0, 1, 0]))
        assert isinstance(failure.value.batch, dm_env.TimeStep)
        with pytest.raises(ResetNeededError):
            pool.step(np.array([0, 0, 0]))
        assert pool.get_attr("steps") == (1, 1, 1)
        pool.set_attr("steps", 5)
        assert pool.call("note", 1) == ((1, 1),) * 3
        with pickle.loads(pickle.dumps(pool)) as copy:
            assert type(copy) is type(pool)
    assert pool.closed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"env_fns": awkward.TextObs}, r"observation_space: .*Text.* with env_type 'dm'"),
        ({"env_fns": awkward.Base, "autoreset_mode": "SameStep"}, "autoreset_mode"),
        ({"env_fns": awkward.Base, "extra_infos": False}, "extra_infos"),
        ({"env_fns": awkward.Base, "record_episode_statistics": True}, "record_episode"),
        ({"env_fns": awkward.Base, "env_type": "dn"}, "env_type"),
    ],
)
def test_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        envpool_py.make_python(**{"num_envs": 2, "num_workers": 0, "env_type": "dm", **arguments})


def test_registered() -> None:
    import gymnasium

    name = "AwkwardTests/Dm-v0"
    gymnasium.register(name, entry_point=functools.partial(awkward.Base, ends=0.0))
    try:
        with envpool_py.make(name, env_type="dm", num_envs=2, num_workers=0) as pool:
            assert isinstance(pool, dm_env.Environment)
            assert pool.reset().observation.obs.shape == (2, 3)
            assert pool.task_id == name
    finally:
        del gymnasium.registry[name]
