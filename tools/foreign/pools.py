"""Counts requests for pools, to distinguish tests that use pools from other tests."""

from __future__ import annotations

__all__ = ["POOLS", "Pools"]


class Pools:
    """Counts the requested pools.

    Attributes:
        wanted: number of requests so far, including pools that could not be made.
    """

    wanted = 0


POOLS = Pools()
