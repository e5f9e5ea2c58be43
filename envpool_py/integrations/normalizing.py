"""Normalization of observations and rewards with statistics of each environment.

    envs = envpool_py.make("HalfCheetah-v5", num_envs=64)
    envs = NormalizeReward(NormalizeObservation(envs), gamma=0.99)

Gymnasium's vector wrappers of these names share one mean and variance among all environments.
Programs that wrap each environment before they make a vector environment of them have statistics
per environment. These wrappers have them too, for all environments at once, with results equal to
those of `gymnasium.wrappers` around each environment. Needs only Gymnasium.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.integrations.batches import reset_rows
from envpool_py.rollout.sources import source_of
from envpool_py.rollout.trees import rows_of_final

__all__ = ["NormalizeObservation", "NormalizeReward"]

_FIRST_COUNT = 1e-4  # Gymnasium's


class _Moments:
    """Running means and variances of each environment.

    The operations and their dtypes are those of `gymnasium.wrappers.utils.RunningMeanStd` for one
    sample at a time.

    Attributes:
        mean: (num_envs, ...).
        var: (num_envs, ...).
        count: float64 (num_envs,), the number of samples.
    """

    def __init__(self, num_envs: int, shape: tuple[int, ...], dtype: Any) -> None:
        self.mean: NDArray[Any] = np.zeros((num_envs, *shape), dtype)
        self.var: NDArray[Any] = np.ones((num_envs, *shape), dtype)
        self.count = np.full(num_envs, _FIRST_COUNT)

    def update(self, rows: NDArray[np.intp], values: NDArray[Any]) -> None:
        """Adds a sample (n, ...) to each of n environments."""
        if len(rows) == 0:
            return
        count = self.count[rows]
        total = count + 1
        sample = values if values.dtype.kind == "f" else values.astype(np.float64)
        delta = sample - self.mean[rows]
        mean = self.mean[rows] + delta / _like(total, delta)
        var = self.var[rows]
        rest = np.square(delta)
        rest = rest * _like(count, rest) / _like(total, rest)
        squares = var * _like(count, var) + rest
        self.mean = _replaced(self.mean, rows, mean)
        self.var = _replaced(self.var, rows, squares / _like(total, squares))
        self.count[rows] = total


def _like(numbers: NDArray[Any], array: NDArray[Any]) -> NDArray[Any]:
    """Returns a number for each row, which takes the array's dtype as a Python float does."""
    return numbers.astype(array.dtype).reshape(-1, *(1,) * (array.ndim - 1))


def _replaced(array: NDArray[Any], rows: NDArray[np.intp], values: NDArray[Any]) -> NDArray[Any]:
    array = array.astype(values.dtype, copy=False)
    array[rows] = values
    return array


class _Normalize(VectorWrapper):
    """The common part of both wrappers.

    Attributes:
        epsilon: number that is added to a variance before its square root is taken.
        update_running_mean: whether steps and resets change the statistics.
    """

    _moments: _Moments  # set by the constructors of the wrappers

    def __init__(self, env: VectorEnv, epsilon: float) -> None:
        source = source_of(env)  # refuses environments that return other rows
        self._mode, self._marks_failures = source.mode, source.marks_failures
        if not epsilon > 0:
            raise InputError(f"epsilon: expected a number above 0, got {epsilon!r}")
        super().__init__(env)
        self.epsilon = epsilon
        self.update_running_mean = True
        self._all = np.arange(self.num_envs)

    @property
    def mean(self) -> NDArray[Any]:
        """The means."""
        return self._moments.mean

    @property
    def var(self) -> NDArray[Any]:
        """The variances."""
        return self._moments.var

    @property
    def count(self) -> NDArray[np.float64]:
        """The numbers of samples, and 1e-4."""
        return self._moments.count


