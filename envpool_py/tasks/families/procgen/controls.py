"""The keys of `envpool-py play` in Procgen's games, which are those of Procgen itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from envpool_py.tasks.controls import Controls
from envpool_py.tasks.spec import TaskSpec

__all__ = ["ProcgenKeys", "controls_of"]

# Actions of single keys; those of the arrows are 3 * (right + 1) + (up + 1).
_BUTTONS = {"d": 9, "a": 10, "w": 11, "s": 12, "q": 13, "e": 14}


class ProcgenKeys(Controls):
    """Nine directions and six buttons. While a button is held, the arrows have no meaning."""

    text = "arrows: move, d a w s q e: what the game has (d: fire)"

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action, in [0, 14]; 4 if no key is held."""
        for key, action in _BUTTONS.items():
            if key in keys:
                return action
        right = ("right" in keys) - ("left" in keys)
        up = ("up" in keys) - ("down" in keys)
        return 3 * (right + 1) + (up + 1)


def controls_of(spec: TaskSpec, options: Mapping[str, Any]) -> Controls:
    """Returns the controls, which are the same in all games."""
    del spec, options
    return ProcgenKeys()
