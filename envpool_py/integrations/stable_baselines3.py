"""Stable-Baselines3: a pool as a `VecEnv`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError, MissingPackageError, NoAttributeError, suggestion
from envpool_py.integrations.batches import ENGINE_INFOS, check_pool, info_rows
from envpool_py.pool import env_attributes
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.trees import copied_row, map_trees
from envpool_py.python_envs.hosting import MethodCall, class_names
from envpool_py.python_envs.pool import PythonEnvPool
from envpool_py.rollout.sources import marks_failures

__all__ = ["PoolVecEnv"]

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise MissingPackageError(
        "envpool_py.integrations.stable_baselines3 needs the package stable-baselines3 "
        f"(`pip install stable-baselines3`): {error}"
    ) from error

Indices = int | Iterable[int] | None

# Infos of the engine, and infos that have another name in Stable-Baselines3.
_LEAVE_OUT = ENGINE_INFOS | {"final_obs", "final_info", "episode"}


def _groups_of_equal(options: Sequence[dict[str, Any]]) -> list[list[int]]:
    """Returns the indices of equal options, in groups."""
    groups: list[list[int]] = []
    for index, each in enumerate(options):
        for group in groups:
            if _equal(options[group[0]], each):
                group.append(index)
                break
        else:
            groups.append([index])
    return groups


def _equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    try:
        return one is other or one == other
    except ValueError:  # arrays, which are compared element by element
        return False


class PoolVecEnv(VecEnv):
    """A pool for the algorithms and the wrappers of Stable-Baselines3.

        pool = envpool_py.make("CartPole-v1", num_envs=8, autoreset_mode="SameStep")
        model = PPO("MlpPolicy", PoolVecEnv(pool))

    With equal seeds and actions, the results equal those of a `DummyVecEnv` of Gymnasium's
    environments. Results are `(observations, rewards, dones, infos)`: observations as the pool's,
    rewards float32 (num_envs,), dones bool (num_envs,), infos a list of `num_envs` dicts. When an
    episode ends, the environment is reset in the same step. Its info is then that of the episode's
    last step, with "terminal_observation", and the info of the reset is in `reset_infos`.
    "TimeLimit.truncated" is True if the episode was truncated and not terminated.

    If the pool was made with `record_episode_statistics=True`, the info of an episode's last step
    holds "episode" like Stable-Baselines3's `Monitor`: "r" (float, return), "l" (int, steps) and
    "t" (float, seconds since the episode's reset; Monitor counts from its own construction). The
    library then treats the environments as monitored.

    Pools of `make_python` give access to attributes and methods of environments, like
    `SubprocVecEnv`. If environments are in worker processes, `get_attr` and `env_method` return
    copies.

    Attributes:
        pool: the pool, which `close` closes.
        observation_space, action_space: the spaces of one environment, as in Stable-Baselines3.
        reset_infos: infos of the latest reset of each environment.
    """

    def __init__(self, pool: GymnasiumPool) -> None:
        """Takes ownership of an ordered pool made with `autoreset_mode="SameStep"`.

        Raises:
            InputError, InputTypeError: the pool is unsuitable, or is not a pool.
        """
        self.pool = check_pool(pool, AutoresetMode.SAME_STEP, ordered=True)
        self._actions: NDArray[Any] | None = None
        super().__init__(pool.num_envs, pool.single_observation_space, pool.single_action_space)

    def reset(self) -> Any:
        """Resets all environments, with the seeds from `seed` and the options from `set_options`.

        Environments with equal options are reset together, those with other options one group after
        the other.

        Returns:
            Observations.

        Raises:
            InputError: `set_options` got another number of options than there are environments.
        """
        if len(self._options) != self.num_envs:
            raise InputError(
                f"options: expected a dict, or a list with one for each of {self.num_envs} "
                f"environments, got {len(self._options)}"
            )
        seeds = None if all(seed is None for seed in self._seeds) else list(self._seeds)
        groups = _groups_of_equal(self._options)
        if len(groups) == 1:
            options = self._options[0] or None
            observations, infos = self.pool.reset(seed=seeds, options=options)
            self.reset_infos = info_rows(infos, self.num_envs, ENGINE_INFOS)
        else:
            parts = []
            for ids in groups:
                own_seeds = None if seeds is None else [seeds[index] for index in ids]
                options = self._options[ids[0]] or None
                part, infos = self.pool.reset(ids, seed=own_seeds, options=options)
                parts.append(part)
                for index, info in zip(ids, info_rows(infos, len(ids), ENGINE_INFOS), strict=True):
                    self.reset_infos[index] = info
            order = np.argsort(np.concatenate(groups))
            observations = map_trees(lambda *leaves: np.concatenate(leaves)[order], *parts)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Stores the actions of a step, one row per environment; `step_wait` steps."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Steps all environments; see the class.

        Raises:
            InputError: `step_async` was not called before.
            InputError, InputTypeError, ResetNeededError, EnvironmentFailedError, ClosedError: as
                the pool's `step` raises them.
        """
        if self._actions is None:
            raise InputError("step_wait: call step_async first")
        actions, self._actions = self._actions, None
        observations, rewards, terminated, truncated, infos = self.pool.step(actions)
        dones = terminated | truncated
        cut_off = truncated & ~terminated
        if "_error" in infos and marks_failures(self.pool):
            cut_off &= ~infos["_error"]  # there is no observation to learn a value from
        rows = info_rows(infos, self.num_envs, _LEAVE_OUT)
        if dones.any():
            self._end_episodes(np.flatnonzero(dones).tolist(), infos, rows)
        for info, was_cut_off in zip(rows, cut_off.tolist(), strict=True):
            info["TimeLimit.truncated"] = was_cut_off
        return observations, rewards.astype(np.float32), dones, rows

    def _end_episodes(
        self, ended: list[int], infos: dict[str, Any], rows: list[dict[str, Any]]
    ) -> None:
        """Puts the infos of ended episodes into `rows`, and stores those of their resets."""
        final = info_rows(infos.get("final_info", {}), self.num_envs, ENGINE_INFOS)
        has_final = infos.get("_final_info", np.zeros(self.num_envs, np.bool_))
        for index in ended:
            if not has_final[index]:  # it has failed, and is reset in the next step
                continue
            self.reset_infos[index] = rows[index]
            rows[index] = final[index]
            if infos["_final_obs"][index]:
                rows[index]["terminal_observation"] = copied_row(infos["final_obs"], index)
        if "episode" in infos:
            episode = infos["episode"]
            for index in np.flatnonzero(infos["_episode"]).tolist():
                # Types and rounding are those of Monitor.
                rows[index]["episode"] = {
                    "r": round(float(episode["r"][index]), 6),
                    "l": int(episode["l"][index]),
                    "t": float(episode["t"][index]),
                }

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Returns an attribute of each environment.

        For tasks of the engine, available are those that `set_attr` takes, "observation_space",
        "action_space" (of one environment), "render_mode", "spec", "metadata" and the task's
        options (`make_spec` describes them).

        Raises:
            AttributeError: there is no such attribute. For tasks of the engine, the error is a
                NoAttributeError, which derives from AttributeError.
        """
        if isinstance(self.pool, PythonEnvPool):
            return list(self.pool.call_some(MethodCall(attr_name), self._ids(indices)))
        own = [*env_attributes.names(self.pool), *self._option_names()]
        if attr_name in own:
            every = self.pool.get_attr(attr_name)
            return [every[env] for env in self._get_indices(indices)]
        values = {
            "observation_space": self.pool.single_observation_space,
            "action_space": self.pool.single_action_space,
            "render_mode": self.pool.render_mode,
            "spec": self.pool.spec,
            "metadata": self.pool.metadata,
        }
        found = None if attr_name in values else env_attributes.bound_methods(self.pool, attr_name)
        if found is not None:
            return [found[env] for env in self._get_indices(indices)]
        if attr_name not in values:
            known = [*values, *own]
            raise NoAttributeError(
                f"attr_name: expected one of {', '.join(sorted({*known}))}, got {attr_name!r}"
                f"{suggestion(attr_name, known)}"
            )
        return [values[attr_name] for _ in self._get_indices(indices)]

    def _option_names(self) -> list[str]:
        return [option["name"] for option in self.pool.task.description["options"]]

    def _ids(self, indices: Indices) -> list[int]:
        return list(self._get_indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Sets an attribute of each environment to `value`.

        Raises:
            NoAttributeError, InputError, InputTypeError: as `set_attr` of the pool.
        """
        ids = self._ids(indices)
        if isinstance(self.pool, PythonEnvPool):
            self.pool.call_some(MethodCall(attr_name, values=[value] * self.num_envs), ids)
        else:
            env_attributes.assign(self.pool, attr_name, [value] * len(ids), ids)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls a method of some environments.

        Tasks of the engine have "render" and what `GymnasiumPool.call` calls, such as
        "compute_reward" of Gymnasium-Robotics, which `HerReplayBuffer` needs.

        Raises:
            NoAttributeError: another method.
            InputError: the method does not take these arguments.
            RenderModeError: the pool was made without `render_mode="rgb_array"`.
            The exception of the first environment in Python whose method raises one.
        """
        if isinstance(self.pool, PythonEnvPool):
            call = MethodCall(method_name, method_args, method_kwargs)
            return list(self.pool.call_some(call, self._ids(indices)))
        own = env_attributes.methods(self.pool, method_name)
        if own is not None:
            some = [own[env] for env in self._get_indices(indices)]
            return list(env_attributes.call_methods(some, method_name, method_args, method_kwargs))
        if method_name != "render" or method_args or method_kwargs:
            raise NoAttributeError(
                "method_name: environments of this task in the engine have only 'render', without "
                f"arguments, got {method_name!r} with {method_args} {method_kwargs}"
            )
        return list(self.pool.render(self._ids(indices)))

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Returns for each environment whether it is wrapped.

        A pool that records episode statistics counts as wrapped in a `Monitor`. Environments in
        Python may have any wrapper; those in the engine have none.
        """
        ids = self._ids(indices)
        if not isinstance(self.pool, PythonEnvPool):
            monitored = self.pool.arguments.record_episode_statistics
            return [monitored and issubclass(wrapper_class, Monitor)] * len(ids)
        if self.pool.records_episode_statistics and issubclass(wrapper_class, Monitor):
            return [True] * len(ids)
        # Compares names, because sending the class would import its module in every worker.
        name = f"{wrapper_class.__module__}.{wrapper_class.__qualname__}"
        found = self.pool.call_some(MethodCall("", function=class_names), ids)
        return [name in names for names in found]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns a picture per environment, uint8 (height, width, 3), or None without pictures."""
        if self.render_mode is None:
            return [None] * self.num_envs
        return list(self.pool.render())

    def close(self) -> None:
        """Closes the pool."""
        self.pool.close()
