"""Environments that receive their seeds, and terminal signals that do not end an episode."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from envpool_py.errors import EnvironmentFailedError

Make = Callable[..., Any]

SEED, TIMES, FIRST = range(3)  # indices into an observation of Seeded


def first_of(seed: int) -> int:
    return int(np.random.default_rng(int(seed)).bit_generator.random_raw())


@pytest.mark.parametrize("batch_size", [4, 2])
def test_the_seed_arrives_as_it_was_given(make: Make, batch_size: int) -> None:
    pool = make("Seeded", num_envs=4, batch_size=batch_size, seed=[3, 2**64 - 1, 0, 2**40])
    pool.async_reset()
    seeds = {}
    for _ in range(4 // batch_size):
        obs, *_, infos = pool.recv()
        seeds |= dict(zip(infos["env_id"].tolist(), obs.tolist(), strict=True))
    expected = [3, 2**64 - 1, 0, 2**40]
    assert seeds == {env: [seed, 1, first_of(seed)] for env, seed in enumerate(expected)}


@pytest.mark.parametrize("batch_size", [4, 2])
def test_only_resets_with_a_seed_pass_it_on(make: Make, batch_size: int) -> None:
    pool = make("Seeded", num_envs=4, batch_size=batch_size)
    pool.reset(seed=10)
    obs, _ = pool.reset()
    assert obs[:, SEED].tolist() == [10, 11, 12, 13]
    assert obs[:, TIMES].tolist() == [1] * 4
    mask = np.array([True, False, True, False])
    obs, _ = pool.reset(seed=[7, None, None, 9], options={"reset_mask": mask})
    assert obs[:, SEED].tolist() == [7, 11, 12, 13]
    assert obs[:, TIMES].tolist() == [2, 1, 1, 1]
    obs, _ = pool.reset(seed=[1, None, 2, None])
    assert obs[:, SEED].tolist() == [1, 11, 2, 13]
    assert obs[:, TIMES].tolist() == [3, 1, 2, 1]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_an_automatic_reset_passes_no_seed(make: Make, mode: str) -> None:
    pool = make("Seeded", num_envs=2, autoreset_mode=mode)
    pool.reset(seed=5)
    for _ in range(4):
        obs = pool.step(np.array([3, 0]))[0]
    assert obs[:, [SEED, TIMES]].tolist() == [[5, 1], [6, 1]]
    assert obs[0, FIRST] != first_of(5)  # the generator continued


def test_without_a_seed_it_receives_a_random_one(make: Make) -> None:
    seeds = [make("Seeded", num_envs=8).reset()[0][:, SEED] for _ in range(2)]
    assert len(set(np.concatenate(seeds).tolist())) == 16


def test_it_may_seed_its_generator_otherwise(make: Make) -> None:
    obs, _ = make("Seeded", num_envs=2, reseeds=True).reset(seed=[4, 9])
    assert obs[:, FIRST].tolist() == [first_of(5), first_of(10)]


def test_a_new_instance_after_a_failure_receives_a_draw_of_the_generator(make: Make) -> None:
    received = []
    for _ in range(2):
        pool = make("Seeded", num_envs=2, autoreset_mode="Disabled")
        pool.reset(seed=[8, 8])
        with pytest.raises(EnvironmentFailedError, match="asked to"):
            pool.step(np.array([4, 0]))
        obs, _ = pool.reset(options={"reset_mask": np.array([True, False])})
        assert obs[:, TIMES].tolist() == [1, 1]
        generator = np.random.default_rng(8).bit_generator
        generator.random_raw()
        assert obs[0, SEED] == generator.random_raw()
        received.append(obs[0, SEED])
        with pytest.raises(EnvironmentFailedError):
            pool.step(np.array([4, 0]))
        assert pool.reset(seed=[6, 6])[0][:, SEED].tolist() == [6, 6]
    assert received[0] == received[1]


def step_both(pool: Any, action: int) -> Iterator[Any]:
    """Steps two environments; yields their one or two batches."""
    pool.send(np.full(2, action), np.arange(2))
    for _ in range(2 // pool.batch_size):
        yield pool.recv()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("batch_size", [2, 1])
def test_a_reported_end_does_not_end_the_episode(make: Make, mode: str, batch_size: int) -> None:
    pool = make("Seeded", num_envs=2, batch_size=batch_size, autoreset_mode=mode)
    pool.reset(seed=0)
    for step, action in enumerate([0, 1, 1, 2], start=1):
        for _, rewards, terminated, truncated, infos in step_both(pool, action):
            assert terminated.tolist() == [action == 1] * batch_size
            assert not truncated.any()
            assert rewards.tolist() == [float(action)] * batch_size
            assert infos["elapsed_step"].tolist() == [step] * batch_size
            assert "final_obs" not in infos
    assert pool.stats()["episodes"] == 0


def test_the_step_limit_ends_an_episode_with_a_reported_end(make: Make) -> None:
    pool = make("Seeded", max_episode_steps=2)
    pool.reset(seed=0)
    pool.step([1])
    _, _, terminated, truncated, _ = pool.step([1])
    assert (terminated[0], truncated[0]) == (True, True)
    assert pool.step([0])[4]["elapsed_step"].tolist() == [0]


@pytest.mark.parametrize("batch_size", [1, 2])
def test_discounts_of_dm_env(make: Make, batch_size: int) -> None:
    pool = make("Seeded", env_type="dm", num_envs=2, batch_size=batch_size, seed=0)
    first, mid, last = 0, 1, 2
    kinds = [(mid, 1.0), (mid, 0.0), (mid, 0.0), (mid, 1.0), (last, 0.0), (first, 1.0)]
    pool.async_reset()
    for _ in range(2 // batch_size):
        assert pool.recv().discount.tolist() == [1.0] * batch_size
    for action, kind in zip([0, 1, 2, 0, 3, 0], kinds, strict=True):
        for time_step in step_both(pool, action):
            rows = zip(time_step.step_type.tolist(), time_step.discount.tolist(), strict=True)
            assert list(rows) == [kind] * batch_size


def test_a_failed_row_has_the_discount_of_a_middle(make: Make) -> None:
    pool = make("Seeded", env_type="dm", num_envs=2, seed=0)
    pool.reset()
    with pytest.raises(EnvironmentFailedError) as caught:
        pool.step(np.array([4, 3]))
    assert caught.value.batch.discount.tolist() == [1.0, 0.0]
