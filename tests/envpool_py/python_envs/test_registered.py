"""Ids that are only in Gymnasium's registry."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.errors import InputError, UnknownTaskError
from envpool_py.python_envs.pool import PythonEnvPool

from . import awkward
from .comparing import assert_same

ID = "AwkwardTests/Walk-v0"


class Walk(awkward.Base):
    metadata = {"render_modes": ["human"], "render_fps": 30}  # noqa: RUF012

    def __init__(self, length: int = 3, render_mode: str | None = None) -> None:
        super().__init__(ends=0.0)
        self.length = length
        self.render_mode = render_mode


@pytest.fixture
def registered() -> Iterator[str]:
    gymnasium.register(ID, entry_point=Walk, max_episode_steps=4, reward_threshold=2.5)
    yield ID
    del gymnasium.registry[ID]


@pytest.mark.parametrize("num_workers", [0, 2])
def test_make(registered: str, num_workers: int) -> None:
    with (
        envpool_py.make(
            registered, num_envs=3, num_workers=num_workers, length=7, seed=3, extra_infos=False
        ) as pool,
        contextlib.closing(
            gymnasium.make_vec(registered, 3, vectorization_mode="sync", length=7)
        ) as reference,
    ):
        assert isinstance(pool, PythonEnvPool)
        assert pool.get_attr("length") == (7, 7, 7)
        assert_same(pool.reset(), reference.reset(seed=3))
        for _ in range(10):
            assert_same(pool.step(np.zeros(3, int)), reference.step(np.zeros(3, int)))
        spec = pool.spec
        assert spec is not None
        assert spec.reward_threshold == 2.5
        with gymnasium.make_vec(spec) as again:
            assert again.get_attr("length") == (7, 7, 7)


@pytest.mark.parametrize("num_workers", [0, 2, None])
def test_human_rendering_is_that_of_environment_0(registered: str, num_workers: int | None) -> None:
    with envpool_py.make(
        registered, num_envs=3, num_workers=num_workers, render_mode="human"
    ) as pool:
        assert pool.get_attr("render_mode") == ("human", None, None)
        assert pool.render_mode == "human"
    with envpool_py.make(registered, num_envs=1, render_mode="human") as pool:
        assert pool.num_workers == 0
        assert pool.get_attr("render_mode") == ("human",)


def test_list(registered: str) -> None:
    assert registered not in envpool_py.list_all_envs()
    ids = envpool_py.list_all_envs(python=True)
    assert registered in ids
    assert "CartPole-v1" in ids


def test_errors(registered: str) -> None:
    with pytest.raises(UnknownTaskError):
        envpool_py.make("AwkwardTests/Wal-v0")
    with pytest.raises(InputError, match="num_workers"):
        envpool_py.make(registered, num_threads=2)
    with pytest.raises(TypeError, match="unexpected keyword"):
        envpool_py.make(registered, width=2)


def test_a_task_of_the_engine_is_not_replaced() -> None:
    with envpool_py.make("CartPole-v1") as pool:
        assert not isinstance(pool, PythonEnvPool)


def test_make_vec(registered: str) -> None:
    envpool_py.register_tasks(python=True)
    name = f"EnvPool/{registered.replace('/', '.')}"
    try:
        with gymnasium.make_vec(name, num_envs=2, num_workers=0) as pool:
            assert isinstance(pool.unwrapped, PythonEnvPool)
            result: Any = pool.reset()
            assert result[0].shape == (2, 3)
    finally:
        del gymnasium.registry[name]
