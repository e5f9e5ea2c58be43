"""Converts the engine's description of a space to dm_env's specs.

The description is plain data, as returned by `envpool_py._core.describe_task`. Bounds are inclusive
in both. Imported only when dm_env's specs are requested.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from dm_env import specs

from envpool_py.errors import InternalError
from envpool_py.pool.spaces import SpaceData

__all__ = ["dm_spec"]


def dm_spec(data: SpaceData, name: str, rows: int | None = None) -> Any:
    """Returns the dm_env spec: an array spec, or a dict or tuple of them.

    Args:
        data: the space of one environment.
        name: name of an array's spec. The specs in a dict have its keys as names, as in dm_env's
            own environments; the specs in a tuple are named `name/0` and so on, and nested specs
            `key/child`.
        rows: None for one environment, else the number of rows of a batch (first dimension).
    """
    kind = data["kind"]
    if kind == "dict":
        return {
            child_name: _nested(child, child_name, rows) for child_name, child in data["children"]
        }
    return _nested(data, name, rows)


def _nested(data: SpaceData, name: str, rows: int | None) -> Any:
    kind = data["kind"]
    if kind == "dict":
        return {key: _nested(child, f"{name}/{key}", rows) for key, child in data["children"]}
    if kind == "tuple":
        return tuple(
            _nested(child, f"{name}/{i}", rows) for i, child in enumerate(data["children"])
        )
    return _dm_leaf(data, name, rows)


def _dm_leaf(data: SpaceData, name: str, rows: int | None) -> Any:
    kind = data["kind"]
    dtype = np.dtype(data["dtype"])
    batch: tuple[int, ...] = () if rows is None else (rows,)
    if kind == "box":
        shape = batch + data["low"].shape
        if dtype.kind == "f" and np.isneginf(data["low"]).all() and np.isposinf(data["high"]).all():
            return specs.Array(shape, dtype, name)
        return specs.BoundedArray(shape, dtype, data["low"], data["high"], name)
    if kind == "discrete":
        if rows is None and data["start"] == 0:
            return specs.DiscreteArray(data["n"], dtype, name)
        last = data["start"] + data["n"] - 1
        return specs.BoundedArray(batch, dtype, data["start"], last, name)
    if kind == "multi_discrete":
        nvec, start = np.asarray(data["nvec"]), data.get("start", 0)
        return specs.BoundedArray(batch + nvec.shape, dtype, start, start + nvec - 1, name)
    if kind == "multi_binary":
        return specs.BoundedArray(batch + tuple(data["shape"]), dtype, 0, 1, name)
    if kind == "text":
        return specs.Array(batch + tuple(data["shape"]), dtype, name)
    raise InternalError(f"space kind: expected one that envpool_py supports, got {kind!r}")
