"""Converts between the engine's description of a space and Gymnasium's spaces.

The description is plain data, as returned by `envpool_py._core.describe_task`. Bounds are inclusive
in both.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from envpool_py.errors import InputError, InternalError
from envpool_py.pool.trees import map_leaves

__all__ = ["SpaceData", "batch_of_one", "gymnasium_space", "space_data"]

SpaceData = dict[str, Any]

# The characters of the engine's texts: printable ASCII.
_TEXT = "".join(map(chr, range(32, 127)))


def gymnasium_space(data: SpaceData) -> gymnasium.Space[Any]:
    """Returns a new Gymnasium space for one environment."""
    kind = data["kind"]
    if kind == "box":
        return gymnasium.spaces.Box(data["low"], data["high"], dtype=np.dtype(data["dtype"]).type)
    if kind == "discrete":
        return gymnasium.spaces.Discrete(data["n"], start=data["start"])
    if kind == "multi_discrete":
        return gymnasium.spaces.MultiDiscrete(
            data["nvec"], dtype=np.dtype(data["dtype"]), start=data.get("start")
        )
    if kind == "multi_binary":
        shape = data["shape"]
        # In the usual case of one dimension, an int gives a shorter repr.
        return gymnasium.spaces.MultiBinary(shape[0] if len(shape) == 1 else shape)
    if kind == "text":
        return gymnasium.spaces.Text(data["shape"][0], min_length=0, charset=_TEXT)
    if kind == "dict":
        return gymnasium.spaces.Dict(
            {name: gymnasium_space(child) for name, child in data["children"]}
        )
    if kind == "tuple":
        return gymnasium.spaces.Tuple([gymnasium_space(child) for child in data["children"]])
    raise InternalError(f"space kind: expected one that envpool_py supports, got {kind!r}")


def space_data(space: gymnasium.Space[Any]) -> SpaceData:
    """Returns the description of a space of arrays.

    Raises:
        InputError: a part of the space, such as `Text` or `Sequence`, is not an array of fixed
            shape.
    """
    if isinstance(space, gymnasium.spaces.Box):
        return {"kind": "box", "dtype": space.dtype, "low": space.low, "high": space.high}
    if isinstance(space, gymnasium.spaces.Discrete):
        return {
            "kind": "discrete",
            "dtype": space.dtype,
            "n": int(space.n),
            "start": int(space.start),
        }
    if isinstance(space, gymnasium.spaces.MultiDiscrete):
        return {
            "kind": "multi_discrete",
            "dtype": space.dtype,
            "nvec": space.nvec,
            "start": space.start,
        }
    if isinstance(space, gymnasium.spaces.MultiBinary):
        return {"kind": "multi_binary", "dtype": space.dtype, "shape": space.shape}
    if isinstance(space, gymnasium.spaces.Dict):
        children = [(name, space_data(child)) for name, child in space.spaces.items()]
        return {"kind": "dict", "children": children}
    if isinstance(space, gymnasium.spaces.Tuple):
        return {"kind": "tuple", "children": [space_data(child) for child in space.spaces]}
    raise InputError(f"expected a space of arrays of fixed shape, got {space}")


def batch_of_one(action: Any) -> Any:
    """Returns one environment's action, an array or a dict or tuple of arrays, as a batch.

    Does not check its form, because the pool does.
    """
    if isinstance(action, (int, np.ndarray)):
        return np.asarray(action)[np.newaxis]
    return map_leaves(lambda part: np.asarray(part)[np.newaxis], action)
