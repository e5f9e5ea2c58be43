"""Calls of Gymnasium's own code that a pool must tell from others."""

from __future__ import annotations

from types import FrameType
from typing import Any

from gymnasium.vector import VectorWrapper

from envpool_py.errors import InputError

__all__ = ["SpecKeywords", "refuse_wrapper"]


class SpecKeywords(dict[str, Any]):
    """The keywords of a registered spec, which take `vector_kwargs` of `gymnasium.make_vec`.

    `make_vec` refuses `vector_kwargs` for a vector entry point, and gives them to `SyncVectorEnv`.
    Before that it takes "vectorization_mode" and "vector_kwargs" out of the spec's keywords, with
    its own arguments as defaults. Here the latter become keywords of the entry point, so that the
    same call makes a pool: `make_vec(id, vector_kwargs={"autoreset_mode": mode})`.
    """

    _for_pool = True

    def pop(self, name: str, *default: Any) -> Any:
        """Removes a keyword and returns it, or the default."""
        value = super().pop(name, *default)
        if name == "vectorization_mode":
            self._for_pool = getattr(value, "value", value) in (None, "vector_entry_point")
        if name == "vector_kwargs" and value and self._for_pool:
            self.update(value)
            return {}
        return value


def refuse_wrapper(caller: FrameType, batch_size: int, num_envs: int) -> None:
    """Raises an error if one of Gymnasium's vector wrappers calls a first-ready pool.

    Raises:
        InputError: the wrapper needs a row for every environment in each result.
    """
    # Reading the variables of a frame keeps what they refer to as long as the frame is running, so
    # only those of Gymnasium's own code, which returns with this call, are read.
    if not str(caller.f_globals.get("__name__")).startswith("gymnasium."):
        return
    wrapper = caller.f_locals.get("self")
    if not isinstance(wrapper, VectorWrapper):
        return
    if any(kind.__module__.startswith("gymnasium.wrappers") for kind in type(wrapper).__mro__):
        raise InputError(
            f"{type(wrapper).__name__}: Gymnasium's wrappers need a row for every environment, and "
            f"this pool returns the first {batch_size} of {num_envs} that are ready: make it "
            "without batch_size (record_episode_statistics=True counts episodes in both modes)"
        )
