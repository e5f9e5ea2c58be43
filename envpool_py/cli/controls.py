"""How the keys of `envpool-py play` become actions. Keys are named as pygame names them."""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np

from envpool_py.atari import ids as atari_ids
from envpool_py.cli.arguments import no_action
from envpool_py.cli.output import UsageError
from envpool_py.spec import TaskSpec

RESET = "r"
QUIT = "escape"


class Controls(ABC):
    """What keys do in one task.

    Attributes:
        takes_turns: the task waits for a key; else it goes on whether one is held or not.
        text: the keys and what they do, in one line.
    """

    takes_turns = False
    text: str

    @abstractmethod
    def action(self, keys: Collection[str]) -> Any:
        """Returns the action of one step.

        That of `keys`; where none of them does anything, one that does as little as can be, or None
        in a task that takes turns.
        """


class KeyTable(Controls):
    """A key for each of some actions; the first of the table that is held counts.

    Args:
        actions: the actions by key.
        texts: what each of them does, by key.
        idle: the actions without a key, taken in turn; none: the task takes turns.
    """

    def __init__(
        self, actions: Mapping[str, int], texts: Mapping[str, str], idle: Sequence[int] = ()
    ) -> None:
        self._actions = actions
        self._idle = itertools.cycle(idle)
        self.takes_turns = not idle
        self.text = ", ".join(f"{key}: {texts[key]}" for key in actions)

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action of the first key of the table that is in `keys`."""
        for key, action in self._actions.items():
            if key in keys:
                return action
        return None if self.takes_turns else next(self._idle)


class Axes(Controls):
    """Two keys for each element of a box action, which give its bounds; between them without."""

    _KEYS = (
        ("left", "right"), ("down", "up"), ("a", "q"), ("s", "w"), ("d", "e"), ("g", "t"),
        ("h", "y"), ("j", "u"), ("k", "i"), ("l", "o"),
    )  # fmt: skip

    def __init__(self, space: gymnasium.spaces.Box) -> None:
        self._idle = np.asarray(no_action(space))
        bounds = zip(space.low.flat, space.high.flat, strict=True)
        # Where there is no bound, 1 is as good as any.
        finite = [(_or_one(low), _or_one(high)) for low, high in bounds]
        self._axes = list(zip(self._KEYS, finite, strict=False))
        size = self._idle.size
        values = [f"action[{i}] {low}/{high}" for i, ((low, high), _) in enumerate(self._axes)]
        if size > len(values):
            values.append(f"action[{len(values)}] to action[{size - 1}] have no keys")
        self.text = f"lowest/highest value of {', '.join(values)}"

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action; of two keys of one element that are held, none counts."""
        action = self._idle.copy()
        for index, ((low_key, high_key), (low, high)) in enumerate(self._axes):
            if (low_key in keys) != (high_key in keys):
                action.flat[index] = low if low_key in keys else high
        return action


def _or_one(bound: Any) -> Any:
    return bound if np.isfinite(bound) else math.copysign(1.0, bound)


def _stick(keys: Collection[str]) -> tuple[int, int, bool]:
    """How far right and up a joystick is held, -1 to 1, and whether its button is pressed."""
    right = ("right" in keys) - ("left" in keys)
    up = ("up" in keys) - ("down" in keys)
    return right, up, "space" in keys


# The positions of a joystick by ale-py's numbers, as `_stick` gives them.
_POSITIONS = {
    (0, 0, False): 0, (0, 0, True): 1, (0, 1, False): 2, (1, 0, False): 3, (-1, 0, False): 4,
    (0, -1, False): 5, (1, 1, False): 6, (-1, 1, False): 7, (1, -1, False): 8, (-1, -1, False): 9,
    (0, 1, True): 10, (1, 0, True): 11, (-1, 0, True): 12, (0, -1, True): 13, (1, 1, True): 14,
    (-1, 1, True): 15, (1, -1, True): 16, (-1, -1, True): 17,
}  # fmt: skip

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
        """Returns the position that is held, or of what is held the most that the game knows."""
        right, up, fire = _stick(keys)
        # Rather a direction than the button, rather to the sides than up and down.
        for held in (
            (right, up, fire), (right, up, False), (right, 0, fire), (0, up, fire),
            (right, 0, False), (0, up, False), (0, 0, fire),
        ):  # fmt: skip
            action = self._actions.get(_POSITIONS[held])
            if action is not None:
                return action
        return self._actions.get(0, 0)


