"""The engine's RandomState equals numpy.random.RandomState bit for bit."""

from __future__ import annotations

import importlib
import random
from typing import Any

import numpy as np
import pytest

_testing: Any = importlib.import_module("envpool_py._testing")

SEEDS = [0, 1, 42, 2**31 - 1, 2**31, 2**32 - 1, *(random.Random(5).getrandbits(32) for _ in "1234")]
CHOICES = [0.1, 0.1, 0.8]


def draw(ours: Any, theirs: np.random.RandomState, kind: int) -> tuple[Any, Any]:
    """Makes the same call on both; the kinds are the methods that environments use."""
    if kind == 0:
        return ours.rand(), theirs.rand()
    if kind == 1:
        return ours.uniform(-0.3, 7.5), theirs.uniform(-0.3, 7.5)
    if kind == 2:
        return ours.randn(), theirs.randn()
    if kind == 3:
        return ours.randn(3), theirs.randn(3).tolist()
    if kind == 4:
        return ours.rand(4), theirs.rand(4).tolist()
    if kind == 5:
        return ours.choice(CHOICES), theirs.choice(len(CHOICES), p=CHOICES)
    bound = 1 + (kind - 6) ** 3
    return ours.randint(bound), theirs.randint(bound)


@pytest.mark.parametrize("seed", SEEDS)
def test_draws_in_any_order(seed: int) -> None:
    ours, theirs = _testing.RandomState(seed), np.random.RandomState(seed)
    order = random.Random(seed)
    for _ in range(3000):
        kind = order.randrange(14)
        mine, other = draw(ours, theirs, kind)
        assert mine == other, kind


def test_words_over_several_generations() -> None:
    ours, theirs = _testing.RandomState(7), np.random.RandomState(7)
    words = theirs.randint(0, 2**32, size=5 * 624, dtype=np.uint32)
    assert [ours.word() for _ in range(5 * 624)] == words.tolist()


def test_a_seed_forgets_the_value_that_is_kept() -> None:
    ours = _testing.RandomState(1)
    ours.randn()
    ours.seed(1)
    assert ours.randn(5) == np.random.RandomState(1).randn(5).tolist()


def test_large_bounds() -> None:
    for bound in (2, 3, 2**16, 2**16 + 1, 2**31, 2**32 - 1):
        ours, theirs = _testing.RandomState(3), np.random.RandomState(3)
        assert [ours.randint(bound) for _ in range(200)] == theirs.randint(bound, size=200).tolist()
