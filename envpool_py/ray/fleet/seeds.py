"""Seeds of the pools of a fleet. Every pool that is ever started gets different seeds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["SeedKey", "policy_seed", "seeds_of"]


class SeedKey(NamedTuple):
    """The numbers from which the seeds of a pool are derived.

    Attributes:
        seed: seed of the fleet.
        resumes: how often the learner was resumed from a checkpoint, and how many streams have used
            the same actors before.
        actor: number of the actor.
        incarnation: how often the actor was replaced.
    """

    seed: int
    resumes: int
    actor: int
    incarnation: int


def seeds_of(seed_key: SeedKey, num_envs: int, bits: int = 64) -> list[int]:
    """Returns a seed for each environment of a pool.

    Equal keys give equal seeds. Different keys give independent seeds, because NumPy's
    `SeedSequence` mixes all four numbers.

    Args:
        seed_key: the key of the pool.
        num_envs: number of environments.
        bits: 64, or 32 for tasks whose seeds are at most 2**32 - 1.
    """
    sequence = np.random.SeedSequence(list(seed_key))
    dtype = np.uint64 if bits == 64 else np.uint32
    return [int(seed) for seed in sequence.generate_state(num_envs, dtype)]


def policy_seed(seed_key: SeedKey) -> int:
    """Returns a seed in [0, 2**63 - 1] for an actor's policy, independent of its pool's seeds."""
    sequence = np.random.SeedSequence(list(seed_key)).spawn(1)[0]
    return int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
