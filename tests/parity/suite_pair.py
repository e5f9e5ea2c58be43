"""Steps one of our pools and environments of dm_control's suite alike and compares the results.

Values, dtypes and shapes must be equal bit for bit.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import envpool_py

suite = pytest.importorskip("dm_control.suite")

# The suite's domain and task for each of our ids.
NAMES = {
    "".join(part.title() if part != "CMU" else part for part in f"{domain}_{task}".split("_"))
    + "-v1": (domain, task)
    for domain, task in suite.ALL_TASKS
}


def reference(
    task_id: str,
    seed: int | None = 0,
    environment_kwargs: Mapping[str, Any] | None = None,
    **task_kwargs: Any,
) -> Any:
    """Returns the suite's environment."""
    domain, task = NAMES[task_id]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return suite.load(
            domain,
            task,
            task_kwargs={"random": seed, **task_kwargs},
            environment_kwargs=environment_kwargs,
        )


def actions_of(task_id: str, rng: np.random.Generator, rows: int) -> np.ndarray:
    """Returns random actions, a third of them out of bounds; a quarter of the rows at bounds."""
    space = envpool_py.make_spec(task_id).action_space
    low, high = np.clip(space.low, -1.0, 1.0), np.clip(space.high, -1.0, 1.0)  # LQR is unbounded
    actions = rng.uniform(-1.5, 1.5, (rows, *low.shape)) * high
    bounds = np.where(rng.random((rows, *low.shape)) < 0.5, low, high)
    actions[::4] = bounds[::4]
    return actions


def assert_bits(ours: Any, theirs: Any, where: str) -> None:
    """Asserts that two arrays or numbers have the same bits."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), where
    assert ours.tobytes() == theirs.tobytes(), f"{where}: {ours!r}, expected {theirs!r}"


class Pair:
    """Our pool, which resets in the next step as dm_env does, and the suite's environments."""

    def __init__(
        self,
        task_id: str,
        seeds: Sequence[int],
        *,
        limit: int | None = None,
        environment_kwargs: Mapping[str, Any] | None = None,
        task_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.task_id = task_id
        self.theirs = [
            reference(task_id, seed, environment_kwargs, **(task_kwargs or {})) for seed in seeds
        ]
        for env in self.theirs:
            if limit is not None:
                env._step_limit = limit
        self.ours = envpool_py.make(
            task_id,
            num_envs=len(seeds),
            num_threads=2,
            seed=list(seeds),
            max_episode_steps=limit,
            **options,
        )
        self.rng = np.random.default_rng(5)
        self.observations: Any = None
        self.ends = 0
        self.steps = 0

    def __enter__(self) -> Pair:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.ours.close()

    def compare(self, result: Any, steps: Sequence[Any]) -> None:
        """Compares a batch with the suite's time steps."""
        observations = result[0]
        for row, step in enumerate(steps):
            where = f"{self.task_id}, environment {row}, step {self.steps}"
            assert observations.keys() == step.observation.keys(), where
            for key, value in step.observation.items():
                assert_bits(observations[key][row], value, f"{where}, {key}")
        if len(result) == 2:  # the batch of a reset
            return
        _, reward, terminated, truncated, _ = result
        self.observations = observations
        for row, step in enumerate(steps):
            where = f"{self.task_id}, environment {row}, step {self.steps}"
            theirs = 0.0 if step.reward is None else step.reward
            assert_bits(reward[row], np.float64(theirs), f"{where}, reward")
            assert terminated[row] == (step.last() and step.discount == 0.0), where
            assert truncated[row] == (step.last() and step.discount == 1.0), where
            self.ends += step.last()

    def reset(self) -> None:
        """Starts the first episodes."""
        self.compare(self.ours.reset(), [env.reset() for env in self.theirs])

    def step(self, actions: np.ndarray | None = None) -> None:
        """Takes one step, with random actions if none are given."""
        self.steps += 1
        if actions is None:
            actions = actions_of(self.task_id, self.rng, len(self.theirs))
        theirs = [env.step(action) for env, action in zip(self.theirs, actions, strict=True)]
        self.compare(self.ours.step(actions), theirs)

    def run(self, steps: int) -> None:
        """Resets and takes steps."""
        self.reset()
        for _ in range(steps):
            self.step()
