"""Rollouts of environments that are stepped together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.trees import Tree, map_leaves
from envpool_py.rollout.buffers import Buffers, check_length
from envpool_py.rollout.columns import ColumnSpec
from envpool_py.rollout.sources import Rest, StepSource, source_of
from envpool_py.rollout.step_returns import StepReturns
from envpool_py.rollout.trees import Zeros, assign_tree, rows_of_final

__all__ = ["Rollout"]


class Rollout(Buffers, StepReturns):
    """T steps of N environments, in arrays that are allocated once.

        rollout = Rollout(envs, 128)
        for t in rollout:
            actions, log_probs, values = policy(rollout.obs)
            rollout.act(actions, log_probs=log_probs, values=values)
        advantages, returns = rollout.gae(value_of, gamma=0.99, lam=0.95)

    The first `for` loop resets the environments and fills the arrays. Each later loop fills the
    arrays again and continues where the previous loop ended. The environments of a pool write their
    observations directly into `observations`. Any other `gymnasium.vector.VectorEnv`, such as a
    pool in a wrapper, is accepted as well; its observations are copied.

    Step t begins in `observations[t]`, takes `actions[t]`, and leads to `observations[t + 1]`. If
    step t ends an episode, `observations[t + 1]` depends on the autoreset mode:

    - NextStep: the last observation of the episode. Step t + 1 only resets the environment, so
      `valid[t + 1]` is False: the policy's action has no effect.
    - SameStep and Disabled: the first observation of the next episode. The last observation of a
      truncated episode is in `final_observations`. In Disabled mode the rollout resets the
      environments.

    `next_values` takes this into account, so a truncated episode is bootstrapped from its own last
    state in all modes.

    Do not step the environments by other means between two steps of a rollout. Not thread-safe.

    Attributes:
        envs: the environments.
        length: T, the number of steps.
        num_envs: N, the number of environments.
        observations: arrays (T + 1, N, ...), in the tree of the observation space. A text is uint8
            (..., max_length): ASCII, then zeros.
        actions: arrays (T, N, ...), in the tree and the dtypes of the action space.
        rewards: float32 (T, N).
        terminated: bool (T, N).
        truncated: bool (T, N).
        valid: bool (T, N), whether the environment used the policy's action in this step.
        columns: the user's columns by name, (T, N, ...).
        infos: the infos of the latest step or reset.
        episode_returns: returns (float) of the episodes (for Atari, games) that ended in the
            rollout, if the pool was made with `record_episode_statistics=True`.
        episode_lengths: numbers of steps of these episodes.
    """

    def __init__(
        self,
        envs: Any,
        length: int,
        *,
        columns: Mapping[str, ColumnSpec] | None = None,
        framework: str = "numpy",
        seed: Any = None,
        zeros: Zeros = np.zeros,
    ) -> None:
        """Allocates the arrays, without stepping the environments.

        Args:
            envs: the environments. For a first-ready pool, use `FirstReadyRollout`.
            length: T, at least 1.
            columns: columns that `act` stores beside actions, by name: the shape of one
                environment's row (float32), or (shape, dtype). None: "values" and "log_probs",
                scalars.
            framework: "numpy" or "torch", the kind of all arrays. Tensors share the memory of the
                NumPy arrays.
            seed: seed of the first reset, as for `envs.reset`.
            zeros: function like `numpy.zeros(shape, dtype)` that allocates each array, for special
                kinds of memory.

        Raises:
            InputError, InputTypeError: an argument is not valid, or a part of a space has no fixed
                shape.
            MissingPackageError: the framework is not installed.
        """
        self._source: StepSource = source_of(envs)
        self._state = _State(self._source)
        self._setup(envs, check_length(length), columns, framework, seed, zeros)

    def empty_copy(self) -> Rollout:
        """Returns a rollout of the same environments, length and columns, to alternate with.

        The next rollout to be filled continues where the most recently filled one ended.
        """
        other = object.__new__(Rollout)
        other._source = self._source
        other._state = self._state
        names = self._column_specs, self._framework_name
        other._setup(self.envs, self.length, *names, None, self._zeros)
        return other

    def _setup(
        self,
        envs: Any,
        length: int,
        columns: Mapping[str, ColumnSpec] | None,
        framework: str,
        seed: Any,
        zeros: Zeros,
    ) -> None:
        self._zeros = zeros
        steps = (length, envs.num_envs)
        rows = (length + 1) * envs.num_envs
        self._allocate(envs, length, steps, rows, columns, framework, zeros)
        if seed is not None:
            self._state.seed = seed
        self._rows = self._source.rows(self._observation_rows)
        self._place_steps(range(length))
        # The views for `obs`, made once.
        self._obs = [
            map_leaves(lambda leaf, t=t: leaf[t], self.observations) for t in range(length + 1)
        ]
        self._t = 0
        self._ended = np.zeros(envs.num_envs, np.bool_)

    # --- Filling

    @property
    def obs(self) -> Tree:
        """The observations for the next `act`, arrays (N, ...): a view of `observations`.

        After the last step, these are the observations that it returned.
        """
        return self._obs[self._t]

    @property
    def is_full(self) -> bool:
        """Whether all steps were made since the latest start."""
        return self._t == self.length

    def restart(self, seed: Any = None) -> None:
        """Makes the next `for` reset all environments.

        Args:
            seed: as for `envs.reset`.
        """
        self._state.seed = seed
        self._state.latest = None

    def state_dict(self) -> dict[str, Any]:
        """Returns what the next `for` needs of this one, for a checkpoint.

        Together with the states of the environments (`GymnasiumPool.save`), a later rollout of
        equal environments continues from it with `load_state_dict`, with the same results.

        Returns:
            "observations", the latest ones, arrays (N, ...), None before the first reset; "ended",
            bool (N,), the environments that the next step only resets.

        Raises:
            InputError: a `for` has not made all of its steps.
        """
        latest = self._state.latest
        if latest is not None and not latest.is_full:
            raise InputError("state_dict: the loop over the rollout has not made all of its steps")
        observations = None
        if latest is not None:
            observations = map_leaves(self._copied, latest._host_obs(latest.length))
        return {"observations": observations, "ended": self._copied(self._state.ended)}

    def _copied(self, array: NDArray[Any]) -> Any:
        return self._framework.shared(array.copy())

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next `for` continue from a result of `state_dict`.

        Raises:
            InputError, InputTypeError: the arrays have other shapes.
        """
        if state["observations"] is None:
            self._state.latest = None
            return
        ended = np.asarray(self._framework.host(state["ended"]), np.bool_)
        if ended.shape != (self.num_envs,):
            raise InputError(
                f"load_state_dict: expected the state of {self.num_envs} environments, got one of "
                f"{len(ended)}"
            )
        observations = self._framework.host(state["observations"])
        assign_tree(self._host_obs(self.length), observations, "observations")
        self._state.ended[:] = ended
        self._state.seed = None
        self._state.latest = self
        self._t = self.length

    def __iter__(self) -> Iterator[int]:
        """Fills the arrays, and yields the number of each step.

        Raises:
            InputError: `act` was not called once for a step.
        """
        self._start()
        for t in range(self.length):
            if self._t != t:
                raise InputError(
                    f"rollout: call act() once for each step, it was called {self._t} times before "
                    f"step {t}"
                )
            yield t
        if not self.is_full:
            raise InputError("rollout: the last step had no act(); call it once for each step")

    def _start(self) -> None:
        state = self._state
        if state.latest is None:
            self.infos = self._source.reset(self._rows, 0, state.seed)
            state.ended[:] = False
            state.seed = None
        else:
            latest = state.latest._host_obs(state.latest._t)
            assign_tree(self._host_obs(0), latest, "observations")
        state.latest = self
        self._clear()
        self._t = 0

    def _host_obs(self, t: int) -> Tree:
        first = t * self.num_envs
        return map_leaves(lambda leaf: leaf[first : first + self.num_envs], self._observation_rows)

    def act(self, actions: Any, **columns: Any) -> None:
        """Stores actions and columns, steps all environments, and stores the results.

        Args:
            actions: arrays (N, ...), in the tree of the action space; tensors may be on any device.
            **columns: values of the columns by name, (N, ...). Columns that are not given are
                unchanged.

        Raises:
            InputError, InputTypeError: a column or the actions are not valid. Nothing was stepped.
            EnvironmentFailedError: an environment raised an exception. As after any exception
                during a step, such as KeyboardInterrupt, the rollout is not usable, and the next
                `for` resets all environments.
            ClosedError, ForkedError.
        """
        t = self._t
        if t == self.length:
            raise InputError(f"act: all {self.length} steps are made; begin a new loop over it")
        if self._state.latest is not self:
            raise InputError("act: call it inside a loop over the rollout")
        host = self._framework.host(actions)
        self._store(t, host, columns)
        try:
            self._record(t, self._source.step(host, self._rows, (t + 1) * self.num_envs))
        except (InputError, InputTypeError):
            raise  # nothing was stepped
        except BaseException:
            self.restart()
            raise

    def _record(self, t: int, rest: Rest) -> None:
        rewards, terminated, truncated, self.infos = rest
        state = self._state
        failed = self.infos.get("_error") if self._source.marks_failures else None
        if failed is not None:
            terminated = terminated | failed  # its row has no observation
        self._host_rewards[t] = rewards
        self._host_terminated[t] = terminated
        self._host_truncated[t] = truncated
        np.logical_not(state.ended, out=self._host_valid[t])
        np.logical_or(terminated, truncated, out=self._ended)
        self._t = t + 1
        if self._ended.any():
            self._end_episodes(t)
        elif self._resets_next:
            state.ended[:] = False
        if self._source.marks_failures and self._source.mode is AutoresetMode.SAME_STEP:
            state.ended[:] = False if failed is None else failed
        if "episode" in self.infos:
            self._note_episodes(self.infos)

    def _end_episodes(self, t: int) -> None:
        if self._resets_next:
            self._state.ended[:] = self._ended
            return
        first = (t + 1) * self.num_envs
        bootstrapped = np.flatnonzero(self._host_truncated[t] & ~self._host_terminated[t])
        if len(bootstrapped) > 0:
            if self._source.mode is AutoresetMode.SAME_STEP:
                final = rows_of_final(self.infos["final_obs"], bootstrapped)
            else:
                final = map_leaves(lambda leaf: leaf[first + bootstrapped], self._observation_rows)
            self._final.add(t * self.num_envs + bootstrapped, final)
        if self._source.mode is AutoresetMode.DISABLED:
            self._source.reset_some(self._rows, first, self._ended)


class _State:
    """The state that one rollout passes on to the next one of the same environments.

    Attributes:
        latest: the rollout with the latest observations; None before the first reset.
        ended: NextStep: the environments that the next step only resets, bool (num_envs,).
        seed: seed of the next reset.
    """

    def __init__(self, source: StepSource) -> None:
        self.latest: Rollout | None = None
        self.seed: Any = None
        self.ended = np.zeros(source.envs.num_envs, np.bool_)
