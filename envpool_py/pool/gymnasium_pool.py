"""The Gymnasium API: a pool that is a `gymnasium.vector.VectorEnv`."""

from __future__ import annotations

import copy
import functools
import operator
import threading
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from envpool_py.errors import InputError, NoAttributeError
from envpool_py.pool import env_attributes, spaces
from envpool_py.pool.arguments import PoolArguments, Seed, render_modes
from envpool_py.pool.base import EnvIds, PoolBase, split_reset_options
from envpool_py.pool.plain import to_plain
from envpool_py.pool.task import ResolvedTask

__all__ = ["GymnasiumPool", "StepResult"]

_NO_GENERATOR = (
    "np_random: the environments draw from generators in the engine, which Python cannot use; "
    "reset(seed=...) seeds them, and np_random_seed has the seeds"
)

# Held by a thread that may be the first to seed a pool. A signal handler may seed it, too.
_first_seeds = threading.RLock()

StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class GymnasiumPool(PoolBase, VectorEnv[Any, Any, NDArray[Any]]):
    """Many environments of one task, stepped together in C++.

    Made by `envpool_py.make` or `gymnasium.make_vec`. Every array it returns is new, writable,
    C-contiguous, aligned to 64 bytes and belongs to the caller.

    Results are `(observations, rewards, terminations, truncations, infos)` with n rows:

        observations: arrays (n, ...) in the tree of `single_observation_space`.
        rewards: float64 (n,).
        terminations, truncations: bool (n,).
        infos: a dict. Each entry has a mask, bool (n,), under "_" + its name: True in the rows that
            have the entry. "env_id" and "elapsed_step" (steps since the episode began) are int32
            (n,); the task's own infos follow. In SameStep mode, if an episode of the batch ended:
            "final_obs", in the layout of the observations (zeros where its mask is False: no
            episode ended, or the task does not observe its end), and "final_info". With
            `record_episode_statistics`, if an episode of the batch ended: "episode"; in SameStep
            mode, "final_info" has it as well.

    Tasks with several players: observations and rewards have a row for each player; flags have one
        for each environment. `infos["players"]` holds for each player row "env_id" and "id" (int32
        (rows,)), its own "terminated" and "truncated" (bool (rows,)), and the infos of players. If
        players have names, it also holds "name" (str (rows,); an array that batches may share, so
        it is read-only).
        Actions have one row for each player row of the latest result. `observation_space` and
        `action_space` describe the largest number of rows, `num_envs * num_players`.

    Rows: `reset` returns `num_envs` rows, where row i is environment i; with `env_id`, it returns a
        row per id in the order of the ids. `step` does the same in ordered mode (`batch_size ==
        num_envs`). `recv`, and `step` in first-ready mode, return the first `batch_size` rows that
        are ready, and `infos["env_id"]` names their environments.

    Attributes:
        observation_space, action_space: the spaces of `num_envs * num_players` rows.
        single_observation_space, single_action_space: the spaces of one environment.
        spec: `gymnasium.make_vec(pool.spec)` makes an equal pool. Its keywords are plain data, so
            `spec.to_json()` works. None for a pool of several tasks: a spec has one id.
        metadata: holds "autoreset_mode", "render_modes" and, if the task renders, "render_fps" (the
            frame rate of a video in real time).
    """

    # True until __init__ has finished, because some versions of Gymnasium close partly constructed
    # environments.
    closed = True

    def __init__(self, task: ResolvedTask, arguments: PoolArguments) -> None:
        PoolBase.__init__(self, task, arguments, "gymnasium")
        task = self._task
        self._seeds: list[int] | None = None  # one per environment; None before the first seed
        self._note_seeds(arguments.seed)
        metadata: dict[str, Any] = {"render_modes": render_modes(task.description)[:1]}
        if task.description["render"] is not None:
            metadata["render_fps"] = task.description["render"]["fps"]
        self._present(
            spaces.gymnasium_space(task.description["observation"]),
            spaces.gymnasium_space(task.description["action"]),
            metadata,
            self._make_spec(),
        )

    def _present(
        self,
        single_observation_space: gymnasium.Space[Any],
        single_action_space: gymnasium.Space[Any],
        metadata: Mapping[str, Any],
        spec: EnvSpec | None,
    ) -> None:
        """Sets the attributes of a `VectorEnv`; called when the engine's pool is made."""
        self.closed = False
        self.metadata = {**metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = single_observation_space
        self.single_action_space = single_action_space
        self.action_space = batch_space(single_action_space, self._most_rows)
        self._spec = spec

    def _make_spec(self) -> EnvSpec | None:
        """Returns the spec from which `gymnasium.make_vec` makes an equal pool."""
        if self._task.spec is None:
            return None
        spec = copy.copy(self._task.spec)
        spec.max_episode_steps = self._arguments.step_limit
        spec.kwargs = {
            **self._arguments.plain_form(),
            **self._task.keywords(),
            "vectorization_mode": "vector_entry_point",
            **self._task.options,
        }
        return spec

    @property
    def spec(self) -> EnvSpec | None:
        """The spec from which `gymnasium.make_vec` makes an equal pool."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        # `make_vec` assigns a spec with the original keywords, which may not be valid in JSON.
        self._spec = copy.copy(spec)
        if self._spec is not None:
            self._spec.kwargs = to_plain(self._spec.kwargs)

    @functools.cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]  # it can be set
        """The space of `num_envs * num_players` rows, made when it is first read.

        It contains four arrays of that shape. For a thousand Atari games, they take more memory and
        more time to make than the games.
        """
        return batch_space(self.single_observation_space, self._most_rows)

    @property
    def _most_rows(self) -> int:
        """The largest number of rows of observations and actions."""
        return self.num_envs * self.num_players

    def step(self, actions: Any, env_id: EnvIds = None) -> StepResult:
        """Steps environments and waits for them; in first-ready mode, `send` followed by `recv`.

        Args:
            actions: one row per environment, as in the action space; for a dict or tuple space, one
                array per part.
            env_id: distinct ids of the environments, integers (n,), in the order of the rows; none
                may be in flight. None: all of them.

        Returns:
            Observations, rewards, terminations, truncations, infos; see the class.

        Raises:
            NothingInFlightError: (first-ready mode) too few environments would be in flight for a
                batch.
            BatchMemoryError: `max_live_batches` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, ResetNeededError, EnvironmentFailedError,
            ClosedError, ForkedError.
        """
        step = self._step  # CPython 3.11 caches this access, but not that of `self._step(...)`
        return step(actions, env_id)

    def recv(self, timeout: float | None = None) -> StepResult:
        """Waits for the next `batch_size` results of `send` and `async_reset`.

        Args:
            timeout: seconds, at least 0; None: no limit.

        Returns:
            Observations, rewards, terminations, truncations, infos; see the class.

        Raises:
            NothingInFlightError: fewer than `batch_size` environments are in flight.
            RecvTimeoutError, InputError, InputTypeError, EnvironmentFailedError, ClosedError,
            ForkedError.
        """
        return self._core.recv(timeout)

    def reset(
        self,
        env_id: EnvIds = None,
        *,
        seed: Seed = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new episode in some environments, which must not be in flight.

        Args:
            env_id: ids of the environments, integers (n,). None: all of them.
            seed: None: the environments' generators continue. An int in [0, 2**64 - num_envs]:
                environment i gets `seed + i`. A list: an int in [0, 2**64 - 1], or None, for each
                environment to be reset.
            options: the task's reset options, and "reset_mask", bool (num_envs,): only the
                environments where it is True are reset, at least one, and all `num_envs` rows are
                returned. It cannot be combined with `env_id`. Also "env_options", constructor
                options that the environments have from this reset on; see `set_env_options`.

        Returns:
            Observations, infos; see the class.

        Raises:
            ResetNeededError: "reset_mask" omits an environment that was never reset or has failed.
            BatchMemoryError: `max_live_batches` blocks of batch memory are in use.
            InputError, InputTypeError, EnvIdError, OptionError, OptionTypeError,
            EnvironmentFailedError, ClosedError, ForkedError.
        """
        mask = None
        if options is not None:
            options, mask = split_reset_options(options, env_id, self.num_envs)
        try:
            result = self._core.reset(env_id, seed, mask, options)
        except InputError as error:
            if isinstance(env_id, (int, np.integer)):
                error.args = (f"{error} (reset(seed={env_id}) seeds)", *error.args[1:])
            raise
        self._note_seeds(seed, env_id, mask)
        return result

    def async_reset(self, env_id: EnvIds = None, seed: Seed = None) -> None:
        """Starts a reset of some environments; see `PoolBase.async_reset`."""
        super().async_reset(env_id, seed)
        self._note_seeds(seed, env_id)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as SyncVectorEnv
        """The latest seed of each environment; -1 where its generator was seeded by the system."""
        return tuple(self._seeds or [-1] * self.num_envs)

    @property  # type: ignore[misc]  # Gymnasium's can be set
    def np_random(self) -> Any:
        """Not available: environments draw from generators in the engine.

        Raises:
            NoAttributeError: always.
        """
        raise NoAttributeError(_NO_GENERATOR)

    def _note_seeds(
        self, seed: Seed, env_id: EnvIds = None, mask: NDArray[np.bool_] | None = None
    ) -> None:
        """Stores the seeds that the engine has accepted."""
        if seed is None:
            return
        with _first_seeds:
            if self._seeds is None:
                self._seeds = [-1] * self.num_envs
            seeds = self._seeds
        ids = range(self.num_envs) if env_id is None else np.asarray(env_id).tolist()
        given = None if np.ndim(seed) == 0 else to_plain(seed)  # type: ignore[arg-type]
        for item, env in enumerate(ids):
            if mask is not None and not mask[env]:
                continue
            if given is None:
                seeds[env] = operator.index(seed) + env  # type: ignore[arg-type]
            elif given[item] is not None:
                seeds[env] = given[item]

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute of each environment, as `SyncVectorEnv.get_attr` does.

        Args:
            name: an attribute that `set_attr` takes, an option of the task ("stack_num"),
                "np_random_seed", "render_mode", "observation_space", "action_space" or "metadata".
                For a method that `call` takes, functions are returned, as they were at this moment.

        Returns:
            A value per environment: a float, an int, a bool, a str or a tuple of floats for what
            `set_attr` takes.

        Raises:
            NoAttributeError: any other name. The environments are not Python objects.
            EnvIdError: `set_attr` takes the name, and environments are in flight.
            ClosedError, ForkedError.
        """
        return env_attributes.get(self, name)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of each environment, as `SyncVectorEnv.call` does.

        Args:
            name: "render", "get_action_meanings" (Atari), "compute_reward", "compute_terminated" or
                "compute_truncated" (Gymnasium-Robotics), or what `get_attr` takes.
            *args: the arguments of the method. The methods of Gymnasium-Robotics take an achieved
                goal, a desired goal and an info, or batches of goals. Others take none.
            **kwargs: arguments by name.

        Returns:
            A result per environment. Environments with equal settings share one object.

        Raises:
            NoAttributeError: any other name.
            InputError: the method does not take these arguments.
            EnvIdError: the environments have attributes, on which its result may depend, and some
                are in flight.
        """
        return env_attributes.call(self, name, args, kwargs)

    def set_attr(self, name: str, values: Any) -> None:
        """Changes an attribute of each environment, as `SyncVectorEnv.set_attr` does.

        The attributes are those of Gymnasium's environments that are numbers, bools or texts and
        have an effect after the constructor, such as "gravity" and "length" of CartPole. A change
        has the effect that it has there, at the same moment: most of them in the next step. A value
        stays through resets and failures, is part of saved states, and ends with the reset that
        gives the environment options (`set_env_options`). Numbers count as Python's, whatever their
        type in NumPy.

        Args:
            name: name of the attribute.
            values: a list or tuple with a value per environment, or one value for all.

        Raises:
            NoAttributeError: there is none of that name, or it cannot be changed; the message says
                what to use instead.
            InputError: a list or tuple of another length, NaN, or a value that the attribute cannot
                have. No environment has changed.
            InputTypeError: a value of another type. No environment has changed.
            EnvIdError: environments are in flight.
            ClosedError, ForkedError.
        """
        env_attributes.assign(self, name, values)

    def close(self, timeout: float | None = None, **kwargs: Any) -> None:
        """Closes the pool; see `PoolBase.close`. Gymnasium's other arguments are ignored."""
        if not hasattr(self, "_core"):  # __init__ failed
            return
        # VectorEnv.close does nothing the second time; PoolBase.close waits again.
        self.closed = True
        PoolBase.close(self, timeout)

    def close_extras(self, **kwargs: Any) -> None:
        """Closes the engine's pool; Gymnasium's hook for `close`."""
        self._core.close()

    def __reduce__(self) -> tuple[Any, ...]:
        # The copy keeps the spec, because its id may be one that another module has registered.
        return *super().__reduce__(), {"_spec": self._spec}
