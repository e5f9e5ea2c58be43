"""Records the observations, actions and results of environments, and splits them into episodes.

Used by `envpool_py.integrations.rllib`; needs only NumPy.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.integrations.batches import ENGINE_INFOS, info_rows
from envpool_py.pool.trees import Tree, map_leaves, map_trees
from envpool_py.rollout.sources import Rest, StepSource, source_of
from envpool_py.rollout.trees import empty_rows

__all__ = ["Column", "Part", "Recording"]


@dataclass(frozen=True)
class Column:
    """The values of a column in a part of an episode.

    Attributes:
        data: arrays (lookback + steps, ...).
        lookback: number of rows at the beginning that belong to earlier steps of the episode.
    """

    data: Tree
    lookback: int


@dataclass(frozen=True)
class Part:
    """The steps of one episode in a sample, with some steps before them (the lookback).

    Attributes:
        env: index of the environment.
        name: name of the episode, the same in all its parts.
        observations: the observation before each step, and the one after the last step.
        infos: a dict for each observation.
        actions, rewards: one per step.
        extras: other columns of the steps, by name.
        started: number of steps of the episode before this part.
        terminated, truncated: whether the episode has terminated or was truncated.
        began: `time.perf_counter()` when the environment returned the episode's first observation;
            in a later part, the end of the part's first step.
        ended: `time.perf_counter()` at the end of the last step.
    """

    env: int
    name: str
    observations: Column
    infos: list[dict[str, Any]]
    actions: Column
    rewards: Column
    extras: dict[str, Column]
    started: int
    terminated: bool
    truncated: bool
    began: float
    ended: float


class Recording:
    """Steps environments and records them; autoreset mode NextStep.

    For a sample, call `begin`, then `step` and `add` any number of times, then `finish`. An episode
    that continues in the next sample has parts in both samples. The arrays of the parts are views
    of the sample's arrays, which are not reused.

    A pool writes its observations in place; observations of other environments are copied.

    Attributes:
        num_envs: N, number of environments.
        steps: T, number of steps of this sample so far.
        resetting: bool (N,), the environments that the next step only resets.
    """

    def __init__(self, envs: Any, lookback: int) -> None:
        """Prepares the recording without stepping the environments.

        Args:
            envs: a pool or another vector environment.
            lookback: largest number of earlier steps in a part of an episode.

        Raises:
            InputError: the environments have another autoreset mode, or are an unsuitable pool.
            InputTypeError: `envs` is not a vector environment, or a space does not consist of
                arrays.
        """
        self._source: StepSource = source_of(envs)
        if self._source.mode is not AutoresetMode.NEXT_STEP:
            raise InputError(
                f'envs: expected autoreset_mode="NextStep", got "{self._source.mode.value}"'
            )
        self._space = envs.single_observation_space
        self._lookback = lookback
        self.num_envs: int = envs.num_envs
        self._capacity = 0
        self._rows: Any = None
        self._reserve(lookback + 2)
        self._clear()

    def _clear(self) -> None:
        count = self.num_envs
        self.steps = 0
        self._kept = 0  # steps in the lists that belong to earlier samples
        self._actions: list[Tree] = []
        self._extras: dict[str, list[Tree]] = {}
        self._rewards: list[NDArray[np.float64]] = []
        self._terminated: list[NDArray[np.bool_]] = []
        self._truncated: list[NDArray[np.bool_]] = []
        self._times: list[float] = []
        self._infos: list[list[dict[str, Any]] | None] = []
        self.resetting = np.zeros(count, np.bool_)
        self._pending = self.resetting  # value of `resetting` at the beginning of the sample
        self._done_steps = np.zeros(count, np.int64)  # running episodes' steps in earlier samples
        self._names = [uuid.uuid4().hex for _ in range(count)]
        self._reset_at: float | None = None

    def _reserve(self, blocks: int) -> None:
        """Ensures that memory is allocated for `blocks` observations of all environments."""
        if blocks <= self._capacity:
            return
        blocks = max(blocks, 2 * self._capacity)
        tree = empty_rows(self._space, blocks * self.num_envs, "observation space")
        if self._rows is not None:
            used = self._capacity * self.num_envs
            map_trees(lambda new, old: np.copyto(new[:used], old), tree, self._rows.tree)
        self._rows = self._source.rows(tree)
        self._capacity = blocks

    @property
    def observations(self) -> Tree:
        """The latest observations, arrays (N, ...), as views."""
        first = (self._kept + self.steps) * self.num_envs
        return map_leaves(lambda leaf: leaf[first : first + self.num_envs], self._rows.tree)

    def reset(self, seed: Any) -> tuple[Tree, dict[str, Any]]:
        """Resets all environments, and discards the running episodes and the steps so far.

        Args:
            seed: as for the environments' `reset`.

        Returns:
            Observations and infos.
        """
        self._clear()
        infos = self._source.reset(self._rows, 0, seed)
        self._infos.append(self._rows_of(infos))
        self._reset_at = time.perf_counter()
        return self.observations, infos

    def begin(self, steps: int) -> None:
        """Begins a sample.

        Args:
            steps: expected number of steps, for which memory is allocated.
        """
        total = self._kept + self.steps
        kept = min(self._lookback, total)
        first = total - kept
        for column in (
            self._actions,
            self._rewards,
            self._terminated,
            self._truncated,
            self._times,
        ):
            del column[:first]
        del self._infos[:first]
        for column in self._extras.values():  # a column may have begun later and be shorter
            del column[: max(len(column) - kept, 0)]
        count = self.num_envs

        def move(leaf: NDArray[Any]) -> None:
            leaf[: (kept + 1) * count] = leaf[first * count : (total + 1) * count]

        if first > 0:
            map_leaves(move, self._rows.tree)
        self._kept = kept
        self.steps = 0
        self._pending = self.resetting
        self._reserve(kept + steps + 1)

    def step(self, actions: Any) -> Rest:
        """Steps all environments; nothing is recorded before `add`.

        Returns:
            Rewards, terminated, truncated, infos.
        """
        block = self._kept + self.steps + 1
        self._reserve(block + 1)
        return self._source.step(actions, self._rows, block * self.num_envs)

    def add(self, actions: Tree, extras: dict[str, Tree], result: Rest) -> int:
        """Records a step of all environments.

        Args:
            actions: arrays (N, ...), as the policy chose them.
            extras: other columns by name, arrays (N, ...).
            result: result of `step`.

        Returns:
            The number of environments that used their action and were not only reset.
        """
        rewards, terminated, truncated, infos = result
        self._actions.append(actions)
        for name in self._extras.keys() - extras.keys():
            del self._extras[name]
        for name, value in extras.items():
            self._extras.setdefault(name, []).append(value)
        self._rewards.append(rewards)
        self._terminated.append(terminated)
        self._truncated.append(truncated)
        self._infos.append(self._rows_of(infos))
        self._times.append(time.perf_counter())
        taken = self.num_envs - int(np.count_nonzero(self.resetting))
        self.resetting = terminated | truncated
        self.steps += 1
        return taken

    def _rows_of(self, infos: dict[str, Any]) -> list[dict[str, Any]] | None:
        """Returns the infos of each environment; None if all are empty."""
        if ENGINE_INFOS.issuperset(name.removeprefix("_") for name in infos):
            return None
        return info_rows(infos, self.num_envs, ENGINE_INFOS)

    def finish(self) -> tuple[list[Part], list[Part]]:
        """Ends a sample.

        Returns:
            The episodes that ended, in the order of their ends; and the parts of running episodes,
            in the order of their environments. Episodes without a step in this sample are omitted.
        """
        columns = _Columns(self)
        starts = self._pending.astype(np.int64)  # first steps of the running episodes
        lookback = np.minimum(self._done_steps, self._kept)
        lookback[self._pending] = 0
        ended: list[Part] = []
        for step, env in self._ends():
            ended.append(self._part(columns, env, int(starts[env]), step + 1, int(lookback[env])))
            self._names[env] = uuid.uuid4().hex
            self._done_steps[env] = 0
            lookback[env] = 0
            starts[env] = step + 2
        going_on: list[Part] = []
        for env in np.flatnonzero(starts < self.steps).tolist():
            start = int(starts[env])
            going_on.append(self._part(columns, env, start, self.steps, int(lookback[env])))
            self._done_steps[env] += self.steps - start
        self._reset_at = None
        return ended, going_on

    def _ends(self) -> Iterator[tuple[int, int]]:
        """Yields (step, environment) for each end of an episode in this sample."""
        if self.steps == 0:
            return
        flags = np.stack(self._terminated[self._kept :]) | np.stack(self._truncated[self._kept :])
        steps, envs = np.nonzero(flags)
        yield from zip(steps.tolist(), envs.tolist(), strict=True)

    def _part(self, columns: _Columns, env: int, start: int, stop: int, lookback: int) -> Part:
        """Returns the steps from `start` to `stop` of this sample, and `lookback` before."""
        kept = self._kept
        first, last = kept + start - lookback, kept + stop
        if start > 0:
            began = self._times[kept + start - 1]
        else:
            began = self._times[kept] if self._reset_at is None else self._reset_at
        extras = {}
        for name, column in columns.extras.items():
            shift = columns.lengths[name] - kept - self.steps  # negative if the column began later
            before = min(lookback, kept + start + shift)
            rows = slice(kept + start + shift - before, last + shift)
            extras[name] = Column(_rows(column, env, rows), before)
        return Part(
            env=env,
            name=self._names[env],
            observations=Column(_rows(columns.observations, env, slice(first, last + 1)), lookback),
            infos=[{} if rows is None else rows[env] for rows in self._infos[first : last + 1]],
            actions=Column(_rows(columns.actions, env, slice(first, last)), lookback),
            rewards=Column(columns.rewards[env, first:last], lookback),
            extras=extras,
            started=int(self._done_steps[env]),
            terminated=bool(self._terminated[last - 1][env]),
            truncated=bool(self._truncated[last - 1][env]),
            began=began,
            ended=self._times[last - 1],
        )


class _Columns:
    """Copies of the columns of a recording by environment: arrays (N, lookback + T, ...)."""

    def __init__(self, recording: Recording) -> None:
        count = recording.num_envs
        blocks = recording._kept + recording.steps + 1

        def by_env(leaf: NDArray[Any]) -> NDArray[Any]:
            return by_environment(leaf[: blocks * count].reshape((blocks, count, *leaf.shape[1:])))

        self.observations = map_leaves(by_env, recording._rows.tree)
        self.actions = _stacked(recording._actions)
        self.rewards = _stacked(recording._rewards)
        self.extras = {name: _stacked(column) for name, column in recording._extras.items()}
        self.lengths = {name: len(column) for name, column in recording._extras.items()}


def by_environment(column: NDArray[Any]) -> NDArray[Any]:
    """Returns a copy of a column (T, N, ...) as (N, T, ...)."""
    return np.array(column.swapaxes(0, 1), order="C")


def _stacked(column: list[Tree]) -> Tree:
    """Returns a column's rows as an array, in the dtype of the latest row."""

    def stack(*rows: NDArray[Any]) -> NDArray[Any]:
        return by_environment(np.stack(rows, dtype=rows[-1].dtype, casting="unsafe"))

    return map_trees(stack, *column) if column else None


def _rows(column: Tree, env: int, rows: slice) -> Tree:
    return map_leaves(lambda leaf: leaf[env, rows], column)
