"""Special treatment of calls that Gymnasium's own code makes."""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Any

from gymnasium.vector import VectorWrapper

from envpool_py.errors import InputError

if TYPE_CHECKING:
    from envpool_py.pool import PoolBase

__all__ = ["SpecKeywords", "refuse_wrapper"]


class SpecKeywords(dict[str, Any]):
    """The keywords of a registered spec, which make `vector_kwargs` of `make_vec` work for pools.

    `gymnasium.make_vec` calls a vector entry point only if `vector_kwargs` is empty. Before it
    checks this, it pops "vectorization_mode" and then "vector_kwargs" from the spec's keywords,
    with its own arguments as defaults. If a pool is to be made, `pop("vector_kwargs")` adds them to
    the entry point's keywords and returns an empty dict, which passes the check. So
    `make_vec(id, vector_kwargs={"autoreset_mode": mode})` makes a pool.
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


def refuse_wrapper(caller: FrameType, pool: PoolBase) -> None:
    """Raises an error if one of Gymnasium's vector wrappers calls a pool that it does not support.

    These pools do not return one row for each environment: they are first-ready, or their task has
    players.

    Raises:
        InputError: the caller is such a wrapper. It needs a row for every environment in each
            result.
    """
    # Reading the variables of a frame keeps their objects alive until the frame returns. Only
    # frames of Gymnasium's own code are read, because they return soon after this call.
    if not str(caller.f_globals.get("__name__")).startswith("gymnasium."):
        return
    wrapper = caller.f_locals.get("self")
    if not isinstance(wrapper, VectorWrapper):
        return
    if any(kind.__module__.startswith("gymnasium.wrappers") for kind in type(wrapper).__mro__):
        needs = f"{type(wrapper).__name__}: Gymnasium's wrappers need a row for every environment"
        if pool.has_players:
            raise InputError(
                f"{needs}, and this pool has a row for every player: with a fixed number of "
                "players, wrap it in envpool_py.players.PlayersAsEnvs first"
            )
        raise InputError(
            f"{needs}, and this pool returns the first {pool.batch_size} of {pool.num_envs} that "
            "are ready: make it without batch_size (record_episode_statistics=True counts episodes "
            "in both modes)"
        )
