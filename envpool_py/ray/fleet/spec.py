"""The user's specification of the actors of a fleet: their pools, fragments and policy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import gymnasium

from envpool_py.errors import InputError, InputTypeError
from envpool_py.pool.trees import Tree
from envpool_py.rollout.buffers import check_length
from envpool_py.rollout.columns import ColumnSpec
from envpool_py.tasks.make import make

__all__ = ["ActorSpec", "Policy", "Spaces", "spaces_of"]

# Settings of a pool that the fleet determines.
_CHOSEN = ("seed", "num_envs", "batch_size", "env_type")


class Policy(Protocol):
    """Acts in an actor, or in the actor of central inference."""

    def set_weights(self, weights: Any) -> None:
        """Sets the weights that the learner published, with NumPy arrays in place of tensors.

        The arrays are read-only and shared with other processes, so copy what you keep.
        """

    def act(self, observations: Tree) -> tuple[Tree, Mapping[str, Any]]:
        """Returns the actions for a batch of observations.

        Args:
            observations: arrays (n, ...), or tensors with `framework="torch"`.

        Returns:
            Actions (n, ...), and the columns of the fragment by name, (n, ...).
        """


@dataclass(frozen=True)
class Spaces:
    """The arguments from which a policy is built.

    Attributes:
        single_observation_space: the space of one environment's observation.
        single_action_space: the space of one environment's action.
        num_envs: rows of the largest batch that `act` gets.
        seed: seed for the policy's random numbers, in [0, 2**63 - 1]. It differs in every actor
            that is ever started, whereas PyTorch's default seed is the same in every process.
    """

    single_observation_space: gymnasium.Space[Any]
    single_action_space: gymnasium.Space[Any]
    num_envs: int
    seed: int = 0


@dataclass(frozen=True)
class ActorSpec:
    """The specification from which each actor makes its pool, its fragments and its policy.

        ActorSpec("Pong-v5", num_envs=64, length=32, policy=PongPolicy)

    Attributes:
        task: id of the task, as `envpool_py.make` takes it.
        num_envs: environments of one actor, at least 1.
        length: steps of a fragment, at least 1.
        policy: function that gets `Spaces` and returns the policy; called in the actor's process.
        columns: the policy's columns, which `act` returns beside actions; as for `Rollout`.
        framework: "numpy" or "torch", the kind of the arrays that `act` gets.
        settings: other arguments of `envpool_py.make`, and options of the task. The fleet
            determines the seeds.
    """

    task: str
    num_envs: int
    length: int
    policy: Callable[[Spaces], Policy]
    columns: Mapping[str, ColumnSpec] = field(default_factory=lambda: {"log_probs": ()})
    framework: str = "numpy"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Checks the attributes as far as this is possible without making a pool.

        Raises:
            InputError, InputTypeError: an attribute is not valid.
        """
        check_length(self.length)
        if isinstance(self.num_envs, bool) or not isinstance(self.num_envs, int):
            raise InputTypeError(f"num_envs: expected an integer, got {self.num_envs!r}")
        if self.num_envs < 1:
            raise InputError(f"num_envs: expected at least 1, got {self.num_envs}")
        if not callable(self.policy):
            raise InputTypeError(f"policy: expected a callable, got {self.policy!r}")
        for name in _CHOSEN:
            if name in self.settings:
                raise InputError(
                    f"settings: {name!r} is not a setting, the group of actors chooses it"
                )

    def make(self, num_envs: int, seed: Any, **defaults: Any) -> Any:
        """Makes a pool.

        Args:
            num_envs: number of environments.
            seed: as for `envpool_py.make`.
            **defaults: settings that apply unless `settings` has the same name.

        Raises:
            EnvPoolError: any error of `envpool_py.make`.
        """
        return make(self.task, num_envs=num_envs, seed=seed, **{**defaults, **self.settings})

    def spaces(self) -> Spaces:
        """Returns the spaces, for the learner's model. Makes a pool of one environment.

        Raises:
            EnvPoolError: as `envpool_py.make`.
        """
        with self.make(1, None) as envs:
            return spaces_of(envs, self.num_envs)


def spaces_of(envs: Any, num_envs: int, seed: int = 0) -> Spaces:
    """Returns the spaces of a pool, for `num_envs` environments."""
    return Spaces(envs.single_observation_space, envs.single_action_space, num_envs, seed)
