"""PFRL: a pool as a `VectorEnv`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import ArrayLike, NDArray

from envpool_py.errors import InputError, InputTypeError, MissingPackageError
from envpool_py.integrations.batches import ENGINE_INFOS, check_pool, info_rows
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.trees import copied_row

__all__ = ["PoolVectorEnv"]

try:
    from pfrl.env import VectorEnv
except ImportError as error:
    raise MissingPackageError(
        f"envpool_py.integrations.pfrl needs the package pfrl (`pip install pfrl`): {error}"
    ) from error


class PoolVectorEnv(VectorEnv):
    """A pool for PFRL's batch training, such as `pfrl.experiments.train_agent_batch`.

        pool = envpool_py.make("CartPole-v1", num_envs=8, autoreset_mode="Disabled", seed=0)
        train_agent_batch(agent, PoolVectorEnv(pool), steps=100_000, outdir="out")

    PFRL has one flag where Gymnasium has two: `done` means terminated, and "needs_reset" in an info
        means truncated.

    Attributes:
        pool: the pool, which `close` closes.
        num_envs: number of environments.
        observation_space, action_space: the spaces of one environment.
        spec: the pool's spec.
    """

    def __init__(self, pool: GymnasiumPool) -> None:
        """Takes ownership of an ordered pool made with `autoreset_mode="Disabled"`.

        Raises:
            InputError, InputTypeError: the pool is unsuitable, or is not a pool.
        """
        self.pool = check_pool(pool, AutoresetMode.DISABLED, ordered=True)
        self.observation_space = pool.single_observation_space
        self.action_space = pool.single_action_space
        self.spec = pool.spec
        self._seeds: list[int | None] = [None] * pool.num_envs
        self._observations: list[Any] = [None] * pool.num_envs

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return self.pool.num_envs

    def step(
        self, actions: ArrayLike
    ) -> tuple[tuple[Any, ...], tuple[float, ...], tuple[bool, ...], tuple[dict[str, Any], ...]]:
        """Steps all environments.

        Args:
            actions: one row per environment.

        Returns:
            Observations, rewards, dones and infos, each a tuple with one entry per environment.

        Raises:
            InputError, InputTypeError, ResetNeededError, EnvironmentFailedError, ClosedError: as
                the pool's `step` raises them.
        """
        observations, rewards, terminated, truncated, infos = self.pool.step(np.asarray(actions))
        rows = info_rows(infos, self.num_envs, ENGINE_INFOS)
        for index in np.flatnonzero(truncated & ~terminated).tolist():
            rows[index]["needs_reset"] = True
        self._observations = [copied_row(observations, index) for index in range(self.num_envs)]
        return (
            tuple(self._observations),
            tuple(rewards.tolist()),
            tuple(terminated.tolist()),
            tuple(rows),
        )

    def reset(self, mask: ArrayLike | None = None) -> list[Any]:
        """Starts a new episode in the environments where `mask` is False.

        Args:
            mask: bool (num_envs,), True where an environment is not reset. None: all are reset.

        Returns:
            One observation per environment: the first of its new episode, or its latest one.

        Raises:
            InputError: the mask has another shape.
            EnvironmentFailedError, ClosedError: as the pool's `reset` raises them.
        """
        if mask is None:
            chosen = np.arange(self.num_envs)
        else:
            left_out = np.asarray(mask, dtype=bool)
            if left_out.shape != (self.num_envs,):
                raise InputError(f"mask: expected shape ({self.num_envs},), got {left_out.shape}")
            chosen = np.flatnonzero(~left_out)
        if len(chosen):
            seeds = [self._seeds[index] for index in chosen]
            observations, _ = self.pool.reset(
                chosen, seed=None if all(seed is None for seed in seeds) else seeds
            )
            for place, index in enumerate(chosen.tolist()):
                self._observations[index] = copied_row(observations, place)
                self._seeds[index] = None
        return list(self._observations)

    def seed(self, seeds: Sequence[int | None]) -> None:
        """Sets the seed of each environment's next reset.

        Args:
            seeds: None or an int in [0, 2**64 - 1] per environment.

        Raises:
            InputTypeError, InputError: it is not a sequence with one seed per environment.
        """
        if not isinstance(seeds, (Sequence, np.ndarray)):
            raise InputTypeError(
                f"seeds: expected one per environment, got {type(seeds).__name__} {seeds!r}"
            )
        if len(seeds) != self.num_envs:
            raise InputError(f"seeds: expected {self.num_envs}, got {len(seeds)}")
        self._seeds = [None if seed is None else int(seed) for seed in seeds]

    def render(self) -> tuple[NDArray[np.uint8], ...]:
        """Returns a picture per environment, uint8 (height, width, 3); see the pool's `render`."""
        return self.pool.render()

    def close(self) -> None:
        """Closes the pool; a second call does nothing."""
        self.pool.close()
