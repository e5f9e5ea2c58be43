"""Maps the keys of `envpool-py play` to actions. Keys have pygame's names."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from typing import Any

import gymnasium
import numpy as np

from envpool_py.cli.arguments import no_action
from envpool_py.cli.output import UsageError
from envpool_py.tasks import registry
from envpool_py.tasks.controls import Controls
from envpool_py.tasks.manifest import Keys, base_name, resolve
from envpool_py.tasks.spec import TaskSpec

__all__ = ["QUIT", "RESET", "Axes", "controls_of"]

RESET = "r"
QUIT = "escape"


class KeyTable(Controls):
    """One key per action. If several keys are held, the first one in the table counts."""

    def __init__(self, keys: Keys) -> None:
        self._actions = {key: action for key, (action, _) in keys.actions.items()}
        self._idle = itertools.cycle(keys.idle)
        self.takes_turns = not keys.idle
        self.text = ", ".join(f"{key}: {text}" for key, (_, text) in keys.actions.items())

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action of the first key of the table that is in `keys`."""
        for key, action in self._actions.items():
            if key in keys:
                return action
        return None if self.takes_turns else next(self._idle)


class Axes(Controls):
    """Two keys per element of a box action, for its low and its high bound; without a key, zero."""

    _KEYS = (
        ("left", "right"), ("down", "up"), ("a", "q"), ("s", "w"), ("d", "e"), ("g", "t"),
        ("h", "y"), ("j", "u"), ("k", "i"), ("l", "o"),
    )  # fmt: skip

    def __init__(self, space: gymnasium.spaces.Box) -> None:
        self._idle = np.asarray(no_action(space))
        bounds = zip(space.low.flat, space.high.flat, strict=True)
        # For an element without a bound, 1 is used.
        finite = [(_or_one(low), _or_one(high)) for low, high in bounds]
        self._axes = list(zip(self._KEYS, finite, strict=False))
        size = self._idle.size
        values = [f"action[{i}] {low}/{high}" for i, ((low, high), _) in enumerate(self._axes)]
        if size > len(values):
            values.append(f"action[{len(values)}] to action[{size - 1}] have no keys")
        self.text = f"lowest/highest value of {', '.join(values)}"

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action; if both keys of an element are held, neither counts."""
        action = self._idle.copy()
        for index, ((low_key, high_key), (low, high)) in enumerate(self._axes):
            if (low_key in keys) != (high_key in keys):
                action.flat[index] = low if low_key in keys else high
        return action


def _or_one(bound: Any) -> Any:
    return bound if np.isfinite(bound) else math.copysign(1.0, bound)


def controls_of(spec: TaskSpec, options: Mapping[str, Any]) -> Controls:
    """Returns the controls of a task, by default those of its action space.

    Raises:
        UsageError: keys cannot express its actions.
    """
    family, space = registry.family_of(spec.id), spec.action_space
    if family is not None and family.controls is not None:
        controls: Controls = resolve(family.controls)(spec, options)
        return controls
    known = None if family is None else family.keys.get(base_name(spec.id))
    if known is not None:
        return KeyTable(known)
    if isinstance(space, gymnasium.spaces.Discrete):
        return KeyTable(_keys_of(space))
    if isinstance(space, gymnasium.spaces.Box):
        return Axes(space)
    raise UsageError(f"{spec.id} cannot be played with keys: its action space is {space}")


def _keys_of(space: gymnasium.spaces.Discrete) -> Keys:
    """Digits for the first ten actions."""
    actions = {str(i): int(space.start) + i for i in range(min(10, int(space.n)))}
    return Keys(
        {key: (action, f"action {action}") for key, action in actions.items()},
        idle=(int(no_action(space)),),
    )
