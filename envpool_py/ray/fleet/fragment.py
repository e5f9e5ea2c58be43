"""Fragments: the steps of an actor in the form in which the learner gets them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from envpool_py.errors import InputError
from envpool_py.pool.trees import Tree, map_leaves, map_trees
from envpool_py.ray.fleet.layout import Layout
from envpool_py.ray.fleet.messages import Header, Payload
from envpool_py.rollout.frameworks import framework_of
from envpool_py.rollout.step_returns import StepReturns

__all__ = ["Fragment", "Steps", "join"]

_STEP_ARRAYS = ("actions", "rewards", "terminated", "truncated", "valid")


class Steps(StepReturns):
    """T steps of N environments, with the arrays and the computations of a `Rollout`.

    Attributes:
        length: T, the number of steps.
        num_envs: N, the number of environments.
        observations: arrays (T + 1, N, ...); the policy chose `actions[t]` for `observations[t]`.
        actions: arrays (T, N, ...).
        rewards: float32 (T, N).
        terminated, truncated: bool (T, N).
        valid: bool (T, N), whether the environment used the policy's action in this step.
        columns: the policy's columns by name, (T, N, ...).
    """

    observations: Tree
    actions: Tree

    def __init__(
        self,
        arrays: Mapping[str, Tree],
        final_observations: Tree,
        final_steps: NDArray[np.int64] | None,
        all_valid: bool,
        framework: str,
    ) -> None:
        """Keeps the arrays without copying them.

        Args:
            arrays: NumPy arrays by the names of the attributes.
            final_observations: the last observations of truncated episodes, arrays (n, ...). None:
                there are none.
            final_steps: int64 (n,), the steps that led to these observations, as indices of the
                flat columns. None: there are none.
            all_valid: whether `valid` has no False.
            framework: "numpy" or "torch", the kind of the attributes.
        """
        self._framework = framework_of(framework)
        self._framework_name = framework
        shared = self._framework.shared
        self._host = dict(arrays)
        self._host_rewards = arrays["rewards"]
        self._host_terminated = arrays["terminated"]
        self._host_columns = arrays["columns"]
        self._all_valid = all_valid
        self.length, self.num_envs = self._host_rewards.shape
        self._t = self.length
        for name in ("observations", *_STEP_ARRAYS):
            setattr(self, name, map_leaves(shared, arrays[name]))
        self.columns = {name: shared(column) for name, column in self._host_columns.items()}
        last = map_leaves(lambda leaf: leaf[self.length], self.observations)
        self._obs = {self.length: last}
        if final_steps is None:
            final_steps = np.zeros(0, np.int64)
            final_observations = map_leaves(_no_rows, arrays["observations"])
        self._final_observations = final_observations
        self._final_steps = final_steps

    @property
    def final_observations(self) -> Tree:
        """The last observations of truncated episodes, arrays (n, ...); see `Rollout`."""
        return map_leaves(self._framework.shared, self._final_observations)

    @property
    def final_steps(self) -> NDArray[np.int64]:
        """The steps that led to `final_observations`: int64 (n,), indices of the flat columns."""
        return self._final_steps

    def flat(self) -> dict[str, Any]:
        """Returns the columns and the observations of the steps, (T * N, ...), without a copy.

        Returns:
            "observations", "actions", "rewards", "terminated", "truncated", "valid" and the
            policy's columns.
        """
        steps = self.length * self.num_envs

        def flatten(leaf: Any) -> Any:
            return leaf.reshape((-1, *leaf.shape[2:]))[:steps]

        ours = {name: getattr(self, name) for name in ("observations", *_STEP_ARRAYS)}
        return {name: map_leaves(flatten, tree) for name, tree in {**ours, **self.columns}.items()}


def _no_rows(leaf: NDArray[Any]) -> NDArray[Any]:
    return np.zeros((0, *leaf.shape[2:]), leaf.dtype)


class Fragment(Steps):
    """The steps that one actor made for one request. The arrays are read-only.

    The arrays are views of the transport's memory, such as Ray's object store. This memory is in
    use until the last view is dropped, so copy what you keep. With `framework="torch"` the arrays
    are tensors. PyTorch does not protect them, but they must not be written.

    Attributes:
        header: identity and statistics of the fragment; see `Header`.
        staleness: version of the published weights when the stream returned the fragment, minus the
            version of the weights that acted.
        episode_returns, episode_lengths: returns and lengths of the episodes that ended in the
            fragment.
    """

    def __init__(
        self, header: Header, layout: Layout, payload: Payload, staleness: int, framework: str
    ) -> None:
        """Makes views of `payload`, arranged by `layout`."""
        super().__init__(
            layout.arrays(payload.block),
            payload.final_observations,
            payload.final_steps,
            layout.all_valid,
            framework,
        )
        self.header = header
        self.staleness = staleness
        self.episode_returns = header.episode_returns
        self.episode_lengths = header.episode_lengths

    def __repr__(self) -> str:
        at = self.header
        return (
            f"Fragment(actor {at.actor}.{at.incarnation}, sequence {at.sequence}, "
            f"{self.length} x {self.num_envs}, staleness {self.staleness})"
        )


def join(fragments: Sequence[Steps]) -> Steps:
    """Concatenates fragments of equal length along the environments, to (T, sum of N, ...).

    Copies the arrays.

    Args:
        fragments: at least one fragment, all from one fleet.

    Raises:
        InputError: there is no fragment, or their lengths differ.
    """
    if not fragments:
        raise InputError("fragments: expected at least one, got none")
    first = fragments[0]
    lengths = [fragment.length for fragment in fragments]
    if len(set(lengths)) > 1:
        raise InputError(f"fragments: expected equal lengths, got {lengths}")

    def joined(*leaves: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate(leaves, axis=1)

    hosts = [fragment._host for fragment in fragments]
    arrays = {name: map_trees(joined, *(host[name] for host in hosts)) for name in first._host}
    width = sum(fragment.num_envs for fragment in fragments)
    begin, steps = 0, []
    for fragment in fragments:
        t, env = np.divmod(fragment.final_steps, fragment.num_envs)
        steps.append(t * width + begin + env)
        begin += fragment.num_envs
    final = map_trees(
        lambda *leaves: np.concatenate(leaves),
        *(fragment._final_observations for fragment in fragments),
    )
    return Steps(arrays, final, np.concatenate(steps), first._all_valid, first._framework_name)
