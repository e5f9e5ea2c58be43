"""Checks that equal seeds give equal trajectories, and that environment i gets the seed plus i."""

from __future__ import annotations

from typing import Any

from envpool_py.authoring.conformance import episodes
from envpool_py.authoring.conformance.episodes import NUM_ENVS, STEPS
from envpool_py.authoring.conformance.kit import check, expect
from envpool_py.authoring.conformance.values import Actions, assert_equal, row
from envpool_py.tasks import registry

__all__ = ["one_seed_means_one_after_the_other", "same_seed_same_future"]


def make(task_id: str, **arguments: Any) -> Any:
    """Makes a pool of short episodes that depend on their seeds alone."""
    return episodes.make(task_id, **registry.seed_only_options(task_id), **arguments)


@check(every_id="long")
def one_seed_means_one_after_the_other(task_id: str) -> None:
    """An int seed s seeds environment i with s + i, like a list of these seeds."""
    with make(task_id, seed=None) as pool:
        one = pool.reset(seed=123)
        again = pool.reset(seed=[123 + env for env in range(NUM_ENVS)])
        assert_equal(again, one, "resets with a seed and with the list that it stands for")
        for env in range(NUM_ENVS):
            alone = pool.reset([env], seed=[123 + env])
            expect(
                row(alone[0], 0) == row(one[0], env),
                f"environment {env} reset alone differs from its reset with the others",
            )
    with make(task_id, seed=123) as pool:
        assert_equal(pool.reset(), one, "the seed of `make` and the same seed of `reset`")
    with make(task_id, num_envs=1, seed=123 + 4) as pool:
        expect(row(pool.reset()[0], 0) == row(one[0], 4), "a pool of one differs from row 4")


@check(every_id="long")
def same_seed_same_future(task_id: str) -> None:
    """A seed determines all later results, regardless of earlier steps and of threads."""
    actions = Actions(task_id, 2 * STEPS, NUM_ENVS)
    with make(task_id, num_threads=1) as pool, make(task_id, num_threads=4) as twin:
        pool.reset()
        for step in range(11):  # the reset below must make these steps irrelevant
            pool.step(actions[step])
        first = pool.reset(seed=7)
        assert_equal(first, twin.reset(seed=7), "a reset with a seed after steps and in a new pool")
        for step in range(STEPS):
            ours, theirs = pool.step(actions[step]), twin.step(actions[step])
            assert_equal(ours, theirs, f"step {step} after equal seeds, with 1 and 4 threads")
