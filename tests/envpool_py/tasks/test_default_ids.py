"""Pools under Gymnasium's own ids."""

from __future__ import annotations

from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv

import envpool_py
from envpool_py.errors import UnknownTaskError
from envpool_py.tasks.single_env import SingleEnv


@pytest.fixture(autouse=True)
def _the_registry_is_restored() -> Iterator[None]:
    envpool_py.register_known()  # otherwise a test may be the first to add ids of plug-ins
    before = dict(gymnasium.registry)
    yield
    assert gymnasium.registry == before
    assert all(gymnasium.registry[name] is spec for name, spec in before.items())


def test_an_id_of_gymnasium() -> None:
    with envpool_py.register_as_default("FrozenLake-v1") as ids:
        assert ids.task_ids == ["FrozenLake-v1"]
        envs = gymnasium.make_vec("FrozenLake-v1", num_envs=2, is_slippery=False)
        assert isinstance(envs, envpool_py.GymnasiumPool)
        assert envs.spec is not None
        assert envs.spec.id == "FrozenLake-v1"
        ours = envs.reset(seed=1)[0], [envs.step(np.full(2, 2))[0] for _ in range(3)]
        env = gymnasium.make("FrozenLake-v1")
        assert isinstance(env.unwrapped, SingleEnv)
        assert isinstance(gymnasium.make_vec("Taxi-v4"), SyncVectorEnv)
    envs = gymnasium.make_vec("FrozenLake-v1", num_envs=2, is_slippery=False)
    assert isinstance(envs, SyncVectorEnv)
    theirs = envs.reset(seed=1)[0], [envs.step(np.full(2, 2))[0] for _ in range(3)]
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])


def test_all_ids_that_gymnasium_has() -> None:
    with envpool_py.register_as_default() as ids:
        assert {"CartPole-v1", "Taxi-v4", "LunarLander-v3"} <= set(ids.task_ids)
        for task_id in ids.task_ids:
            assert gymnasium.registry[task_id].kwargs == {"task_id": task_id}


def test_an_id_that_gymnasium_does_not_have() -> None:
    assert "Catch-v0" not in gymnasium.registry
    ids = envpool_py.register_as_default("Catch-v0")
    assert isinstance(gymnasium.make_vec("Catch-v0"), envpool_py.GymnasiumPool)
    ids.undo()
    assert "Catch-v0" not in gymnasium.registry
    ids.undo()
    with pytest.raises(UnknownTaskError, match='did you mean "Catch-v0"'):
        envpool_py.register_as_default("Catsh-v0")


def test_a_later_registration_is_kept() -> None:
    before = gymnasium.registry["CartPole-v1"]
    first = envpool_py.register_as_default("CartPole-v1")
    with envpool_py.register_as_default("CartPole-v1") as second:
        first.undo()
        assert isinstance(gymnasium.make_vec("CartPole-v1"), envpool_py.GymnasiumPool)
        gymnasium.registry["CartPole-v1"] = before
        second.undo()
        assert gymnasium.registry["CartPole-v1"] is before
