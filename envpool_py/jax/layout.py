"""The results of a pool as pytrees, whose leaves correspond to arrays of the engine's batch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from envpool_py.jax.calls import Shape

__all__ = ["Layout"]

_WIDER = ":float64"


@dataclass(frozen=True)
class _Field:
    index: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class Layout:
    """The layout of the batches of pools of one task with the same settings.

    A tree describes results. It is a pytree whose leaves are names of arrays of the batch;
    `engine/batch/batch_layout.h` lists the names.

    Attributes:
        stamp: equal for pools whose batches have the same layout.
    """

    def __init__(self, shared: Mapping[str, Any], observation: Mapping[str, Any]) -> None:
        """Reads the layout.

        Args:
            shared: the result of `share_with_xla` of the engine's pool.
            observation: the engine's description of the observation space.
        """
        self.stamp: int = shared["stamp"]
        self._fields = {
            name: _Field(index, np.dtype(dtype), tuple(shape))
            for index, (name, dtype, shape) in enumerate(shared["fields"])
        }
        self._observation = observation

    def has(self, name: str) -> bool:
        """Whether batches have an array of this name."""
        return name in self._fields

    def observation(self, prefix: str = "") -> Any:
        """Returns the tree of observations; with `prefix` "final_", of final observations."""
        name = f"{prefix}obs"
        leaves = iter(n for n in self._fields if n == name or n.startswith(f"{name}/"))
        return _nested(self._observation, leaves)

    def infos(self, own: bool, wide: bool) -> dict[str, Any]:
        """Returns the tree of infos, with the keys that `step` has in Python.

        Masks that are always true are left out. The statistics of an episode are only in "episode",
        and not in "final_info" as well.

        Args:
            own: whether "env_id" and "elapsed_step" are included.
            wide: whether infos with the dtype of the actions are float64.
        """
        tree = self._frame_infos("", own, wide)
        if own:
            tree["env_id"] = "info/env_id"
        if self.has("_final_obs"):
            tree["final_obs"] = self.observation("final_")
            tree["_final_obs"] = "_final_obs"
            tree["final_info"] = self._frame_infos("final_", own, wide)
            tree["_final_info"] = "_final_info"
        if self.has("_episode"):
            tree["episode"] = {key: f"episode/{key}" for key in "rlt"}
            tree["_episode"] = "_episode"
        return tree

    def _frame_infos(self, prefix: str, own: bool, wide: bool) -> dict[str, Any]:
        tree: dict[str, Any] = {}
        start = f"{prefix}info/"
        for name in self._fields:
            if not name.startswith(start) or name.endswith(_WIDER):
                continue
            key = name.removeprefix(start)
            if key == "env_id" or (key == "elapsed_step" and not own):
                continue
            if wide and self.has(name + _WIDER):
                name += _WIDER
            tree[key] = name
            if key != "elapsed_step":
                tree[f"_{key}"] = f"_{name}"
        return tree

    def indices(self, names: Iterable[str]) -> tuple[int, ...]:
        """Returns the indices of arrays in the layout."""
        return tuple(self._fields[name].index for name in names)

    def results(self, names: Iterable[str], rows: int) -> tuple[Shape, ...]:
        """Returns shapes and dtypes of arrays with `rows` rows; JAX may lack 64-bit dtypes."""
        fields = [self._fields[name] for name in names]
        return tuple(
            Shape((rows, *field.shape), jax.dtypes.canonicalize_dtype(field.dtype))
            for field in fields
        )


def _nested(space: Mapping[str, Any], leaves: Any) -> Any:
    if space["kind"] == "dict":
        return {name: _nested(child, leaves) for name, child in space["children"]}
    if space["kind"] == "tuple":
        return tuple(_nested(child, leaves) for child in space["children"])
    return next(leaves)
