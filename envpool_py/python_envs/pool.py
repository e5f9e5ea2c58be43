"""The pool of environments written in Python."""

from __future__ import annotations

import contextlib
import functools
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector.utils import batch_space

from envpool_py.errors import InputError, InputTypeError, OptionError, SpaceMismatchError
from envpool_py.pool.arguments import EnvType, PoolArguments
from envpool_py.pool.base import LIMIT_AFTER_ERROR, EnvIds, PoolBase
from envpool_py.pool.core import Capabilities, PythonCore
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.task import ResolvedTask
from envpool_py.python_envs import pickling
from envpool_py.python_envs.hosting import OTHER_SPACES, EnvFn, LocalHosting, MethodCall
from envpool_py.python_envs.returned import unexpected
from envpool_py.python_envs.space_trees import batch_of, has_objects, tree_of, union
from envpool_py.python_envs.states import StagedStates, restore_state, save_state

if TYPE_CHECKING:
    from envpool_py.python_envs.workers import Workers

__all__ = ["EnvSource", "Pickled", "PythonEnvPool", "PythonPoolBase"]


_NO_OPTIONS = (
    "environments in Python have no options of the engine: functions that differ make environments "
    "that differ, and set_attr and call change them"
)


class Pickled:
    """Keyword arguments, pickled such that functions may be lambdas."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.arguments = arguments

    def __getstate__(self) -> bytes:
        return pickling.dumps(self.arguments)

    def __setstate__(self, state: bytes) -> None:
        self.arguments = pickle.loads(state)


@dataclass
class EnvSource:
    """The source of a pool's environments.

    Attributes:
        env_fns: one function per environment.
        first: environment 0, made already. The pool uses its spaces, metadata and render mode.
        num_workers: the number of processes, or of threads, that step the environments; 0: the
            calling thread steps them.
        processes: the processes that step the environments. None: this process does, and `first` is
            environment 0.
        make_again: makes an equal pool from `remake`, for pickles and copies; a function of a
            module.
        remake: its keyword arguments.
        spec: value of the pool's `spec`.
    """

    env_fns: Sequence[EnvFn]
    first: gymnasium.Env[Any, Any]
    num_workers: int
    processes: Workers | None
    make_again: Callable[[Pickled], Any]
    remake: dict[str, Any]
    spec: EnvSpec | None = None


class PythonPoolBase(PoolBase):
    """The part of pools of environments written in Python that does not depend on the API."""

    num_workers: int
    _core: PythonCore
    _observation_spaces: list[gymnasium.Space[Any]]
    _single_observation_space: gymnasium.Space[Any]
    _step_limit = 0.0  # of steps that run while the pool is closed, in seconds; 0: step_timeout's

    def _take(self, source: EnvSource) -> None:
        """Keeps the source; called before the engine's pool is made."""
        self._source = source
        self._processes = source.processes
        self.num_workers = source.num_workers
        first = source.first
        self._hosting = LocalHosting(
            source.env_fns,
            first.observation_space,
            first.action_space,
            made={0: first} if self._processes is None else {},
        )

    @property
    def worker_pids(self) -> list[int]:
        """Ids of the current worker processes, in the order of the workers."""
        return [] if self._processes is None else self._processes.process_ids

    @property
    def records_episode_statistics(self) -> bool:
        """Whether the infos of an episode's last step contain the episode's statistics."""
        return self._arguments.record_episode_statistics

    def save_states(self, env_id: EnvIds = None) -> list[bytes]:
        """Returns the complete states of environments; see `PoolBase.save_states`.

        A state is a pickle of the environment with its wrappers. If the class of the environment
        has `get_state` and `set_state`, or `clone_state` and `restore_state`, the result of the
        first one is in the place of the environment.

        Raises:
            StateError: an environment has no such methods, and cannot be pickled or is pickled
                without its state (`gymnasium.utils.EzPickle`).
        """
        return list(self.call_some(MethodCall("", on_state=save_state), env_id))

    def load_states(self, states: Sequence[bytes], env_id: EnvIds = None) -> Any:
        """Continues from states; see `PoolBase.load_states`. Loading a pickle may run any code.

        Environments that were pickled whole take the place of the present ones, which are closed.

        Returns:
            As `reset`: the observations of the loaded states. There are no infos.
        """
        given: Any = states
        if isinstance(given, (bytes, str)) or not isinstance(given, Sequence):
            raise InputTypeError(unexpected("states", "a list of bytes", given))
        ids = np.arange(self.num_envs) if env_id is None else np.atleast_1d(env_id)
        if len(states) != len(ids):
            raise InputError(
                f"states: expected {len(ids)}, one for each environment, got {len(states)}"
            )
        for index, state in enumerate(states):
            if not isinstance(state, bytes):
                raise InputTypeError(unexpected(f"states[{index}]", "bytes", state))
        stage = StagedStates(dict(zip(ids.tolist(), states, strict=True)))
        self.call_some(MethodCall("", on_state=stage), env_id)
        self.call_some(MethodCall("", on_state=restore_state), env_id)
        return self._core.observe(env_id)

    _states_are_pickles = True

    def _pickled_source(self) -> bytes | None:
        return pickling.dumps(self)

    def set_env_options(self, values: Any, env_id: EnvIds = None) -> None:
        """Not available.

        Raises:
            OptionError: always.
        """
        raise OptionError(f"set_env_options: {_NO_OPTIONS}")

    def get_env_options(
        self, env_id: EnvIds = None, *, after_reset: bool = False
    ) -> list[dict[str, Any]]:
        """Not available.

        Raises:
            OptionError: always.
        """
        raise OptionError(f"get_env_options: {_NO_OPTIONS}")

    @property
    def capabilities(self) -> Capabilities:
        """What other parts of the package may do with the engine's pool."""
        return Capabilities(can_step_into=True, can_save_states=True, can_share_with_xla=False)

    def _make_core(self, env_type: EnvType) -> PythonCore:
        arguments = self._core_arguments(env_type)
        workers = self._processes
        core: PythonCore | None = None
        try:
            observation_tree = tree_of(self._source.first.observation_space)
            whole_action_tree = tree_of(self._source.first.action_space)
            action_tree = None if has_objects(whole_action_tree) else whole_action_tree
            core = PythonCore(
                observation_tree,
                action_tree,
                self._hosting,
                num_workers=self.num_workers,
                **({} if workers is None else workers.core_arguments),
                **arguments,
            )
            if workers is not None:
                workers.configure(observation_tree, action_tree, arguments)
                workers.start_missing(core)
            core.construct(arguments["seed"])
            self._compare_spaces(core)
        except BaseException:
            core = None  # frees it before its environments are closed
            if workers is not None:
                workers.end(0.0)
            else:
                with contextlib.suppress(Exception):
                    self._hosting.close()
            raise
        return core

    def _compare_spaces(self, core: PythonCore) -> None:
        """Sets the space of each environment's observations, and their union.

        Raises:
            SpaceMismatchError: the spaces differ in more than the bounds of observations.
        """
        first = self._source.first
        self._observation_spaces = [first.observation_space] * core.num_envs
        for env_id, other in enumerate(_values(core.call(OTHER_SPACES, None))):
            if other is None:
                continue
            observations, actions = other
            if union([first.observation_space, observations]) is None:
                raise SpaceMismatchError(
                    "observation_space: types, shapes and dtypes must be the same in all "
                    f"environments; environment 0 has {first.observation_space}, environment "
                    f"{env_id} has {observations}"
                )
            if actions != first.action_space:
                raise SpaceMismatchError(
                    "action_space: must be the same in all environments; environment 0 has "
                    f"{first.action_space}, environment {env_id} has {actions}"
                )
            self._observation_spaces[env_id] = observations
        whole = union(self._observation_spaces)
        assert whole is not None
        self._single_observation_space = whole

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method of each environment, as `SyncVectorEnv.call` does.

        Args:
            name: name of a method or an attribute of the environment or its wrappers.
            *args: arguments of the method.
            **kwargs: keyword arguments of the method.

        Returns:
            The result of each environment; a copy if the environment is in a worker process.

        Raises:
            The exception of the first environment whose method raises one.
            EnvIdError: environments are in flight.
            ClosedError, ForkedError.
        """
        return self.call_some(MethodCall(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute of each environment; see `call`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment, as `SyncVectorEnv.set_attr` does.

        Args:
            name: name of an attribute of the environment or its wrappers.
            values: a list or tuple with a value per environment, or one value for all.

        Raises:
            InputError: a list or tuple of another length.
        """
        if not isinstance(values, (list, tuple)):
            values = [values] * self.num_envs
        if len(values) != self.num_envs:
            raise InputError(
                f"values: expected a list or tuple of {self.num_envs} (one per environment), or "
                f"one value for all, got {len(values)}"
            )
        self.call_some(MethodCall(name, values=list(values)))

    def render(self, env_id: EnvIds = None) -> tuple[Any, ...]:
        """Returns a copy of the result of `render` of each environment.

        Args:
            env_id: distinct ids of the environments, integers (n,), none in flight. None: all.
        """
        pictures = self.call_some(MethodCall("render"), env_id)
        if self._processes is not None:
            return pictures
        return tuple(self._hosting.copy(picture) for picture in pictures)

    def call_some(self, call: MethodCall, env_id: EnvIds = None) -> tuple[Any, ...]:
        """Calls a method of some environments.

        `env_id` is as in `render`; results and errors are those of `call`.
        """
        return _values(self._core.call(call, env_id))

    def close(self, timeout: float | None = None) -> None:
        """Closes the pool and its environments; see `PoolBase.close`.

        A worker process that has not ended after `timeout` seconds is killed.
        """
        if not hasattr(self, "_core"):  # __init__ failed
            return
        if self._processes is None:
            if self._core.close(timeout):
                self._hosting.close()
            return
        interrupted = False
        try:
            self._core.close(timeout)
        except KeyboardInterrupt:
            interrupted = True  # the next close(), or the finalizer, ends the processes
            raise
        finally:
            if not interrupted:
                self._processes.end(timeout, self._kill_hanging)

    def _close_after_error(self) -> None:
        if self._processes is None:
            super()._close_after_error()
        else:
            # Only steps are limited: environments that save something in `close` have the time.
            self._step_limit = LIMIT_AFTER_ERROR
            self.close()

    def _kill_hanging(self) -> None:
        self._core.kill_hanging(self._step_limit)

    def __reduce__(self) -> tuple[Any, ...]:
        return self._source.make_again, (Pickled(self._source.remake),)

    def __del__(self, suppress: Any = contextlib.suppress) -> None:
        # When the interpreter ends, modules may be gone before the pool; the default stays.
        core = getattr(self, "_core", None)
        if core is None:
            return
        with suppress(Exception):
            # After an interrupted close(), or one that timed out, some may be left.
            self.close(timeout=0.0 if core.closed else 5.0)


