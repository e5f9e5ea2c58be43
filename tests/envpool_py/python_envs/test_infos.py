"""Gathering infos, compared with Gymnasium's way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import VectorEnv

from envpool_py.python_envs.infos import add_infos

from .comparing import assert_same

ARRAY = np.arange(3.0)
GATHERED: list[list[dict[str, Any]]] = [
    [{"a": 1}, {"a": 2}, {"a": 3}],
    [{"a": 1, "b": 1.5}, {"a": 2, "b": -2.0}],
    [{"a": True}, {"a": False}],
    [{"a": np.float32(1)}, {"a": np.float32(2)}],
    [{"a": np.int16(1)}, {"a": np.int16(2)}],
    # Types that differ: the first one decides.
    [{"a": 1}, {"a": 2.5}],
    [{"a": 1.5}, {"a": True}],
    [{"a": ARRAY}, {"a": 2 * ARRAY}],
    [{"a": "text"}, {"a": None}],
    [{"a": None}, {"a": 3}],
    [{"a": 1}, {"b": 2}],
    [{"b": 2, "a": 1}, {"a": 1, "b": 2}],
    [{"a": {"b": 1, "c": {"d": "x"}}}, {"a": {"b": 2}}],
    [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    [{}, {"a": 1}],
    [{"final_obs": ARRAY, "a": 1}, {"a": 2}],
]


@pytest.mark.parametrize("gathered", GATHERED)
def test_as_gymnasium(gathered: list[dict[str, Any]]) -> None:
    class Gathering(VectorEnv[Any, Any, Any]):
        num_envs = 5

    expected: dict[str, Any] = {}
    at = [4, 0, 2][: len(gathered)]
    for row, info in zip(at, gathered, strict=True):
        expected = Gathering()._add_info(expected, info, row)
    actual: dict[str, Any] = {}
    add_infos(actual, at, gathered, 5)
    assert_same(actual, expected)
    assert list(actual) == list(expected)


def test_keys_that_the_pool_has_itself() -> None:
    infos: dict[str, Any] = {"elapsed_step": np.array([7, 8]), "_elapsed_step": np.ones(2, bool)}
    add_infos(infos, [1], [{"elapsed_step": 3}], 2)
    assert infos["elapsed_step"].tolist() == [7, 3]
