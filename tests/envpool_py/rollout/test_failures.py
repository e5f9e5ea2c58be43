"""Rollouts, and what else reads batches, with `on_error="reset"`: a failed environment's row is no
observation, and nothing is learned from it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import envpool_py
from envpool_py.integrations.normalizing import NormalizeObservation
from envpool_py.rollout import FirstReadyRollout, Rollout

N, LENGTH = 3, 6
FINE, FAIL, TERMINATE = 0, 1, 6  # actions of Testing/Failing-v0


def failing(testing: Any, mode: str, **arguments: Any) -> Any:
    return envpool_py.make(
        "Testing/Failing-v0",
        num_envs=N,
        seed=5,
        on_error="reset",
        max_failures=1000,
        autoreset_mode=mode,
        **arguments,
    )


def value_of(observations: Any) -> Any:
    """The value of a row of zeros is unlike all others."""
    rows = np.asarray(observations)
    return np.where(rows.any(axis=1), 1.0 + rows[:, 0], -77.0)


# Of environment 1: fails alone in step 1, and beside an episode that ends in step 4.
ACTIONS = np.zeros((LENGTH, N), int)
ACTIONS[1, 1] = ACTIONS[4, 1] = FAIL
ACTIONS[4, 2] = TERMINATE


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_failure_is_an_end_without_a_value(testing: Any, mode: str, wrapped: bool) -> None:
    pool = failing(testing, mode)
    envs = gymnasium.vector.VectorWrapper(pool) if wrapped else pool
    rollout = Rollout(envs, LENGTH, columns={"values": ()})
    for t in rollout:
        rollout.act(ACTIONS[t], values=value_of(rollout.obs))
    assert rollout.terminated[:, 1].tolist() == [False, True, False, False, True, False]
    assert (rollout.next_values(value_of) != -77.0)[rollout.valid].all()
    assert not (rollout.next_values(value_of)[rollout.terminated]).any()
    ended = [mode != "Disabled" and t in (2, 5) for t in range(LENGTH)]
    assert rollout.valid[:, 1].tolist() == [not each for each in ended]
    assert rollout.valid[:, 0].all()
    advantages, _ = rollout.gae(value_of, gamma=0.9, lam=0.9)
    for t in (1, 4):
        expected = rollout.rewards[t, 1] - rollout.columns["values"][t, 1]
        assert advantages[t, 1] == pytest.approx(expected)
    pool.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_first_ready(testing: Any, mode: str) -> None:
    pool = failing(testing, mode, batch_size=1, num_threads=1)
    rollout = FirstReadyRollout(pool, 40, columns={"values": ()})
    rng = np.random.default_rng(0)
    for _ in rollout:
        actions = rng.choice([FINE, FAIL, TERMINATE], 1, p=[0.6, 0.3, 0.1])
        rollout.act(actions, values=value_of(rollout.obs))
    failed = rollout.valid & (rollout.actions == FAIL)
    assert failed.sum() > 5
    assert rollout.terminated[failed].all()
    assert (rollout.next_values(value_of) != -77.0)[rollout.valid].all()
    # The observation of a failure is none from which a step was made.
    zeros = (rollout.env_ids >= 0) & ~rollout.observations.any(axis=1)
    assert zeros.sum() > 5
    assert not (zeros & rollout.valid).any()
    pool.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_statistics_leave_it_out(testing: Any, mode: str) -> None:
    loud, quiet = (NormalizeObservation(failing(testing, mode)) for _ in range(2))
    for envs, action in ((loud, FAIL), (quiet, FINE)):
        envs.reset()
        envs.step(np.array([FINE, action, FINE]))
    assert loud.count.tolist() == pytest.approx([2, 1, 2], abs=1e-3)
    for part in ("mean", "var", "count"):
        np.testing.assert_array_equal(getattr(loud, part)[::2], getattr(quiet, part)[::2])
    loud.close()
    quiet.close()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_pictures_of_the_others(mode: str) -> None:
    """The environment has no picture in the batch of its failure."""
    with envpool_py.make(
        "Acrobot-v1",
        num_envs=3,
        seed=0,
        on_error="reset",
        autoreset_mode=mode,
        render_mode="rgb_array_list",
    ) as pool:
        pool.reset()
        pool.reset([1], options={"low": 1e20, "high": 1e21})
        infos = pool.step(np.zeros(3, int))[4]
        assert infos["_error"].tolist() == [False, True, False]
        infos = pool.step(np.zeros(3, int))[4]
        assert infos["elapsed_step"].tolist() == [2, 0, 2]
        pictures = pool.render()
        assert [len(each) for each in pictures] == [3, 1, 3]
