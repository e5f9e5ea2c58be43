"""Rollouts of a first-ready pool, whose environments advance at different rates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.players.rows import refuse_players
from envpool_py.pool.core import core_of
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.trees import Tree, leaves, map_leaves
from envpool_py.rollout.buffers import Buffers, check_length
from envpool_py.rollout.columns import ColumnSpec
from envpool_py.rollout.sources import PoolSource
from envpool_py.rollout.trees import rows_of_final

__all__ = ["FirstReadyRollout"]


class FirstReadyRollout(Buffers):
    """T batches of a pool that returns the first environments that are ready.

        envs = envpool_py.make("Pong-v5", num_envs=64, batch_size=32)
        rollout = FirstReadyRollout(envs, 40)
        for t in rollout:
            actions, log_probs = policy(rollout.obs)
            rollout.act(actions, log_probs=log_probs)

    All arrays have R = num_envs + T * batch_size rows, in the order in which observations arrive.
    `observations[r]` is an observation of environment `env_ids[r]`, and `actions[r]` is the
    policy's action for it. `rewards[r]`, `terminated[r]` and `truncated[r]` are the results of this
    action, and `next_rows[r]` is the row of the next observation. The first `num_envs` rows are
    copies of rows of the previous rollout whose results had not arrived at its end; row e belongs
    to environment e.

    `valid[r]` is True if row r is a step of the policy whose result has arrived. It is False for
    the latest row of each environment, for the first `num_envs` rows if they were not filled (after
    a reset), and for rows with the last observation of an episode, whose action only resets the
    environment (autoreset modes NextStep and Disabled). Learn from the valid rows. They may be used
    in any order, as in PPO. `by_time` arranges a column by environment and time, as recurrent
    policies need it; `gae` and `vtrace` follow the steps of each environment.

    The environments write their observations directly into `observations`. Only the few batches
    that were in flight when the rollout began are copied.

    Do not use the pool by other means while a rollout is filled. Not thread-safe.

    Attributes:
        envs: the pool.
        length: T, the number of batches.
        num_envs: the number of environments.
        batch_size: the number of rows of a batch.
        observations: arrays (R, ...), in the tree of the observation space.
        actions: arrays (R, ...), in the tree and the dtypes of the action space.
        rewards: float32 (R,).
        terminated: bool (R,).
        truncated: bool (R,).
        valid: bool (R,).
        env_ids: int32 (R,); -1 where a row was not filled.
        next_rows: int64 (R,); -1 where the next observation has not arrived.
        columns: the user's columns by name, (R, ...).
        infos: the infos of the latest batch.
        episode_returns, episode_lengths: as in `Rollout`.
    """

    def __init__(
        self,
        envs: GymnasiumPool,
        length: int,
        *,
        columns: Mapping[str, ColumnSpec] | None = None,
        framework: str = "numpy",
        seed: Any = None,
    ) -> None:
        """Allocates the arrays, without stepping the environments.

        Args:
            envs: a pool, first-ready or ordered, without environments in flight.
            length: T, at least 1.
            columns: as in `Rollout`.
            framework: as in `Rollout`.
            seed: seed of the first reset, as for `envs.reset`.

        Raises:
            InputError, InputTypeError, MissingPackageError: as `Rollout`.
        """
        self._state = _State(envs)
        self._setup(envs, check_length(length), columns, framework, seed)

    def empty_copy(self) -> FirstReadyRollout:
        """Returns a rollout of the same environments, length and columns, to alternate with.

        The next rollout to be filled continues where the most recently filled one ended.
        """
        other = object.__new__(FirstReadyRollout)
        other._state = self._state
        other._setup(self.envs, self.length, self._column_specs, self._framework_name, None)
        return other

    def _setup(
        self,
        envs: GymnasiumPool,
        length: int,
        columns: Mapping[str, ColumnSpec] | None,
        framework: str,
        seed: Any,
    ) -> None:
        self._source = self._state.source
        self._engine = self._state.core
        self.batch_size = envs.batch_size
        rows = envs.num_envs + length * self.batch_size
        self._allocate(envs, length, (rows,), rows, columns, framework)
        if seed is not None:
            self._state.seed = seed
        self._target = self._source.rows(self._observation_rows).target
        self._host_env_ids = np.full(rows, -1, np.int32)
        self._host_next_rows = np.full(rows, -1, np.int64)
        self.env_ids = self._framework.shared(self._host_env_ids)
        self.next_rows = self._framework.shared(self._host_next_rows)
        first = envs.num_envs
        self._slices = [
            slice(first + t * self.batch_size, first + (t + 1) * self.batch_size)
            for t in range(length)
        ]
        self._place_steps(self._slices)
        self._numbers = np.arange(rows, dtype=np.int64)
        self._obs = [
            map_leaves(lambda leaf, rows=rows: leaf[rows], self.observations)
            for rows in self._slices
        ]
        self._t = -1
        self._answered = True
        self._ids: NDArray[np.int32] = np.zeros(0, np.int32)

    # --- Filling

    @property
    def obs(self) -> Tree:
        """The latest observations, for which `act` takes actions: arrays (batch_size, ...).

        Raises:
            InputError: no batch was received yet.
        """
        if self._t < 0:
            raise InputError("obs: there is no batch yet; read it inside a loop over the rollout")
        return self._obs[self._t]

    @property
    def is_full(self) -> bool:
        """Whether all batches since the latest start were received and got their actions."""
        return self._t == self.length - 1 and self._answered

    def restart(self, seed: Any = None) -> None:
        """Makes the next `for` wait for environments in flight, and reset all environments.

        Args:
            seed: as for `envs.reset`.
        """
        if self._state.latest is not None:
            self._state.latest._answered = True
        self._state.seed = seed
        self._state.latest = None
        self._state.drains = True

    def __iter__(self) -> Iterator[int]:
        """Fills the arrays; receives each batch and yields its number.

        Raises:
            InputError: `act` was not called for a batch.
            EnvironmentFailedError: an environment raised an exception. As after any exception
                during the wait for a batch, such as KeyboardInterrupt, the rollout is not usable,
                and the next `for` resets all environments.
            ClosedError, ForkedError.
        """
        self._start()
        for t in range(self.length):
            if not self._answered:
                raise InputError(f"rollout: call act() for batch {t - 1} before the next one")
            first = self._slices[t].start
            try:
                result = self._engine.recv_into(None, self._target, first)
                self._record(self._slices[t], *result[1:])
            except BaseException:
                self.restart()
                raise
            self._t = t
            self._answered = False
            yield t

    def _start(self) -> None:
        state = self._state
        if not self._answered or (state.latest is not None and not state.latest._answered):
            raise InputError(
                "rollout: call act() for the latest batch of the previous loop, or restart()"
            )
        latest = state.latest
        self._engine.clear_targets()
        if state.drains:
            self._engine.drain()
            state.drains = False
        self._host_env_ids[:] = -1
        if latest is None:
            state.rows[:] = -1
            state.ended[:] = False
        else:
            self._carry(latest)
        self._host_valid[:] = False
        self._host_next_rows[:] = -1
        self._clear()
        # Open batches are written to the targets of the loop that opened them. These may be rows of
        # this rollout, if its loop was left early or a restart left a batch open. In this case no
        # targets are added, and the batches are copied.
        opened = self._engine.num_opened
        is_free = opened == 0 if latest is None else latest is not self or latest.is_full
        if opened < self.length and is_free:
            first = self.num_envs + opened * self.batch_size
            self._engine.add_targets(self._target, first, self.length - opened)
        self._t = -1
        if latest is None:
            self.envs.async_reset(seed=state.seed)
            state.seed = None
        state.latest = self

    def _carry(self, latest: FirstReadyRollout) -> None:
        """Copies the rows of the previous rollout whose results have not arrived."""
        state = self._state
        known = np.flatnonzero(state.rows >= 0)
        rows = state.rows[known]

        def copy(to: NDArray[Any], given: NDArray[Any]) -> None:
            to[known] = given[rows]

        for name in ("_observation_rows", "_host_actions", "_host_columns"):
            for (_, to), (_, given) in zip(
                leaves(getattr(self, name)), leaves(getattr(latest, name)), strict=True
            ):
                copy(to, given)
        self._host_env_ids[known] = known
        state.rows[known] = known

    def _record(
        self,
        place: slice,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        infos: dict[str, Any],
    ) -> None:
        state = self._state
        ids = infos["env_id"]
        self._ids, self.infos = ids, infos
        failed = infos.get("_error") if self._source.marks_failures else None
        if failed is not None:
            terminated = terminated | failed  # its row has no observation
        before = state.rows[ids]
        known = before >= 0
        if known.all():
            self._note_results(before, slice(None), place, rewards, terminated, truncated)
        else:
            self._note_results(before[known], known, place, rewards, terminated, truncated)
        if self._source.mode is AutoresetMode.SAME_STEP:
            bootstrapped = np.flatnonzero(truncated & ~terminated)
            if len(bootstrapped) > 0:
                final = rows_of_final(infos["final_obs"], bootstrapped)
                self._final.add(before[bootstrapped], final)
            if self._source.marks_failures:
                state.ended[ids] = False if failed is None else failed
        else:
            state.ended[ids] = terminated | truncated
        state.rows[ids] = self._numbers[place]
        self._host_env_ids[place] = ids
        if "episode" in infos:
            self._note_episodes(infos)

    def _note_results(
        self,
        before: NDArray[np.int64],
        known: Any,
        place: slice,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
    ) -> None:
        self._host_rewards[before] = rewards[known]
        self._host_terminated[before] = terminated[known]
        self._host_truncated[before] = truncated[known]
        self._host_valid[before] = ~self._state.ended[self._ids[known]]
        self._host_next_rows[before] = self._numbers[place][known]

    def act(self, actions: Any, **columns: Any) -> None:
        """Stores actions and columns, and starts the steps of the latest batch's environments.

        Args:
            actions: arrays (batch_size, ...), in the tree of the action space; tensors may be on
                any device.
            **columns: values of the columns by name, (batch_size, ...). Columns that are not given
                are unchanged.

        Raises:
            InputError, InputTypeError: a column or the actions are not valid. Nothing was sent.
            ClosedError, ForkedError.
        """
        if self._answered:
            raise InputError(
                "act: the latest batch has its actions already; call act() once for each batch"
            )
        host = self._framework.host(actions)
        self._store(self._t, host, columns)
        ended = self._state.ended[self._ids]
        if self._source.mode is AutoresetMode.DISABLED and ended.any():
            goes_on = ~ended
            if goes_on.any():
                # The given actions: the stored ones were converted, and the pool checks them.
                some = map_leaves(lambda leaf: np.asarray(leaf)[goes_on], host)
                self._engine.send(some, self._ids[goes_on])
            self._engine.async_reset(self._ids[ended], None)
        else:
            self._engine.send(host, self._ids)
        self._answered = True

    # --- Reading

    def time_rows(self) -> NDArray[np.int64]:
        """Returns the rows of each environment in the order of time.

        Returns:
            int64 (L, num_envs), where L is the largest number of rows of an environment; -1 where
            an environment has fewer.
        """
        filled = np.flatnonzero(self._host_env_ids >= 0)
        # The stable sort keeps the order of time within each environment.
        order = filled[np.argsort(self._host_env_ids[filled], kind="stable")]
        env = self._host_env_ids[order]
        counts = np.bincount(env, minlength=self.num_envs)
        begins = np.cumsum(counts) - counts
        rows = np.full((int(counts.max(initial=0)), self.num_envs), -1, np.int64)
        rows[np.arange(len(order)) - begins[env], env] = order
        return rows

    def by_time(self, column: Any, rows: NDArray[np.int64] | None = None) -> Any:
        """Arranges a column by time and environment.

        Args:
            column: array (R, ...).
            rows: result of `time_rows`; None: this function calls it.

        Returns:
            A new array (L, num_envs, ...), zero where an environment has fewer than L rows.
        """
        rows = self.time_rows() if rows is None else rows
        index = self._framework.shared(rows.clip(min=0))
        arranged = column[index]
        arranged[self._framework.shared(rows < 0)] = 0
        return arranged

    def by_row(self, arranged: Any, rows: NDArray[np.int64] | None = None) -> Any:
        """Arranges a result of `by_time` by rows; the inverse of `by_time`.

        Args:
            arranged: array (L, num_envs, ...).
            rows: as in `by_time`.

        Returns:
            A new array (R, ...), zero for rows that were not filled.
        """
        rows = self.time_rows() if rows is None else rows
        used = rows >= 0
        host = self._framework.host(arranged)
        column = np.zeros((len(self._numbers), *host.shape[2:]), host.dtype)
        column[rows[used]] = host[used]
        return self._framework.shared(column)

    def next_values(self, value_of: Callable[[Tree], Any], values: Any = None) -> Any:
        """Returns the values of the states that the steps led to, before any reset.

        Args:
            value_of: maps observations, arrays (n, ...), to values (n,); called only for the last
                observations of truncated episodes, in mode SameStep.
            values: float (R,), of all observations. None: the column "values".

        Returns:
            float32 (R,), a new array; 0 where the episode terminated, and in rows without a next
            row.

        Raises:
            InputError: `values` is None, and there is no scalar column "values".
        """
        known = self._column_of_values() if values is None else self._framework.host(values)
        result = np.zeros(len(self._numbers), np.float32)
        rows = np.flatnonzero(self._host_next_rows >= 0)
        result[rows] = known[self._host_next_rows[rows]]
        count = self._final.count
        if count > 0:
            result[self._final.steps] = self._values_of(value_of, self.final_observations, count)
        result[self._host_terminated] = 0
        return self._framework.shared(result)

    def _estimate(
        self,
        function: Callable[..., tuple[Any, Any]],
        columns: tuple[Any, ...],
        settings: dict[str, float],
    ) -> tuple[Any, Any]:
        rows = self.time_rows()
        arranged = [self.by_time(column, rows) for column in columns]
        valid = self.by_time(self.valid, rows)
        first, second = function(*arranged, valid=valid, **settings)
        return self.by_row(first, rows), self.by_row(second, rows)


class _State:
    """The state that one rollout passes on to the next one of the same pool.

    Attributes:
        latest: the rollout with the latest rows; None before the first reset.
        rows: the latest row of each environment in `latest`, int64 (num_envs,); -1: none.
        ended: bool (num_envs,), whether an environment's latest row is the end of an episode, so
            that its next action only resets it.
        seed: seed of the next reset.
        drains: whether to wait for environments in flight before that reset.
    """

    def __init__(self, envs: Any) -> None:
        if not isinstance(envs, GymnasiumPool):
            raise InputError(
                'envs: expected a GymnasiumPool (envpool_py.make with env_type="gymnasium"), got '
                f"{type(envs).__name__}"
            )
        if not envs.capabilities.can_step_into:
            raise InputError(
                f"envs: a pool with render_mode={envs.render_mode!r} cannot fill a rollout"
            )
        refuse_players(envs, "envs")
        if not envs.arguments.extra_infos:
            raise InputError("envs: a pool with extra_infos=False cannot fill a rollout")
        self.core = core_of(envs)
        self.source = PoolSource(envs, envs.autoreset_mode)
        self.latest: FirstReadyRollout | None = None
        self.seed: Any = None
        self.drains = False
        self.rows = np.full(envs.num_envs, -1, np.int64)
        self.ended = np.zeros(envs.num_envs, np.bool_)
