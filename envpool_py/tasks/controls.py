"""Keys of `envpool-py play`: the interface of a family's own controls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any

__all__ = ["Controls"]


class Controls(ABC):
    """The meaning of the keys in one task.

    Attributes:
        takes_turns: whether the task waits for a key before each step; otherwise it steps even if
            no key is held.
        text: describes the keys and their actions, in one line.
    """

    takes_turns = False
    text: str

    @abstractmethod
    def action(self, keys: Collection[str]) -> Any:
        """Returns the action of one step.

        If no key in `keys` has a meaning, returns the action with the least effect, or None in a
        task that takes turns.
        """
