"""The checks of envpool_py, and comparisons with its own CartPole."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import envpool_py
from envpool_py.authoring.conformance.plugin import conformance_tests
from envpool_py.errors import OptionError

SIMD = "cartpole_simd:SimdCartPole-v1"
PLAIN = "cartpole_simd:PlainCartPole-v1"

test_conformance = conformance_tests(SIMD)


def trajectory(task: str, num_envs: int, steps: int, **settings: Any) -> Sequence[np.ndarray]:
    """Returns observations, rewards and flags of all steps."""
    actions = np.random.default_rng(7).integers(0, 2, (steps, num_envs))
    with envpool_py.make(task, num_envs=num_envs, **settings) as envs:
        results = [envs.reset(seed=11)[0]]
        for action in actions:
            results += envs.step(action)[:4]
    return results


@pytest.mark.parametrize("task", [SIMD, PLAIN])
@pytest.mark.parametrize("num_envs", [1, 4, 7, 257])
def test_the_results_are_those_of_cartpole(task: str, num_envs: int) -> None:
    ours = trajectory(task, num_envs, 300, num_threads=2)
    theirs = trajectory("CartPole-v1", num_envs, 300, num_threads=1)
    for ours_each, theirs_each in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(ours_each, theirs_each)


@pytest.mark.parametrize("autoreset_mode", ["SameStep", "NextStep"])
def test_so_they_are_in_each_autoreset_mode(autoreset_mode: str) -> None:
    ours = trajectory(SIMD, 33, 300, autoreset_mode=autoreset_mode)
    theirs = trajectory("CartPole-v1", 33, 300, autoreset_mode=autoreset_mode)
    for ours_each, theirs_each in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(ours_each, theirs_each)


def test_a_step_from_any_angle_is_that_of_cartpole() -> None:
    """Starts beyond the angles of an episode, in all intervals of the sine table and above."""
    options = {"low": -0.9, "high": 0.9}
    with (
        envpool_py.make(SIMD, num_envs=4097, autoreset_mode="Disabled") as ours,
        envpool_py.make("CartPole-v1", num_envs=4097, autoreset_mode="Disabled") as theirs,
    ):
        actions = np.arange(4097) % 2
        for seed in range(0, 5000 * 30, 5000):
            for envs in (ours, theirs):
                envs.reset(seed=seed, options=options)
            np.testing.assert_array_equal(ours.step(actions)[0], theirs.step(actions)[0])


def test_bounds_of_a_reset_are_checked() -> None:
    with (
        envpool_py.make(SIMD, num_envs=2) as envs,
        pytest.raises(OptionError, match=r"expected low <= high, got 1\.0"),
    ):
        envs.reset(options={"low": 1.0, "high": 0.5})