class AnalogueStick(Controls):
    """A joystick given as radius, angle and button, held all the way or not at all."""

    text = _JOYSTICK

    def action(self, keys: Collection[str]) -> Any:
        """Returns the action, float32 (3,)."""
        right, up, fire = _stick(keys)
        held = right != 0 or up != 0
        return np.array([float(held), math.atan2(up, right) if held else 0.0, fire], np.float32)


_PUSHES = {"left": "push left", "right": "push right"}
_MOVES = {"left": "left", "down": "down", "right": "right", "up": "up"}

_TABLES: dict[str, tuple[dict[str, int], dict[str, str], tuple[int, ...]]] = {
    # The cart has no action that does nothing: pushes to both sides come nearest to it.
    "CartPole": ({"left": 0, "right": 1}, _PUSHES, (0, 1)),
    "Acrobot": ({"left": 0, "right": 2}, {"left": "torque -1", "right": "torque +1"}, (1,)),
    "MountainCar": ({"left": 0, "right": 2}, _PUSHES, (1,)),
    "FrozenLake": ({"left": 0, "down": 1, "right": 2, "up": 3}, _MOVES, ()),
    "FrozenLake8x8": ({"left": 0, "down": 1, "right": 2, "up": 3}, _MOVES, ()),
    "CliffWalking": ({"up": 0, "right": 1, "down": 2, "left": 3}, _MOVES, ()),
    "CliffWalkingSlippery": ({"up": 0, "right": 1, "down": 2, "left": 3}, _MOVES, ()),
    "Taxi": (
        {"down": 0, "up": 1, "right": 2, "left": 3, "p": 4, "d": 5},
        {**_MOVES, "p": "pick up", "d": "drop off"},
        (),
    ),
    "Blackjack": ({"h": 1, "s": 0}, {"h": "hit", "s": "stick"}, ()),
    "Catch": (
        {"left": 0, "down": 1, "right": 2},
        {"left": "left", "down": "stay", "right": "right"},
        (),
    ),
    "NChain": ({"right": 0, "left": 1}, {"right": "on", "left": "back to the first"}, ()),
}


def controls_of(spec: TaskSpec, options: Mapping[str, Any]) -> Controls:
    """Returns the controls of a task with the options given, those of its kind if it is unknown.

    Raises:
        UsageError: keys cannot express its actions.
    """
    space = spec.action_space
    if spec.id in atari_ids.LIMITS:
        return _atari_controls(spec, options)
    table = _TABLES.get(spec.id.rpartition("-v")[0])
    if table is not None and isinstance(space, gymnasium.spaces.Discrete):
        return KeyTable(*table)
    if isinstance(space, gymnasium.spaces.Discrete):
        actions = {str(i): int(space.start) + i for i in range(min(10, int(space.n)))}
        texts = {key: f"action {action}" for key, action in actions.items()}
        return KeyTable(actions, texts, (int(no_action(space)),))
    if isinstance(space, gymnasium.spaces.Box):
        return Axes(space)
    raise UsageError(f"{spec.id} cannot be played with keys: its action space is {space}")


def _atari_controls(spec: TaskSpec, options: Mapping[str, Any]) -> Controls:
    if not isinstance(spec.action_space, gymnasium.spaces.Discrete):
        return AnalogueStick()
    from envpool_py import _atari

    full = options.get("full_action_space", spec.options["full_action_space"].default)
    game = _atari.describe_game(atari_ids.game_of(spec.id))
    return Joystick(game["legal_actions" if full else "minimal_actions"])
