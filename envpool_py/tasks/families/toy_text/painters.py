"""Painters of the toy text tasks: see `envpool_py.tasks.scenes`.

`Scene` of the environment's C++ class documents the numbers in a scene.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.envs.toy_text import blackjack, taxi
from gymnasium.envs.toy_text.cliffwalking import CliffWalkingEnv
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from envpool_py.tasks.families.toy_text.attributes import rows_of
from envpool_py.tasks.scenes import ReferencePainter, Scene

__all__ = ["BlackjackPainter", "CliffWalkingPainter", "FrozenLakePainter", "TaxiPainter"]


def _action(number: float) -> int | None:
    """Returns the latest action of a scene; None if the number is -1: no step since the reset."""
    return None if number < 0 else int(number)


class FrozenLakePainter(ReferencePainter):
    """Draws the lake. The scene contains the map if each environment has generated its own."""

    _kind = FrozenLakeEnv
    _surface = "window_surface"

    def __init__(self, options: Mapping[str, Any]) -> None:
        super().__init__(options)
        self._rows = rows_of(options)  # None: the map is in the scene

    @property
    def _shape(self) -> tuple[int, int]:
        return (8, 8) if self._rows is None else (len(self._rows), len(self._rows[0]))

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        rows, columns = self._shape
        return min(64 * rows, 512), min(64 * columns, 512)

    def _make(self) -> Any:
        # Makes the environment with a small map, which is then replaced. For the largest maps,
        # Gymnasium's table of all moves would take gigabytes.
        env: Any = FrozenLakeEnv(render_mode="rgb_array", desc=["SG"])
        (env.nrow, env.ncol), (height, width) = self._shape, self.size
        env.window_size = (width, height)
        env.cell_size = (width // env.ncol, height // env.nrow)
        if self._rows is not None:
            env.desc = np.array([list(row) for row in self._rows], dtype="S1")
        return env

    def _pose(self, env: Any, scene: Scene) -> None:
        state, action, upper_holes, lower_holes = scene
        env.s = int(state)
        env.lastaction = _action(action)
        if self._rows is None:
            env.desc = _drawn_map(int(upper_holes) | int(lower_holes) << 32)


def _drawn_map(holes: int) -> Any:
    tiles = np.full(64, b"F", dtype="S1")
    tiles[[tile for tile in range(64) if holes >> tile & 1]] = b"H"
    tiles[0], tiles[63] = b"S", b"G"
    return tiles.reshape(8, 8)


class CliffWalkingPainter(ReferencePainter):
    """Draws the cliff and the agent."""

    _kind = CliffWalkingEnv
    _surface = "window_surface"

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        return _cliff_size()

    def _pose(self, env: Any, scene: Scene) -> None:
        state, action = scene
        env.s = int(state)
        env.lastaction = _action(action)


@functools.cache
def _cliff_size() -> tuple[int, int]:
    env: Any = CliffWalkingEnv()
    width, height = env.window_size
    return int(height), int(width)


class TaxiPainter(ReferencePainter):
    """Draws the town, and the taxi facing the direction of its latest move in this episode.

    Gymnasium's taxi turns only when it is drawn. The pictures are therefore equal if Gymnasium's
    environment is drawn after every step.
    """

    _kind = taxi.TaxiEnv
    _surface = "window"

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        width, height = taxi.WINDOW_SIZE
        return height, width

    def _pose(self, env: Any, scene: Scene) -> None:
        state, heading = map(int, scene)
        env.s = state
        env.lastaction = heading


class BlackjackPainter(ReferencePainter):
    """Draws the table; suit and face of the open card are chosen as Gymnasium chooses them."""

    _kind = blackjack.BlackjackEnv

    @property
    def size(self) -> tuple[int, int]:
        """Height and width, pixels."""
        # Gymnasium 1.2 has no name for this constant.
        width, height = getattr(blackjack, "SCREEN_SIZE", (600, 500))
        return height, width

    def _make(self) -> Any:
        import pygame

        # Gymnasium 1.2 opens its font together with the surface.
        pygame.font.init()
        return super()._make()

    def _pose(self, env: Any, scene: Scene) -> None:
        player_sum, open_card, usable_ace, suit, face = map(int, scene)
        # The picture shows only the sum of the player's cards. Any cards with this sum are valid.
        env.player = [1, player_sum - 11] if usable_ace else [player_sum]
        env.dealer = [open_card]
        env.dealer_top_card_suit = "CDHS"[suit]
        env.dealer_top_card_value_str = (
            "A" if open_card == 1 else "JQK"[face] if open_card == 10 else str(open_card)
        )
