"""A resolved task: all that a pool needs to know of a task and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import EnvSpec

if TYPE_CHECKING:
    from envpool_py.pool.pictures import Painter

__all__ = ["Method", "ResolvedTask"]

Method = Callable[..., Any]


def _nothing() -> None:
    """What a task without requirements does to provide them."""


def _no_method(name: str) -> Method | None:
    return None


def _no_substitute(name: str) -> str | None:
    return None


@dataclass(frozen=True)
class ResolvedTask:
    """A task with its options. `envpool_py.tasks.resolve` makes it; pools know no registry.

    Attributes:
        description: the engine's description of the task (`describe_task` in `_core.pyi`).
        options: the options given, as plain data.
        name: what `make` takes for the task: its id, or "module:id".
        painter: draws the scenes of its environments; None: the engine draws, or nothing does.
        make_painter: makes the painter of environments with all of these options.
        prepare: provides what its pools need beyond the description, such as a ROM. Raises an
            EnvPoolError that says what to install.
        method_of: returns the function for a method that its environments have in Gymnasium, or
            None. The function is called with the task's id, `PoolBase.config`, and the arguments
            of the method.
        substitute_of: returns what to use in place of an attribute that environments of the
            reference have and these do not, as a clause, or None.
        warnings: texts about the options; each pool warns once.
        spec: the spec with which Gymnasium makes its pools, without the arguments of a pool.
        remake: makes a pool again, for pickles and copies. Called with the class of the pool, the
            plain form of its arguments and the options; a function of a module.
        parts: the tasks of a pool with several, each with its number of environments, in the order
            of the environments; empty for a pool of one task.
    """

    description: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    painter: Painter | None = None
    make_painter: Callable[[Mapping[str, Any]], Painter] | None = None
    prepare: Callable[[], None] = _nothing
    method_of: Callable[[str], Method | None] = _no_method
    substitute_of: Callable[[str], str | None] = _no_substitute
    warnings: Sequence[str] = ()
    spec: EnvSpec | None = None
    remake: Callable[..., Any] | None = None
    parts: Sequence[tuple[ResolvedTask, int]] = ()

    @property
    def id(self) -> str:
        """Id of the task; of several tasks, the ids with " + " between them."""
        return str(self.description["id"])

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of the tasks."""
        return tuple(task.id for task, _ in self.parts) or (self.id,)

    @property
    def of_envs(self) -> Sequence[ResolvedTask]:
        """The task of each environment, if there are several tasks."""
        return [task for task, num_envs in self.parts for _ in range(num_envs)]

    def engine_form(self, max_episode_steps: int | None) -> str | list[tuple[str, int, int]]:
        """Returns the tasks in the form in which the engine's pool takes them.

        Args:
            max_episode_steps: steps after which an episode is truncated; -1: never; None: the
                default of each task.
        """
        if not self.parts:
            return self.id
        form = []
        for task, num_envs in self.parts:
            own = task.description["max_episode_steps"] or -1
            form.append(
                (task.id, num_envs, own if max_episode_steps is None else max_episode_steps)
            )
        return form

    def keywords(self) -> dict[str, Any]:
        """Returns the keyword arguments of `make` for the task, and for the sizes of several."""
        if not self.parts:
            return {"task_id": self.name}
        return {
            "task_id": [task.name for task, _ in self.parts],
            "num_envs": [num_envs for _, num_envs in self.parts],
        }
