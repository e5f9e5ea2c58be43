"""Sources of a rollout's steps: a pool that writes in place, or any vector environment.

A source steps all environments, and writes the observations to rows of a buffer.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from envpool_py.errors import InputError, InputTypeError
from envpool_py.players.rows import refuse_players
from envpool_py.pool.core import Core, RowTarget, core_of
from envpool_py.pool.gymnasium_pool import GymnasiumPool
from envpool_py.pool.trees import Tree, map_leaves
from envpool_py.rollout.trees import assign_rows, assign_tree, by_name

__all__ = ["PoolSource", "Rest", "StepSource", "marks_failures", "source_of"]

Rest = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]
"""What `step` returns, without the observations."""


class Rows(Protocol):
    """A buffer of observations that a source has prepared."""

    tree: Tree
    """Arrays with a row for each observation."""


class StepSource(Protocol):
    """Steps environments into buffers."""

    envs: Any
    mode: AutoresetMode
    marks_failures: bool
    """Whether rows with `infos["_error"]` are of environments that have failed."""

    def rows(self, tree: Tree) -> Any:
        """Prepares a buffer; `tree` is a result of `empty_rows`."""

    def reset(self, rows: Any, first: int, seed: Any) -> dict[str, Any]:
        """Resets all environments, writing from row `first` on; returns the infos."""

    def reset_some(self, rows: Any, first: int, ended: NDArray[np.bool_]) -> None:
        """Resets the environments in `ended`, and replaces their rows."""

    def step(self, actions: Any, rows: Any, first: int) -> Rest:
        """Steps all environments, writing from row `first` on; returns all but observations."""


def marks_failures(envs: Any) -> bool:
    """Whether `envs` is a pool with `on_error="reset"`, perhaps in wrappers."""
    pool = envs.unwrapped
    return isinstance(pool, GymnasiumPool) and pool.arguments.on_error == "reset"


def source_of(envs: Any) -> StepSource:
    """Returns the source for environments.

    Raises:
        InputTypeError: `envs` is not a vector environment.
        InputError: `envs` is an unsuitable pool, or its metadata lack the autoreset mode.
    """
    if not isinstance(envs, VectorEnv):
        raise InputTypeError(
            f"envs: expected a gymnasium.vector.VectorEnv, such as envpool_py.make returns, got "
            f"{type(envs).__name__}"
        )
    refuse_players(envs.unwrapped, "envs")
    if getattr(envs.unwrapped, "is_async", False):
        raise InputError(
            "envs: a first-ready pool (batch_size < num_envs) needs "
            "envpool_py.rollout.FirstReadyRollout"
        )
    mode = envs.metadata.get("autoreset_mode")
    if not isinstance(mode, AutoresetMode):
        raise InputError(
            'envs: expected a gymnasium.vector.AutoresetMode in metadata["autoreset_mode"], got '
            f"{mode!r}"
        )
    if isinstance(envs, GymnasiumPool) and envs.capabilities.can_step_into:
        return PoolSource(envs, mode)
    return CopyingSource(envs, mode)


class TargetRows:
    """A buffer to which a pool writes.

    Attributes:
        tree: arrays with a row for each observation.
        target: the engine's target for these arrays.
    """

    def __init__(self, core: Core, tree: Tree) -> None:
        self.tree = tree
        self.target: RowTarget = core.make_target(by_name(tree, "obs"))


class PoolSource:
    """A pool, whose environments write their observations into the buffer."""

    def __init__(self, envs: Any, mode: AutoresetMode) -> None:
        self.envs = envs
        self.mode = mode
        self.marks_failures = marks_failures(envs)
        self._engine = core_of(envs)

    def rows(self, tree: Tree) -> TargetRows:
        """Prepares a buffer."""
        return TargetRows(self._engine, tree)

    def reset(self, rows: TargetRows, first: int, seed: Any) -> dict[str, Any]:
        """Resets all environments."""
        _, infos = self._engine.reset_into(None, seed, None, None, rows.target, first)
        self.envs._note_seeds(seed)
        return dict(infos)

    def reset_some(self, rows: TargetRows, first: int, ended: NDArray[np.bool_]) -> None:
        """Resets the environments in `ended`, and copies their rows, which are usually few."""
        ids = np.flatnonzero(ended)
        started, _ = self._engine.reset(ids, None, None, None)
        assign_rows(rows.tree, first + ids, started)

    def step(self, actions: Any, rows: TargetRows, first: int) -> Rest:
        """Steps all environments."""
        return self._engine.step_into(actions, None, rows.target, first)[1:]


class PlainRows:
    """A buffer to which observations are copied."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree


class CopyingSource:
    """Any vector environment, such as a pool in wrappers. Its observations are copied."""

    def __init__(self, envs: Any, mode: AutoresetMode) -> None:
        self.envs = envs
        self.mode = mode
        self.marks_failures = marks_failures(envs)

    def rows(self, tree: Tree) -> PlainRows:
        """Prepares a buffer."""
        return PlainRows(tree)

    def reset(self, rows: PlainRows, first: int, seed: Any) -> dict[str, Any]:
        """Resets all environments."""
        observations, infos = self.envs.reset(seed=seed)
        self._store(rows, first, observations)
        return dict(infos)

    def reset_some(self, rows: PlainRows, first: int, ended: NDArray[np.bool_]) -> None:
        """Resets some environments."""
        observations, _ = self.envs.reset(options={"reset_mask": ended})
        self._store(rows, first, observations)

    def step(self, actions: Any, rows: PlainRows, first: int) -> Rest:
        """Steps all environments."""
        observations, *rest = self.envs.step(actions)
        self._store(rows, first, observations)
        return tuple(rest)

    def _store(self, rows: PlainRows, first: int, observations: Any) -> None:
        last = first + self.envs.num_envs
        assign_tree(
            map_leaves(lambda leaf: leaf[first:last], rows.tree), observations, "observations"
        )
