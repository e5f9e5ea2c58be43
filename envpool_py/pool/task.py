"""A resolved task: all that a pool needs to know of a task and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gymnasium.envs.registration import EnvSpec

if TYPE_CHECKING:
    from envpool_py.pool.pictures import Painter

__all__ = ["Method", "ResolvedTask"]

Method = Callable[[str, Mapping[str, Any]], Any]


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
            None. The function is called with the task's id and `PoolBase.config`.
        substitute_of: returns what to use in place of an attribute that environments of the
            reference have and these do not, as a clause, or None.
        warnings: texts about the options; each pool warns once.
        spec: the spec with which Gymnasium makes its pools, without the arguments of a pool.
        remake: makes a pool again, for pickles and copies. Called with the class of the pool, the
            plain form of its arguments and the options; a function of a module.
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

    @property
    def id(self) -> str:
        """Id of the task."""
        return str(self.description["id"])
