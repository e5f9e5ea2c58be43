"""Converts the keys of `envpool-py play` to actions of Atari games."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np

from envpool_py import _atari
from envpool_py.tasks.controls import Controls
from envpool_py.tasks.families.atari import roms
from envpool_py.tasks.spec import TaskSpec

__all__ = ["AnalogueStick", "Joystick", "action_meanings", "controls_of"]


def _stick(keys: Collection[str]) -> tuple[int, int, bool]:
    """Returns the deflection to the right and up, each -1, 0 or 1, and whether FIRE is pressed."""
    right = ("right" in keys) - ("left" in keys)
    up = ("up" in keys) - ("down" in keys)
    return right, up, "space" in keys


# The positions of a joystick in the order of ale-py's numbers, in the form that `_stick` returns.
_POSITIONS = {
    (0, 0, False): 0, (0, 0, True): 1, (0, 1, False): 2, (1, 0, False): 3, (-1, 0, False): 4,
    (0, -1, False): 5, (1, 1, False): 6, (-1, 1, False): 7, (1, -1, False): 8, (-1, -1, False): 9,
    (0, 1, True): 10, (1, 0, True): 11, (-1, 0, True): 12, (0, -1, True): 13, (1, 1, True): 14,
    (-1, 1, True): 15, (1, -1, True): 16, (-1, -1, True): 17,
}  # fmt: skip

# ale-py's names of the positions, by its numbers.
_MEANINGS = (
    "NOOP", "FIRE", "UP", "RIGHT", "LEFT", "DOWN", "UPRIGHT", "UPLEFT", "DOWNRIGHT", "DOWNLEFT",
    "UPFIRE", "RIGHTFIRE", "LEFTFIRE", "DOWNFIRE", "UPRIGHTFIRE", "UPLEFTFIRE", "DOWNRIGHTFIRE",
    "DOWNLEFTFIRE",
)  # fmt: skip

_JOYSTICK = "arrows: the stick, space: its button"


class Joystick(Controls):
    """A joystick with some of its eighteen positions.

    Args:
        positions: ale-py's numbers of the positions, one per action.
    """

    text = _JOYSTICK

    def __init__(self, positions: Sequence[int]) -> None:
        self._actions = {position: action for action, position in enumerate(positions)}

    def action(self, keys: Collection[str]) -> Any:
        """Returns the position that is held, or the nearest one that the game accepts."""
        right, up, fire = _stick(keys)
        # Directions take precedence over the button, and left and right over up and down.
        for held in (
            (right, up, fire), (right, up, False), (right, 0, fire), (0, up, fire),
            (right, 0, False), (0, up, False), (0, 0, fire),
        ):  # fmt: skip
            action = self._actions.get(_POSITIONS[held])
            if action is not None:
                return action
        return self._actions.get(0, 0)


class AnalogueStick(Controls):
    """A joystick whose action is radius, angle and button. Keys deflect it fully or not at all."""

    text = _JOYSTICK

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action, float32 (3,)."""
        right, up, fire = _stick(keys)
        held = right != 0 or up != 0
        return np.array([float(held), math.atan2(up, right) if held else 0.0, fire], np.float32)


def controls_of(spec: TaskSpec, options: Mapping[str, Any]) -> Controls:
    """Returns the controls of a game with the options given."""
    if not isinstance(spec.action_space, gymnasium.spaces.Discrete):
        return AnalogueStick()
    full = options.get("full_action_space", spec.options["full_action_space"].default)
    game = _atari.describe_game(roms.game_of(spec.id))
    return Joystick(game["legal_actions" if full else "minimal_actions"])


def action_meanings(task_id: str, config: Mapping[str, Any]) -> list[str]:
    """Returns ale-py's names of the actions, as its `AtariEnv.get_action_meanings` does.

    Args:
        task_id: id of a game's task.
        config: the options of the environments.
    """
    game = _atari.describe_game(roms.game_of(task_id))
    full = config["full_action_space"] or config.get("continuous", False)
    return [
        _MEANINGS[position] for position in game["legal_actions" if full else "minimal_actions"]
    ]
