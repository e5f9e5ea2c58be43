"""Rows of batches, and the pools that an adapter accepts. Needs no training library."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import DictInfoToList

import envpool_py
from envpool_py.errors import InputError, InputTypeError, MissingPackageError
from envpool_py.integrations.batches import check_pool, info_rows


def test_info_rows_follow_the_masks() -> None:
    infos: dict[str, Any] = {
        "a": np.array([1, 2, 3]),
        "_a": np.array([True, False, True]),
        "b": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        "_hidden": np.array([7, 8, 9]),  # without a mask, because there is no "hidden"
        "c": {"d": np.array([1, 2, 3]), "_d": np.array([False, True, True])},
        "_c": np.array([True, True, False]),
        "unwanted": np.zeros(3),
    }
    first, second, third = info_rows(infos, 3, {"unwanted"})
    assert first.pop("b").tolist() == [1, 2]
    assert second.pop("b").tolist() == [3, 4]
    assert third.pop("b").tolist() == [5, 6]
    assert first == {"a": 1, "_hidden": 7, "c": {}}
    assert second == {"_hidden": 8, "c": {"d": 2}}
    assert third == {"a": 3, "_hidden": 9}


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_info_rows_are_those_of_gymnasiums_wrapper(mode: str) -> None:
    with envpool_py.make(
        "Taxi-v4", num_envs=3, autoreset_mode=mode, max_episode_steps=5, seed=1
    ) as pool:
        reference = gymnasium.make_vec(
            "Taxi-v4",
            num_envs=3,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": AutoresetMode(mode)},
            max_episode_steps=5,
        )
        listed = DictInfoToList(reference)
        _, theirs = listed.reset(seed=1)
        _, ours = pool.reset(seed=1)
        pool.action_space.seed(0)
        for _ in range(20):
            rows = info_rows(ours, 3, {"env_id", "elapsed_step", "final_obs", "final_info"})
            assert len(rows) == len(theirs) == 3
            for mine, other in zip(rows, theirs, strict=True):
                expected = {key for key in other if not key.startswith(("_", "final_"))}
                assert set(mine) == expected
                np.testing.assert_array_equal(mine["action_mask"], other["action_mask"])
            actions = pool.action_space.sample()
            theirs = listed.step(actions)[4]
            ours = pool.step(actions)[4]
        listed.close()


def test_check_pool_names_what_is_wrong() -> None:
    with pytest.raises(InputTypeError, match=r"pool: expected a GymnasiumPool"):
        check_pool("CartPole-v1", AutoresetMode.SAME_STEP, ordered=True)
    with envpool_py.make("CartPole-v1", num_envs=2) as pool:
        with pytest.raises(InputError, match=r'autoreset_mode="SameStep", got "NextStep"'):
            check_pool(pool, AutoresetMode.SAME_STEP, ordered=True)
        assert check_pool(pool, AutoresetMode.NEXT_STEP, ordered=True) is pool
    with envpool_py.make("CartPole-v1", num_envs=3, batch_size=2) as pool:
        with pytest.raises(InputError, match="batch_size = num_envs = 3, got 2"):
            check_pool(pool, AutoresetMode.NEXT_STEP, ordered=True)
        assert check_pool(pool, AutoresetMode.NEXT_STEP, ordered=False) is pool


@pytest.mark.parametrize(
    ("module", "package"),
    [("stable_baselines3", "stable-baselines3"), ("tianshou", "tianshou"), ("pfrl", "pfrl")],
)
def test_a_missing_library_is_named(
    module: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # None in sys.modules makes `import` raise ImportError, as if the module were not installed.
    for loaded in [module, *(name for name in sys.modules if name.startswith(f"{module}."))]:
        monkeypatch.setitem(sys.modules, loaded, None)
    name = f"envpool_py.integrations.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(MissingPackageError, match=f"{name} needs .*`pip install {package}`"):
        importlib.import_module(name)
