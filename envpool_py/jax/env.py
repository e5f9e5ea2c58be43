"""A pool as functions for JAX: `reset` and `step` take a state and return the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from envpool_py.errors import InputTypeError
from envpool_py.jax.functions import Functions
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.tasks.make import make as make_pool

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["JaxEnv", "Transition", "make"]


class Transition(NamedTuple):
    """The results of a step, for n rows.

    Attributes:
        obs: observations (n, ...), a pytree in the form of the observation space.
        state: the next state, uint32 (4,).
        reward: rewards (n,), float32; float64 if JAX has 64-bit types.
        terminated: whether the episode ended in a terminal state, bool (n,).
        truncated: whether the episode ended for another reason, such as a time limit, bool (n,).
        info: infos (n, ...) by name.
    """

    obs: Any
    state: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]

    @property
    def done(self) -> Any:
        """Whether the episode ended, bool (n,)."""
        return jnp.logical_or(self.terminated, self.truncated)


class JaxEnv:
    """The environments of a pool, stepped by compiled programs.

    `reset`, `step`, `send` and `recv` may be called inside `jax.jit`, `jax.lax.scan`,
    `while_loop`, `cond` and `shard_map`, and outside of them. Each takes a state and returns the
    next one. A state identifies the pool after a certain call, so it is valid for one call only: a
    program that uses a state twice ends with an error. States are arrays, uint32 (4,). They are
    valid in one process.

    A function that was compiled with one `JaxEnv` works with every pool of the same task, settings
    and number of environments: pass the state of the other pool. Only `reset` without a state is
    bound to this pool.

    Observations, rewards, flags and infos have the values of `pool.step`. If JAX has no 64-bit
    types (its default), float64 becomes float32, and int64 becomes int32. Infos have the same keys,
    except for masks that are always true. All keys are always present, including "final_obs" and
    "episode", which are zero where no episode ended. A text is uint8 (n, max_length), padded with
    zeros.

    JAX raises an error in a compiled program as `jax.errors.JaxRuntimeError` where the caller waits
    for the program. Its message begins with the name of the class in `envpool_py.errors`. A wrong
    shape is found when the program is traced, and raises the class of `envpool_py.errors` itself.

    Attributes:
        pool: the pool. States do not reflect calls of the pool from Python.
        num_envs: number of environments.
        batch_size: rows of a result; below `num_envs`, the first environments that are ready.
        observation_space: Gymnasium space of one environment's observation.
        action_space: Gymnasium space of one environment's action.
    """

    def __init__(
        self, pool: GymnasiumPool, *, reset_options: Mapping[str, Any] | None = None
    ) -> None:
        """Wraps a pool of `envpool_py.make`.

        Args:
            pool: the pool; it remains usable from Python.
            reset_options: the task's reset options, for every `reset`.

        Raises:
            InputTypeError: `pool` is not a GymnasiumPool, or its environments are written in
                Python.
            OptionError, OptionTypeError, ClosedError, ForkedError.
        """
        if not isinstance(pool, GymnasiumPool):
            raise InputTypeError(
                'pool: expected a GymnasiumPool (envpool_py.make with env_type="gymnasium"), got '
                f"{pool!r}"
            )
        self.pool = pool
        self.num_envs = pool.num_envs
        self.batch_size = pool.batch_size
        self.observation_space = pool.single_observation_space
        self.action_space = pool.single_action_space
        self._functions = Functions(pool, reset_options)
        self._extra_infos = pool.arguments.extra_infos

    def reset(
        self,
        key: Any = None,
        state: Any = None,
        *,
        seed: Any = None,
        mask: Any = None,
        return_info: bool = False,
    ) -> Any:
        """Starts new episodes.

        Args:
            key: a key of `jax.random`, from which the environments' seeds are drawn, or one key
                for each environment, (num_envs,).
            state: the state after the latest call. None: resets this pool in whatever state it is;
                earlier states become invalid.
            seed: in place of a key: an integer (environment i gets `seed + i`, as in
                `pool.reset(seed=...)`), or integers (num_envs,). With neither, the environments'
                generators continue.
            mask: bool (num_envs,): the environments to reset. The others are only observed; they
                must have been reset before. None: all.
            return_info: whether to return infos, too.

        Returns:
            `(obs, state)`, or `(obs, state, info)`; a row per environment.

        Raises:
            InputError, InputTypeError: an argument is invalid; raised when the call is traced.
        """
        functions = self._functions
        tree: Any = (functions.layout.observation(),)
        if return_info:
            tree = (*tree, functions.layout.infos(self._extra_infos, wide=False))
        state, results = functions.reset(state, key, seed, mask, tree)
        return (results[0], state, *results[1:])

    def step(self, state: Any, actions: Any, env_id: Any = None) -> Transition:
        """Steps environments, and waits for them.

        Args:
            state: the state after the latest call.
            actions: a row per environment, (n, ...), a pytree in the form of the action space.
            env_id: distinct ids of the environments, integers (n,). None: all of them.

        Returns:
            A named tuple; see `Transition`. In first-ready mode (`batch_size < num_envs`) it has
            the first `batch_size` rows that are ready, and `info["env_id"]` has their ids.

        Raises:
            InputError, InputTypeError: an argument is invalid; raised when the call is traced.
        """
        tree = self._tree(self._functions.wide(actions))
        return _transition(*self._functions.step(state, actions, env_id, tree))

    def step_into(
        self, state: Any, actions: Any, buffers: Any, t: Any, env_id: Any = None
    ) -> tuple[Transition, Any]:
        """Steps environments, and writes the observations into element t of buffers.

        Use this in a `scan` that keeps all observations, with the buffers in the carry: the
        environments then write directly into the buffers. Observations that are outputs of the
        `scan` are copied once.

        Args:
            state: the state after the latest call.
            actions: a row per environment, (n, ...).
            buffers: arrays (T, n, ...), in the form of the observations; `buffers` makes them.
            t: an integer in [0, T - 1].
            env_id: as for `step`.

        Returns:
            The transition, whose observations are `buffers[t]`, and the buffers.

        Raises:
            InputError, InputTypeError: an argument is invalid; raised when the call is traced.
        """
        tree = self._tree(self._functions.wide(actions))
        obs = tree.pop("obs")
        state, results, buffers = self._functions.step_into(
            state, actions, env_id, tree, (obs, buffers, t)
        )
        written = jax.tree.map(
            lambda buffer: jax.lax.dynamic_index_in_dim(buffer, t, keepdims=False), buffers
        )
        return Transition(obs=written, state=state, **results), buffers

    def buffers(self, length: int) -> Any:
        """Returns zeros (length, batch_size, ...) in the form of the observations."""
        layout = self._functions.layout
        names, structure = jax.tree.flatten(layout.observation())
        shapes = layout.results(names, self.batch_size)
        zeros = [jnp.zeros((length, *shape.shape), shape.dtype) for shape in shapes]
        return jax.tree.unflatten(structure, zeros)

    def send(self, state: Any, actions: Any, env_id: Any = None) -> Any:
        """Starts a step of environments; `recv` collects the results.

        Args:
            state: the state after the latest call.
            actions: a row per environment, (n, ...).
            env_id: distinct ids of the environments, integers (n,). None: all of them.

        Returns:
            The next state.

        Raises:
            InputError, InputTypeError: an argument is invalid; raised when the call is traced.
        """
        return self._functions.send(state, actions, env_id)

    def recv(self, state: Any) -> Transition:
        """Waits for the next `batch_size` results of `send`.

        Args:
            state: the state after the latest call.

        Returns:
            A named tuple; see `Transition`.
        """
        return _transition(*self._functions.recv(state, self._tree(wide=False)))

    def state(self) -> jax.Array:
        """Returns the state for the next call, uint32 (4,), such as after an error.

        Not for use in `jit`.
        """
        return self._functions.state()

    def xla(self) -> tuple[Any, Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
        """Returns EnvPool's functions.

        Returns:
            `(handle, recv, send, step)`. The handle is a state. `recv(handle)` and `step(handle,
            actions, env_id=None)` return a handle and `(obs, reward, terminated, truncated,
            info)`; `send(handle, actions, env_id=None)` returns a handle.
        """

        def recv(handle: Any) -> Any:
            return _in_envpool_form(self.recv(handle))

        def step(handle: Any, actions: Any, env_id: Any = None) -> Any:
            return _in_envpool_form(self.step(handle, actions, env_id))

        return self.state(), recv, self.send, step

    def close(self) -> None:
        """Closes the pool. A compiled program that steps it afterwards ends with an error."""
        self.pool.close()

    def _tree(self, wide: bool) -> dict[str, Any]:
        layout = self._functions.layout
        return {
            "obs": layout.observation(),
            "reward": "reward",
            "terminated": "terminated",
            "truncated": "truncated",
            "info": layout.infos(self._extra_infos, wide),
        }

    def __repr__(self) -> str:
        return f"JaxEnv({self.pool!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.pool.__exit__(kind, error, traceback)


def make(
    task_id: str | Sequence[str],
    *,
    reset_options: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> JaxEnv:
    """Makes a pool for JAX.

    Args:
        task_id: as for `envpool_py.make`.
        reset_options: the task's reset options, for every `reset`.
        **arguments: the other arguments of `envpool_py.make`, except `env_type`.

    Raises:
        The errors of `envpool_py.make` and of `JaxEnv`.
    """
    pool = make_pool(task_id, env_type="gymnasium", **arguments)
    return JaxEnv(pool, reset_options=reset_options)


def _transition(state: Any, results: Any) -> Transition:
    return Transition(state=state, **results)


def _in_envpool_form(made: Transition) -> tuple[Any, Any]:
    return made.state, (made.obs, made.reward, made.terminated, made.truncated, made.info)
