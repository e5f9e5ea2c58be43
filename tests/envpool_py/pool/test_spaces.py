"""Converts the engine's descriptions of spaces to Gymnasium spaces and dm_env specs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dm_env import specs
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Tuple

from envpool_py.errors import InternalError
from envpool_py.pool import dm_specs, spaces

LOW = np.array([-1.0, -np.inf], np.float32)
HIGH = np.array([1.0, np.inf], np.float32)
BOX: dict[str, Any] = {
    "kind": "box",
    "dtype": "float32",
    "shape": (2,),
    "low": LOW,
    "high": HIGH,
}
IMAGE: dict[str, Any] = {
    "kind": "box",
    "dtype": "uint8",
    "shape": (2, 3),
    "low": np.zeros((2, 3), np.uint8),
    "high": np.full((2, 3), 255, np.uint8),
}
DISCRETE: dict[str, Any] = {"kind": "discrete", "dtype": "int64", "n": 5, "start": 0}
SHIFTED: dict[str, Any] = {"kind": "discrete", "dtype": "int64", "n": 5, "start": -2}
MULTI_DISCRETE: dict[str, Any] = {
    "kind": "multi_discrete",
    "dtype": "int64",
    "shape": (3,),
    "nvec": np.array([2, 3, 4]),
}
MULTI_BINARY: dict[str, Any] = {"kind": "multi_binary", "dtype": "int8", "shape": (4,)}
MULTI_BINARY_2D: dict[str, Any] = {"kind": "multi_binary", "dtype": "int8", "shape": (4, 2)}
TUPLE: dict[str, Any] = {"kind": "tuple", "children": [DISCRETE, BOX]}
DICT: dict[str, Any] = {"kind": "dict", "children": [("b", TUPLE), ("a", IMAGE)]}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (BOX, Box(LOW, HIGH, dtype=np.float32)),
        (IMAGE, Box(0, 255, (2, 3), np.uint8)),
        (DISCRETE, Discrete(5)),
        (SHIFTED, Discrete(5, start=-2)),
        (MULTI_DISCRETE, MultiDiscrete([2, 3, 4])),
        (
            {**MULTI_DISCRETE, "start": np.array([-1, 0, 7])},
            MultiDiscrete([2, 3, 4], start=np.array([-1, 0, 7])),
        ),
        (MULTI_BINARY, MultiBinary(4)),
        (MULTI_BINARY_2D, MultiBinary((4, 2))),
        (TUPLE, Tuple([Discrete(5), Box(LOW, HIGH, dtype=np.float32)])),
        (
            DICT,
            Dict(
                {
                    "b": Tuple([Discrete(5), Box(LOW, HIGH, dtype=np.float32)]),
                    "a": Box(0, 255, (2, 3), np.uint8),
                }
            ),
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else "",
)
def test_gymnasium_space(data: dict[str, Any], expected: Any) -> None:
    space = spaces.gymnasium_space(data)
    assert space == expected
    assert repr(space) == repr(expected)
    assert space.dtype == expected.dtype


def test_gymnasium_space_is_new_each_time() -> None:
    # Each call returns a new space, because sampling advances its generator.
    assert spaces.gymnasium_space(DISCRETE) is not spaces.gymnasium_space(DISCRETE)


def test_dm_spec_of_one_environment() -> None:
    assert dm_specs.dm_spec(BOX, "obs") == specs.BoundedArray((2,), np.float32, LOW, HIGH)
    assert dm_specs.dm_spec(BOX, "obs").name == "obs"
    discrete = dm_specs.dm_spec(DISCRETE, "action")
    assert isinstance(discrete, specs.DiscreteArray)
    assert discrete.num_values == 5
    assert discrete.dtype == np.int64
    assert dm_specs.dm_spec(SHIFTED, "action") == specs.BoundedArray((), np.int64, -2, 2)
    assert dm_specs.dm_spec(MULTI_DISCRETE, "action") == specs.BoundedArray(
        (3,), np.int64, 0, [1, 2, 3]
    )
    assert dm_specs.dm_spec(MULTI_BINARY_2D, "action") == specs.BoundedArray((4, 2), np.int8, 0, 1)


@pytest.mark.parametrize(
    "data", [BOX, IMAGE, DISCRETE, SHIFTED, MULTI_DISCRETE, MULTI_BINARY, MULTI_BINARY_2D]
)
def test_batched_dm_spec_holds_the_batched_samples(data: dict[str, Any]) -> None:
    space = spaces.gymnasium_space(data)
    space.seed(3)
    batch = np.stack([np.asarray(space.sample()) for _ in range(6)])
    spec = dm_specs.dm_spec(data, "x", rows=6)
    assert type(spec) is specs.BoundedArray
    spec.validate(batch)
    with pytest.raises(ValueError, match="shape"):
        spec.validate(batch[:5])
    # Bounds are inclusive and tight.
    spec.validate(np.broadcast_to(spec.minimum, spec.shape).copy())
    if spec.dtype.kind != "f":
        beyond = np.broadcast_to(spec.maximum, spec.shape).astype(np.int64) + 1
        assert (beyond > spec.maximum).all()
        if data["kind"] != "box":
            with pytest.raises(ValueError, match="bounds"):
                spec.validate(beyond.astype(spec.dtype))


def test_dm_spec_of_nested_spaces_names_the_leaves() -> None:
    spec = dm_specs.dm_spec(DICT, "obs", rows=3)
    assert list(spec) == ["b", "a"]
    assert isinstance(spec["b"], tuple)
    assert spec["b"][0] == specs.BoundedArray((3,), np.int64, 0, 4)
    assert spec["b"][1].shape == (3, 2)
    assert spec["a"].shape == (3, 2, 3)
    assert [spec["b"][0].name, spec["b"][1].name, spec["a"].name] == ["b/0", "b/1", "a"]


def test_dm_spec_of_a_box_without_bounds_is_a_plain_array() -> None:
    def spec(low: float, high: float) -> Any:
        data = {**BOX, "low": np.float32([low, -np.inf]), "high": np.float32([high, np.inf])}
        return dm_specs.dm_spec(data, "obs", rows=3)

    assert type(spec(-np.inf, np.inf)) is specs.Array
    assert spec(-np.inf, np.inf) == specs.Array((3, 2), np.float32)
    for low, high in ((0.0, np.inf), (-np.inf, 0.0)):
        assert type(spec(low, high)) is specs.BoundedArray


def test_unknown_kind_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="'graph'"):
        spaces.gymnasium_space({"kind": "graph"})
    with pytest.raises(InternalError, match="'graph'"):
        dm_specs.dm_spec({"kind": "graph", "dtype": "int8"}, "obs")


def test_a_batch_of_one_keeps_the_form() -> None:
    action = {"a": 3, "b": (np.array([1, 2], np.int8), [0.5])}
    batch = spaces.batch_of_one(action)
    assert batch["a"].tolist() == [3]
    assert isinstance(batch["b"], tuple)
    assert (batch["b"][0].tolist(), batch["b"][0].dtype) == ([[1, 2]], np.int8)
    assert batch["b"][1].tolist() == [[0.5]]
