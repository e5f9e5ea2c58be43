"""Notes that pools are made, so that the tests that make one can be told from the others."""

from __future__ import annotations

from typing import Any

from envpool_py.pool import PoolBase

__all__ = ["POOLS", "count_pools"]


class _Pools:
    """Counts the pools that are made.

    Attributes:
        made: how many, since `count_pools` was called.
    """

    made = 0


POOLS = _Pools()


def count_pools() -> None:
    """Counts every pool that is made from now on."""
    make = PoolBase.__init__

    def counted(self: PoolBase, *args: Any, **kwargs: Any) -> None:
        POOLS.made += 1
        make(self, *args, **kwargs)

    PoolBase.__init__ = counted  # type: ignore[method-assign]
