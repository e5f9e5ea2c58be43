"""The arrays that are common to both kinds of rollouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.trees import Tree, map_leaves
from envpool_py.rollout.columns import ColumnSpec, check_names, make_columns
from envpool_py.rollout.final import FinalObservations
from envpool_py.rollout.frameworks import Framework, framework_of
from envpool_py.rollout.trees import Zeros, assign_tree, empty_rows, form_of
from envpool_py.rollout.values import ValueColumns

__all__ = ["Buffers", "check_length"]


class Buffers(ValueColumns):
    """The arrays of a rollout, as NumPy arrays and as arrays of a framework.

    Attributes with the prefix `_host` are NumPy arrays. The framework's arrays share their memory.
    """

    envs: Any
    length: int
    num_envs: int
    observations: Tree
    actions: Tree
    rewards: Any
    terminated: Any
    truncated: Any
    valid: Any
    infos: dict[str, Any]
    episode_returns: list[float]
    episode_lengths: list[int]

    _source: Any

    def _allocate(
        self,
        envs: Any,
        length: int,
        steps: tuple[int, ...],
        rows: int,
        columns: Mapping[str, ColumnSpec] | None,
        framework: str,
        zeros: Zeros = np.zeros,
    ) -> None:
        """Allocates the arrays.

        Args:
            envs: the environments.
            length: the user's argument for the number of steps.
            steps: the leading dimensions of columns with a row per step.
            rows: the number of rows of observations.
            columns: specification of the user's columns.
            framework: name of the framework.
            zeros: allocates each array.
        """
        self.envs = envs
        self.length = length
        self.num_envs = envs.num_envs
        self._framework_name = framework
        self._framework: Framework = framework_of(framework)
        self._column_specs = columns
        self._resets_next = self._source.mode is AutoresetMode.NEXT_STEP
        self._all_valid = not self._resets_next and not self._source.marks_failures
        observations = envs.single_observation_space
        self._observation_rows = empty_rows(observations, rows, "observation space", zeros)
        self._allocate_steps(steps, zeros)
        shared = self._framework.shared
        self._host_columns = make_columns(columns, steps, zeros)
        self.columns = {name: shared(column) for name, column in self._host_columns.items()}
        self._final = FinalObservations(self._observation_rows, envs.num_envs)
        self.infos = {}
        self.episode_returns = []
        self.episode_lengths = []
        leading = steps if len(steps) == 1 else (rows // envs.num_envs, envs.num_envs)
        self.observations = map_leaves(
            lambda leaf: shared(leaf.reshape((*leading, *leaf.shape[1:]))), self._observation_rows
        )

    def _allocate_steps(self, steps: tuple[int, ...], zeros: Zeros) -> None:
        shared = self._framework.shared
        count = int(np.prod(steps))
        actions = empty_rows(self.envs.single_action_space, count, "action space", zeros)
        self._host_actions = map_leaves(
            lambda leaf: leaf.reshape((*steps, *leaf.shape[1:])), actions
        )
        self.actions = map_leaves(shared, self._host_actions)
        self._host_rewards = zeros(steps, np.float32)
        self._host_terminated = zeros(steps, np.bool_)
        self._host_truncated = zeros(steps, np.bool_)
        self._host_valid = zeros(steps, np.bool_)
        self.rewards = shared(self._host_rewards)
        self.terminated = shared(self._host_terminated)
        self.truncated = shared(self._host_truncated)
        self.valid = shared(self._host_valid)

    @property
    def final_observations(self) -> Tree:
        """The last observations of truncated episodes, arrays (n, ...).

        Only those that `observations` does not contain: in autoreset mode SameStep, and in a
        `Rollout` also in Disabled. Row i is the observation after the step in row `final_steps[i]`
        of `flat()`.
        """
        return map_leaves(self._framework.shared, self._final.rows)

    @property
    def final_steps(self) -> NDArray[np.int64]:
        """The rows of `flat()` with the steps that led to `final_observations`, int64 (n,)."""
        steps: NDArray[np.int64] = self._final.steps.copy()
        return steps

    def flat(self) -> dict[str, Any]:
        """Returns the columns and the observations of the steps, without a copy.

        Returns:
            A dict with the keys "observations", "actions", "rewards", "terminated", "truncated",
            "valid" and the names of the user's columns: arrays (T * N, ...), or (R, ...) in a
            `FirstReadyRollout` of R rows. An array of row numbers selects a minibatch from each.
        """
        steps = int(np.prod(self._host_valid.shape))
        ours = {
            name: getattr(self, name)
            for name in ("observations", "actions", "rewards", "terminated", "truncated", "valid")
        }

        def flatten(leaf: Any) -> Any:
            dims = self._host_valid.ndim
            return leaf.reshape((-1, *leaf.shape[dims:]))[:steps]

        return {name: map_leaves(flatten, tree) for name, tree in {**ours, **self.columns}.items()}

    def _place_steps(self, places: Sequence[Any]) -> None:
        """Makes views of each step's part of the arrays; called once.

        Args:
            places: index into the arrays' first dimension for each `t` of the loop.
        """
        self._step_actions = [
            map_leaves(lambda leaf, place=place: leaf[place], self._host_actions)
            for place in places
        ]
        self._step_columns = [
            {name: column[place] for name, column in self.columns.items()} for place in places
        ]

    def _store(self, t: int, actions: Tree, columns: Mapping[str, Any]) -> None:
        """Stores actions and the user's columns.

        Args:
            t: the step.
            actions: NumPy arrays.
            columns: arrays on any device, by name.

        Raises:
            InputError, InputTypeError: a name, a shape or a form is not valid.
        """
        check_names(columns, self.columns)
        target = self._step_actions[t]
        if isinstance(target, np.ndarray):
            _assign(target, actions, "actions")
        else:
            assign_tree(target, actions, "act: actions")
        columns_of_step = self._step_columns[t]
        for name, values in columns.items():
            column = columns_of_step[name]
            try:
                self._framework.store(column, values)
            except (TypeError, ValueError, RuntimeError) as error:
                raise InputError(
                    f"act: {name}: expected {form_of(column)}, got {form_of(values)}"
                ) from error

    def _clear(self) -> None:
        self._final.clear()
        self.episode_returns = []
        self.episode_lengths = []

    def _note_episodes(self, infos: dict[str, Any]) -> None:
        ended = infos.get("_episode")
        episode = infos["episode"]
        if ended is None or not isinstance(episode, dict):
            return
        self.episode_returns += episode["r"][ended].tolist()
        self.episode_lengths += episode["l"][ended].tolist()


def check_length(length: Any) -> int:
    """Returns the number of steps of a rollout.

    Raises:
        InputError, InputTypeError: `length` is not an integer of at least 1.
    """
    if isinstance(length, bool) or not isinstance(length, (int, np.integer)):
        raise InputTypeError(f"length: expected an integer, got {length!r}")
    if length < 1:
        raise InputError(f"length: expected at least 1, got {length}")
    return int(length)


def _assign(target: NDArray[Any], given: Any, name: str) -> None:
    try:
        target[...] = given
    except (TypeError, ValueError) as error:
        raise InputError(
            f"act: {name}: expected {form_of(target)}, got {form_of(given)}"
        ) from error
