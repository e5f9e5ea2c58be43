"""Tianshou: a pool as a `BaseVectorEnv`."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import (
    InputError,
    InputTypeError,
    MissingPackageError,
    NoAttributeError,
    suggestion,
)
from envpool_py.integrations.batches import ENGINE_INFOS, check_pool, info_rows
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.python_envs.hosting import MethodCall
from envpool_py.python_envs.pool import PythonEnvPool

try:
    from tianshou.env import BaseVectorEnv
except ImportError as error:
    raise MissingPackageError(
        "envpool_py.integrations.tianshou needs the package tianshou (`pip install tianshou`): "
        f"{error}"
    ) from error

Ids = int | Sequence[int] | NDArray[Any] | None
Step = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.object_]]


class PoolVectorEnv(BaseVectorEnv):
    """A pool for the collectors of Tianshou, which step and reset any of the environments.

        pool = envpool_py.make("CartPole-v1", num_envs=8, autoreset_mode="Disabled")
        collector = Collector(algorithm, PoolVectorEnv(pool), VectorReplayBuffer(20_000, 8))

    With equal seeds and actions, the results equal those of a `DummyVectorEnv` of Gymnasium's
    environments. Use a pool with `batch_size` below `num_envs` with Tianshou's `AsyncCollector`:
    `step` then returns the first `batch_size` environments that are ready, and `info["env_id"]` of
    each row names its environment.

    Attributes:
        pool: the pool, which `close` closes.
        env_num: number of environments.
        wait_num: rows that `step` returns when `is_async`.
        is_async: whether `step` returns the environments that are ready first.
        is_closed: whether `close` was called.
        observation_space, action_space: lists with the space of each environment.
    """

    def __init__(self, pool: GymnasiumPool) -> None:
        """Takes ownership of a pool made with `autoreset_mode="Disabled"`.

        Raises:
            InputError, InputTypeError: the pool is unsuitable, or is not a pool.
        """
        # The base class's __init__ would start a worker for each environment.
        self.pool = check_pool(pool, AutoresetMode.DISABLED, ordered=False)
        self.env_num = pool.num_envs
        self.wait_num = pool.batch_size
        self.timeout = None
        self.is_async = pool.is_async
        self.is_closed = False
        # AsyncCollector fetches the results of these environments before it resets all. Our `reset`
        # does not need this, so the list is always empty.
        self.waiting_id: list[int] = []
        # One object per environment, because each samples its own random actions.
        self._action_spaces = [copy.deepcopy(pool.single_action_space) for _ in range(self.env_num)]

    def __len__(self) -> int:
        return self.env_num

    def step(self, action: NDArray[Any] | None, id: Ids = None) -> Step:  # noqa: A002
        """Steps some environments.

        Args:
            action: one row per environment; None (only when `is_async`): no new step.
            id: the environments, in the order of the rows. None: all of them.

        Returns:
            Observations, rewards float64 (n,), both flags bool (n,), and infos, an array of n
            dictionaries with "env_id" in each. The rows are those of `id`, or when `is_async` the
            `wait_num` that are ready first.

        Raises:
            InputError, InputTypeError, EnvIdError, ResetNeededError, NothingInFlightError,
            EnvironmentFailedError, ClosedError: as the pool's `step` raises them.
        """
        if action is None:
            if not self.is_async:
                raise InputError("action: expected a row per environment, got None")
            results = self.pool.recv()
        else:
            results = self.pool.step(np.asarray(action), None if id is None else self._wrap_id(id))
        observations, rewards, terminated, truncated, infos = results
        rows = info_rows(infos, len(rewards), ENGINE_INFOS)
        for row, env_id in zip(rows, infos["env_id"].tolist(), strict=True):
            row["env_id"] = env_id
        return observations, rewards, terminated, truncated, _array_of(rows)

    def reset(self, env_id: Ids = None, **kwargs: Any) -> tuple[Any, NDArray[np.object_]]:
        """Starts a new episode in some environments, which must not be in flight.

        Args:
            env_id: the environments. None: all of them; those in flight are awaited and their
                results discarded.
            **kwargs: arguments of an environment's `reset`: "seed", an int in [0, 2**64 - 1] for
                all these environments (as Tianshou defines it), and "options".

        Returns:
            Observations, and infos, an array of dictionaries, both with a row per environment.

        Raises:
            InputTypeError: another keyword argument.
            InputError, EnvIdError, OptionError, EnvironmentFailedError, ClosedError: as the pool's
                `reset` raises them.
        """
        unknown = set(kwargs) - {"seed", "options"}
        if unknown:
            raise InputTypeError(
                f"reset: expected no keyword arguments but seed and options, got {sorted(unknown)}"
            )
        if env_id is None and self.is_async:
            self.pool.drain()
        ids = self._wrap_id(env_id)
        seed = kwargs.get("seed")
        observations, infos = self.pool.reset(
            ids, seed=None if seed is None else [seed] * len(ids), options=kwargs.get("options")
        )
        return observations, _array_of(info_rows(infos, len(ids), ENGINE_INFOS))

    def seed(self, seed: int | Sequence[int] | None = None) -> list[list[int] | None]:
        """Seeds all environments by a reset, and seeds their action spaces.

        Environments in flight are awaited and their results discarded.

        Args:
            seed: an int in [0, 2**64 - num_envs] (environment i gets `seed + i`), or a list with
                one int per environment. None: no seed is set.

        Returns:
            For each environment a list with its seed, or None.
        """
        seeds: list[int | None]
        if seed is None:
            seeds = [None] * self.env_num
        elif isinstance(seed, Sequence):
            seeds = list(seed)
        else:
            seeds = [seed + index for index in range(self.env_num)]
        if self.is_async:
            self.pool.drain()
        self.pool.reset(seed=seeds)
        for space, each in zip(self._action_spaces, seeds, strict=True):
            space.seed(each)
        return [None if each is None else [each] for each in seeds]

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:  # noqa: A002
        """Returns an attribute of some environments.

        For tasks of the engine, available are "observation_space", "action_space", "metadata",
        "spec" and "render_mode".

        Raises:
            AttributeError: there is no such attribute. For tasks of the engine, the error is a
                NoAttributeError, which derives from AttributeError.
        """
        pool = self.pool
        if isinstance(pool, PythonEnvPool) and key != "action_space":
            return list(pool.call_some(MethodCall(key), self._wrap_id(id)))
        values = {
            "observation_space": pool.single_observation_space,
            "metadata": pool.metadata,
            "spec": pool.spec,
            "render_mode": pool.render_mode,
        }
        if key == "action_space":
            return [self._action_spaces[index] for index in self._wrap_id(id)]
        if key not in values:
            names = sorted([*values, "action_space"])
            raise NoAttributeError(
                f"key: expected one of {', '.join(names)}, got {key!r}{suggestion(key, names)}"
            )
        return [values[key] for _ in self._wrap_id(id)]

    def set_env_attr(self, key: str, value: Any, id: Ids = None) -> None:  # noqa: A002
        """Sets an attribute of some environments to `value`.

        Raises:
            NoAttributeError: environments in the engine have no attributes to set.
        """
        if isinstance(self.pool, PythonEnvPool):
            call = MethodCall(key, values=[value] * self.env_num)
            self.pool.call_some(call, self._wrap_id(id))
            return
        raise NoAttributeError(
            f"set_env_attr: expected no call, got {key!r} = {value!r}: environments in the "
            "engine have no attributes that can be set; give options to envpool_py.make"
        )

    def render(self, **kwargs: Any) -> list[NDArray[np.uint8]]:
        """Returns a picture per environment, uint8 (height, width, 3).

        Raises:
            InputTypeError: arguments were given.
            RenderModeError, EnvIdError, ClosedError: as the pool's `render` raises them.
        """
        if kwargs:
            raise InputTypeError(f"render: expected no arguments, got {kwargs!r}")
        return list(self.pool.render())

    def close(self) -> None:
        """Closes the pool; a second call does nothing."""
        self.pool.close()
        self.is_closed = True

    def _wrap_id(self, id: Ids = None) -> Sequence[int] | NDArray[Any]:  # noqa: A002
        if id is None:
            return range(self.env_num)
        return [int(id)] if isinstance(id, (int, np.integer)) else id


def _array_of(rows: list[dict[str, Any]]) -> NDArray[np.object_]:
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array