def _values(results: list[tuple[bool, Any]]) -> tuple[Any, ...]:
    """Returns the results of a call, or raises the exception of the first one that failed."""
    for ok, error in results:
        if not ok:
            raise error if isinstance(error, BaseException) else RuntimeError(error)
    return tuple(value for _, value in results)


class PythonEnvPool(PythonPoolBase, GymnasiumPool):
    """A pool of environments written in Python; `make_python` makes it.

    Calls and results are those of `GymnasiumPool`. Values and dtypes are those of
    `gymnasium.vector.SyncVectorEnv` with the same functions, seeds and actions; `final_obs` has
    the layout of the observations, as in every pool. Observations of spaces whose samples are not
    arrays of fixed shape (`Text`, `Sequence`, `Graph`, the user's own spaces) are tuples of
    objects, as in Gymnasium.

    Attributes:
        num_workers: number of processes, or of threads, that step environments; 0: the calling
            thread does.
    """

    def __init__(self, task: ResolvedTask, arguments: PoolArguments, source: EnvSource) -> None:
        self._take(source)
        first = source.first
        PoolBase.__init__(self, task, arguments, "gymnasium")
        self._seeds = None
        self.render_mode = first.render_mode
        self._present(
            self._single_observation_space, first.action_space, first.metadata, source.spec
        )

    @functools.cached_property
    def observation_space(self) -> gymnasium.Space[Any]:  # type: ignore[override]  # it can be set
        """The space of `num_envs` rows; in ordered mode, row i has the bounds of environment i."""
        if self.is_async or self._single_observation_space is self._source.first.observation_space:
            return batch_space(self.single_observation_space, self.num_envs)
        return batch_of(self._observation_spaces)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]  # as SyncVectorEnv
        """The `np_random_seed` of each environment."""
        return self.get_attr("np_random_seed")

    @property  # type: ignore[misc]  # Gymnasium's can be set
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The generator of each environment; a copy if the environment is in a worker process."""
        return self.get_attr("np_random")

    def close(self, timeout: float | None = None, **kwargs: Any) -> None:
        """Closes the pool and its environments. Gymnasium's other arguments are ignored."""
        self.closed = True
        PythonPoolBase.close(self, timeout)