class NormalizeObservation(_Normalize):
    """Normalizes each environment's observations by its own running mean and variance.

    The results equal those of `gymnasium.wrappers.NormalizeObservation` around each environment.
    In SameStep mode `infos["final_obs"]` is normalized too.

    Attributes:
        mean, var, count: the statistics, (num_envs, ...).
    """

    def __init__(self, env: VectorEnv, epsilon: float = 1e-8) -> None:
        """Wraps a vector environment.

        Args:
            env: the environments, whose observations are arrays. No first-ready pool.
            epsilon: is added to the variance.

        Raises:
            InputError, InputTypeError: an argument is not valid.
        """
        super().__init__(env, epsilon)
        space = env.single_observation_space
        if space.shape is None or space.dtype is None or space.dtype.kind not in "fiub":
            raise InputTypeError(f"env: expected observations that are arrays, got {space}")
        self._moments = _Moments(self.num_envs, space.shape, np.float32)
        box = gymnasium.spaces.Box(-np.inf, np.inf, space.shape, np.float32)
        self.single_observation_space = box
        self.observation_space = batch_space(box, self.num_envs)
        self._latest: NDArray[np.float32] = np.zeros((self.num_envs, *space.shape), np.float32)

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Resets environments, and normalizes their first observations."""
        rows = reset_rows(arguments, self.num_envs)
        observations, infos = self.env.reset(**arguments)
        latest = self._latest.copy()
        latest[rows] = self._normalized(rows, observations[rows])
        self._latest = latest
        return latest, infos

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Steps the environments, and normalizes their observations."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if self._mode is AutoresetMode.SAME_STEP and "final_obs" in infos:
            rows = np.flatnonzero(infos["_final_obs"])
            final = self._normalized(rows, np.asarray(rows_of_final(infos["final_obs"], rows)))
            infos = {**infos, "final_obs": self._like_final(infos["final_obs"], rows, final)}
        failed = infos.get("_error") if self._marks_failures else None
        self._latest = self._normalized(self._all, observations, failed)
        return self._latest, rewards, terminated, truncated, infos

    def _normalized(
        self,
        rows: NDArray[np.intp],
        observations: NDArray[Any],
        failed: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.float32]:
        if self.update_running_mean:
            if failed is None:
                self._moments.update(rows, observations)
            else:  # the row of a failed environment is no observation
                self._moments.update(rows[~failed], observations[~failed])
        scale = np.sqrt(self._moments.var[rows] + np.asarray(self.epsilon, self.var.dtype))
        normalized = (observations - self._moments.mean[rows]) / scale
        return np.asarray(normalized, np.float32)

    def _like_final(
        self, given: NDArray[Any], rows: NDArray[np.intp], final: NDArray[np.float32]
    ) -> NDArray[Any]:
        """Returns an array of the form of `infos["final_obs"]`."""
        if given.dtype == object:
            objects: NDArray[Any] = given.copy()
            for row, value in zip(rows, final, strict=True):
                objects[row] = value
            return objects
        arrays = np.zeros(given.shape, np.float32)
        arrays[rows] = final
        return arrays


class NormalizeReward(_Normalize):
    """Divides each environment's rewards by the running deviation of its discounted return.

    The results equal those of `gymnasium.wrappers.NormalizeReward` around each environment.

    Attributes:
        gamma: the discount factor.
        mean, var, count: the statistics of the returns, float64 (num_envs,).
    """

    def __init__(self, env: VectorEnv, gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        """Wraps a vector environment.

        Args:
            env: the environments. No first-ready pool.
            gamma: the discount factor, in [0, 1].
            epsilon: is added to the variance.

        Raises:
            InputError, InputTypeError: an argument is not valid.
        """
        super().__init__(env, epsilon)
        if not 0 <= gamma <= 1:
            raise InputError(f"gamma: expected a number in [0, 1], got {gamma!r}")
        self.gamma = gamma
        self._moments = _Moments(self.num_envs, (), np.float64)
        self._returns = np.zeros(self.num_envs)
        self._ended = np.zeros(self.num_envs, np.bool_)  # whose next step only resets

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Resets environments. The discounted returns go on, as in Gymnasium."""
        rows = reset_rows(arguments, self.num_envs)
        observations, infos = self.env.reset(**arguments)
        self._ended[rows] = False
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Steps the environments, and normalizes their rewards."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        rows = np.flatnonzero(~self._ended)
        given = rewards[rows].astype(np.float64)
        returns = self._returns[rows] * self.gamma * (1 - terminated[rows]) + given
        self._returns[rows] = returns
        if self.update_running_mean:
            self._moments.update(rows, returns)
        normalized = rewards.astype(np.float64)
        normalized[rows] = given / np.sqrt(self._moments.var[rows] + self.epsilon)
        if self._mode is AutoresetMode.NEXT_STEP:
            self._ended = terminated | truncated
        return observations, normalized, terminated, truncated, infos
