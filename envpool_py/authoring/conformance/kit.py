"""The definition of a check, and the list of all checks.

A check is a function in one of the modules of `_MODULES`. It takes a task's id, and raises
AssertionError with a message if the task violates the contract. Other arguments are listed in the
decorator `check`, which adds one check for each combination of their values.
"""

from __future__ import annotations

import functools
import importlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Check", "NotApplicableError", "check", "checks", "expect", "raises"]

EveryId = Literal["always", "long", "never"]

# In the order in which they run: checks of the most common mistakes come first.
_MODULES = (
    "rows",
    "results",
    "players",
    "episodes",
    "seeds",
    "configuration",
    "dm_api",
    "states",
    "leaks",
)


class NotApplicableError(Exception):
    """The check does not apply to the task; the message says why."""


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: module and function, and its arguments: "episodes.next_step[num_threads=1]".
        doc: the checked property, in one line.
        function: called with an id and `arguments`.
        arguments: the values of this check's other arguments.
        every_id: which of our own test runs include the ids that are not among the
            `representatives` of their family: every run ("always"), only `make long` ("long"), or
            none ("never").
    """

    name: str
    doc: str
    function: Callable[..., None]
    arguments: Mapping[str, Any]
    every_id: EveryId

    def run(self, task_id: str) -> None:
        """Runs the check for a task.

        Raises:
            AssertionError: the task fails the check.
            NotApplicableError: the check does not apply to the task.
        """
        self.function(task_id, **self.arguments)


_found: list[Check] = []


def check(
    every_id: EveryId = "never", **cases: Sequence[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Adds a function to the checks: one check per combination of the values in `cases`."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        module = function.__module__.rpartition(".")[2]
        doc = (function.__doc__ or "").strip().partition("\n")[0]
        for values in itertools.product(*cases.values()):
            arguments = dict(zip(cases, values, strict=True))
            text = ",".join(f"{name}={value}" for name, value in arguments.items())
            name = f"{module}.{function.__name__}{f'[{text}]' if text else ''}"
            _found.append(Check(name, doc, function, arguments, every_id))
        return function

    return add


@functools.cache
def checks() -> Sequence[Check]:
    """Returns all checks, in the order in which they should run."""
    if not __debug__:
        raise RuntimeError("the checks are assertions, which `python -O` removes")
    for name in _MODULES:
        importlib.import_module(f"{__package__}.{name}")
    order = {name: place for place, name in enumerate(_MODULES)}
    return tuple(sorted(_found, key=lambda found: order[found.name.partition(".")[0]]))


def expect(condition: Any, text: str) -> None:
    """Raises AssertionError with the text unless the condition holds."""
    if not condition:
        raise AssertionError(text)


@contextmanager
def raises(error: type[Exception], what: str) -> Iterator[None]:
    """Requires that the body raises the error; `what` describes the body in the message."""
    try:
        yield
    except error:
        return
    raise AssertionError(f"{what}: expected {error.__name__}, but nothing was raised")
