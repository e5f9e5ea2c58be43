"""The options of MetaWorld's benchmarks that the reference builds as wrappers of each environment.

Pools are wrapped as a whole; the numbers are those of wrappers around each environment. The
functions may be called from any thread, the wrappers by one thread at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool_py.errors import OptionError
from envpool_py.integrations.batches import reset_rows
from envpool_py.integrations.normalizing import NormalizeObservation, NormalizeReward
from envpool_py.pool.checks import choice, flag
from envpool_py.rollout.sources import source_of

if TYPE_CHECKING:
    from typing_extensions import Self

    from envpool_py.pool.gymnasium_pool import GymnasiumPool

__all__ = ["Wrapping", "refuse", "take_wrapping", "wrapped"]

_ALPHA = 0.001  # the reference's default
_METHODS = ("gymnasium", "exponential")


class Wrapping(NamedTuple):
    """What is to be done with the results of a pool.

    Attributes:
        normalizes_observations: whether observations are normalized.
        normalizes_rewards: whether rewards are normalized as Gymnasium does. The engine does the
            reference's exponential normalization.
        has_recurrent_info: whether observations end with the action, the reward and the end.
        reward_unit: by which the reward in observations is divided.
    """

    normalizes_observations: bool
    normalizes_rewards: bool
    has_recurrent_info: bool
    reward_unit: float

    @property
    def is_needed(self) -> bool:
        """Whether a pool must be wrapped."""
        return any(self[:3])


def take_wrapping(options: dict[str, Any]) -> Wrapping:
    """Removes the reference's options from `options`, to which the engine's may be added.

    Raises:
        InputError, InputTypeError: a value is not valid.
        OptionError: an option has no effect without another one.
    """
    method = options.pop("reward_normalization_method", None)
    if method is not None:
        choice("reward_normalization_method", method, _METHODS)
    alpha = options.pop("reward_alpha", _ALPHA)
    if method == "exponential":
        if alpha == 0:
            raise OptionError("reward_alpha: expected a number in (0, 1], got 0")
        options["reward_alpha"] = alpha
    elif alpha != _ALPHA:
        raise OptionError(
            'reward_alpha: expected nothing, because only reward_normalization_method="exponential"'
            f" uses it, got {alpha!r}"
        )
    is_recurrent = flag("recurrent_info_in_obs", options.pop("recurrent_info_in_obs", False))
    has_unit = flag(
        "normalize_reward_in_recurrent_info",
        options.pop("normalize_reward_in_recurrent_info", True),
    )
    if not has_unit and not is_recurrent:
        raise OptionError(
            "normalize_reward_in_recurrent_info: expected nothing, because only "
            "recurrent_info_in_obs=True uses it, got False"
        )
    return Wrapping(
        normalizes_observations=flag(
            "normalize_observations", options.pop("normalize_observations", False)
        ),
        normalizes_rewards=method == "gymnasium",
        has_recurrent_info=is_recurrent,
        reward_unit=10.0 if has_unit else 1.0,
    )


def refuse(options: dict[str, Any], names: dict[str, str]) -> None:
    """Removes options that must not be set, given with the reason each.

    Raises:
        OptionError: one is set.
    """
    for name, reason in names.items():
        value = options.pop(name, None)
        if value:
            raise OptionError(f"{name}: expected nothing, because {reason}, got {value!r}")


def wrapped(
    pool: GymnasiumPool, wrapping: Wrapping, one_hot: NDArray[np.float64] | None
) -> VectorEnv[Any, Any, Any]:
    """Returns a pool in the wrappers that it needs.

    Args:
        pool: the pool, whose observations have no one-hot vector.
        wrapping: the options; `is_needed` is True.
        one_hot: what follows an observation of each environment, float64 (num_envs, n), or None.
    """
    envs: VectorEnv[Any, Any, Any] = pool
    if one_hot is not None or wrapping.has_recurrent_info:
        dtype = np.float64 if wrapping.normalizes_observations else np.float32
        envs = _AppendInfo(pool, wrapping, one_hot, dtype)
    if wrapping.normalizes_rewards:
        envs = NormalizeReward(envs)
    if wrapping.normalizes_observations:
        envs = NormalizeObservation(envs)
    return _Benchmark(envs, counts_returns=wrapping.normalizes_rewards)


class _AppendInfo(VectorWrapper):
    """Observations that end with a fixed vector, and with the action, the reward and the end.

    As in the reference, all numbers are float64 until the end of the wrappers; the space is that of
    float32.
    """

    def __init__(
        self,
        pool: GymnasiumPool,
        wrapping: Wrapping,
        one_hot: NDArray[np.float64] | None,
        dtype: Any,
    ) -> None:
        self._mode = source_of(pool).mode  # refuses pools that return other rows
        super().__init__(pool)
        self._wrapping = wrapping
        self._dtype = dtype
        self._fixed = np.zeros((pool.num_envs, 0)) if one_hot is None else one_hot
        self._actions = pool.single_action_space.shape[0]  # type: ignore[index]
        self._ended = np.zeros(pool.num_envs, np.bool_)  # whose next step only resets
        width = self._actions + 2 if wrapping.has_recurrent_info else 0
        self._none = np.zeros((pool.num_envs, width))
        size = pool.single_observation_space.shape[0] + self._fixed.shape[1] + width  # type: ignore[index]
        self.single_observation_space = Box(-np.inf, np.inf, (size,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, pool.num_envs)
        self._latest = np.zeros((pool.num_envs, size), dtype)

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Resets environments, whose observations end with zeros."""
        rows = reset_rows(arguments, self.num_envs)
        observations, infos = self.env.reset(**arguments)
        latest = self._latest.copy()
        latest[rows] = self._joined(observations, self._none)[rows]
        self._ended[rows] = False
        self._latest = latest
        return latest, infos

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Steps the environments."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        ended = terminated | truncated
        added = self._none
        if self._wrapping.has_recurrent_info:
            given = np.asarray(actions, np.float64).reshape(self.num_envs, self._actions)
            raw = self._unscaled(infos, ended) / self._wrapping.reward_unit
            added = np.column_stack([given, raw, ended])
            added[self._ended] = 0.0
        if "final_obs" in infos:  # not if all that have ended have failed
            final = self._joined(infos["final_obs"], added)
            final[~infos["_final_obs"]] = 0.0
            infos = {**infos, "final_obs": final}
        if self._mode is AutoresetMode.SAME_STEP:
            added = np.where(ended[:, None], self._none, added)
        if self._mode is AutoresetMode.NEXT_STEP:
            self._ended = ended
        self._latest = self._joined(observations, added)
        return self._latest, rewards, terminated, truncated, infos

    def _unscaled(self, infos: dict[str, Any], ended: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns the rewards before any normalization."""
        none = np.zeros(self.num_envs)
        rewards: NDArray[np.float64] = infos.get("unscaled_reward", none)
        if "final_info" not in infos:
            return rewards
        final: NDArray[np.float64] = infos["final_info"].get("unscaled_reward", none)
        return np.where(ended, final, rewards)

    def _joined(self, observations: NDArray[Any], added: NDArray[np.float64]) -> NDArray[Any]:
        return np.concatenate([observations, self._fixed, added], axis=1).astype(self._dtype)


class _Benchmark(VectorWrapper):
    """The outermost wrapper: has a pool's methods for attributes, and returns of what is returned.

    As in the reference, statistics of episodes count the rewards that the program gets.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any], *, counts_returns: bool) -> None:
        super().__init__(envs)
        self._counts = counts_returns
        self._returns = np.zeros(self.num_envs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute of each environment; see `GymnasiumPool.get_attr`."""
        return self._pool.get_attr(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Changes an attribute of each environment; see `GymnasiumPool.set_attr`."""
        self._pool.set_attr(name, values)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of each environment; see `GymnasiumPool.call`."""
        return self._pool.call(name, *args, **kwargs)

    @property
    def _pool(self) -> GymnasiumPool:
        pool: GymnasiumPool = self.unwrapped  # type: ignore[assignment]
        return pool

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Resets environments."""
        results = self.env.reset(**arguments)
        mask = (arguments.get("options") or {}).get("reset_mask")
        self._returns[slice(None) if mask is None else mask] = 0.0
        return results

    def step(self, actions: Any) -> tuple[Any, ...]:
        """Steps the environments."""
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        if self._counts:
            self._returns += rewards
            ended = terminated | truncated
            if "episode" in infos:
                self._replace(infos, infos["_episode"])
                if "episode" in infos.get("final_info", ()):
                    self._replace(infos["final_info"], infos["_episode"])
            self._returns[ended] = 0.0
        return observations, rewards, terminated, truncated, infos

    def _replace(self, infos: dict[str, Any], rows: NDArray[np.bool_]) -> None:
        infos["episode"]["r"][rows] = self._returns[rows]
