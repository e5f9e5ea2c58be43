"""Notes that a pool is wanted, so that the tests that want one can be told from the others."""

from __future__ import annotations

__all__ = ["POOLS", "Pools"]


class Pools:
    """Counts the pools that are wanted.

    Attributes:
        wanted: how many so far, also of those that could not be made.
    """

    wanted = 0


POOLS = Pools()
